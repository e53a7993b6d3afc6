"""What the documents say about Argo CD and Flux holds."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

Deployed = Callable[[str], list[Any]]


def block(text: str, first: str) -> Any:
    """The only fenced YAML that begins with these words."""
    found = re.findall(rf"^```yaml\n({re.escape(first)}.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    return yaml.safe_load(found[0])


def section(repository: Path, title: str) -> str:
    text = (repository / "README.md").read_text(encoding="utf-8")
    match = re.search(rf"^## {title}\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert match, title
    return match[1]


@pytest.mark.parametrize("title", ["Use it in Argo CD", "Use it in Flux"])
def test_a_section_of_the_readme_is_short(repository: Path, title: str) -> None:
    assert sum(bool(line.strip()) for line in section(repository, title).splitlines()) <= 10


def test_the_readmes_application_gets_its_manifests(repository: Path) -> None:
    source = block(section(repository, "Use it in Argo CD"), "path:")
    done = subprocess.run(
        [sys.executable, "-m", "gangform", "argocd", "generate"], cwd=repository / source["path"], text=True,
        env={**os.environ, "ARGOCD_APP_PARAMETERS": json.dumps(source["plugin"]["parameters"]),
             "ARGOCD_APP_SOURCE_PATH": source["path"]}, capture_output=True, check=True, timeout=60)
    kinds = [data["kind"] for data in yaml.safe_load_all(done.stdout)]
    assert (kinds.count("MPIJob"), kinds.count("PodGroup")) == (3, 3)


def test_the_document_of_argo_cd_shows_what_is_deployed(repository: Path, deployed: Deployed) -> None:
    text = (repository / "docs/argocd.md").read_text(encoding="utf-8")
    shown, [example] = block(text, "path:"), deployed("argocd/examples/plugin.yaml")
    parameters = example["spec"]["source"]["plugin"]["parameters"]
    assert [entry for entry in parameters if entry in shown["plugin"]["parameters"]] == shown["plugin"]["parameters"]
    components = block(text, "components:")["components"]
    assert all((repository / "deploy/argocd" / name / "kustomization.yaml").is_file() for name in components)


def test_the_document_of_flux_shows_what_is_deployed(repository: Path, deployed: Deployed) -> None:
    text = (repository / "docs/flux.md").read_text(encoding="utf-8")
    for name in ("git.yaml", "oci.yaml"):
        [sync] = [data for data in deployed(f"flux/{name}") if data["kind"] == "Kustomization"]
        assert sync["spec"]["healthCheckExprs"] == block(text, "- apiVersion:")


def test_every_parameter_is_in_the_document(repository: Path) -> None:
    from gangform.catalog import BACKENDS
    from gangform.hosts import argocd

    text = (repository / "docs/argocd.md").read_text(encoding="utf-8")
    own = {name for name in argocd.parameters(BACKENDS)
           if not any(name in backend.OPTIONS for backend in BACKENDS.values())}
    assert {name for name in own if f"`{name}`" not in text} == set()
