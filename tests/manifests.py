"""The manifests of deploy/controller as kustomize builds them, and the rights that the documents grant to them."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

REPOSITORY = Path(__file__).resolve().parent.parent
CONTROLLER = REPOSITORY / "deploy" / "controller"
COMPONENTS = ("wake-gangs", "no-condition", "monitoring")
NAMESPACE, ACCOUNT = "gangform-system", "gangform-controller"


def build(kustomize: str, folder: Path, *components: str, more: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Build what a user's own kustomization in ``folder`` makes of deploy/controller and some of its components."""
    base = os.path.relpath(CONTROLLER, folder.resolve())
    (folder / "kustomization.yaml").write_text(yaml.safe_dump({
        "resources": [base], "components": [f"{base}/components/{name}" for name in components], **(more or {}),
    }))
    done = subprocess.run([kustomize, "build", folder], capture_output=True, text=True, check=True)
    return list(yaml.safe_load_all(done.stdout))


class Right(NamedTuple):
    """One thing that may be done; ``namespace`` is empty where it may be done in all of them, ``name`` for any name."""

    verb: str
    group: str
    resource: str
    name: str
    namespace: str


class Line(NamedTuple):
    """A line of the table of rights: where it comes from, and what it grants."""

    source: str
    rights: frozenset[Right]


def documented() -> Iterator[Line]:
    """The table under "Rights" in docs/controller.md."""
    text = (REPOSITORY / "docs/controller.md").read_text(encoding="utf-8")
    table = text.partition("\n## Rights\n")[2].partition("\n## ")[0]
    for row in re.findall(r"^\| (`.*) \|$", table, re.MULTILINE):
        resources, groups, verbs, where, source, _ = row.split(" | ")
        yield Line(source, frozenset(
            Right(verb, group, resource, name, {"cluster": "", "own namespace": NAMESPACE}[where])
            for whole in re.findall(r"`([^`]+)`", resources)
            for resource, name in [_named(whole)]
            for group in re.findall(r"`([^`]+)`", groups) or [{"core": ""}[groups]]
            for verb in verbs.split(", ")
        ))


def _named(text: str) -> tuple[str, str]:
    """Tell ``leases/gangform-controller`` from ``mpijobs/status``."""
    resource, _, rest = text.partition("/")
    return (text, "") if rest == "status" else (resource, rest)


def rights(*components: str) -> frozenset[Right]:
    """What the table grants to a build with these components."""
    def holds(source: str) -> bool:
        home, _, unless = source.partition("; not with ")
        return home.strip("`") in ("base", *components) and unless.strip("`") not in components

    return frozenset().union(*(line.rights for line in documented() if holds(line.source)))


def granted(objects: list[dict[str, Any]], home: str = NAMESPACE) -> frozenset[Right]:
    """What the roles that are bound to the controller's account in its home namespace grant."""
    roles = {(data["kind"], data["metadata"]["name"]): data for data in objects}
    found = set()
    for binding in objects:
        if binding["kind"] in ("RoleBinding", "ClusterRoleBinding"):
            assert binding["subjects"] == [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": home}]
            role = roles[binding["roleRef"]["kind"], binding["roleRef"]["name"]]
            namespace = binding["metadata"].get("namespace", "")
            found |= {
                Right(verb, group, resource, name, namespace)
                for rule in role["rules"] for verb in rule["verbs"] for group in rule["apiGroups"]
                for resource in rule["resources"] for name in rule.get("resourceNames", [""])
            }
    return frozenset(found)
