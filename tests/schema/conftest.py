"""Documents that fit a schema, and kubeconform's verdict on documents."""

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from gangform import schema
from strategies import documents


@pytest.fixture(scope="session")
def judge(kubeconform: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sequence[Any]], list[bool]]:
    """Ask kubeconform about many objects at once, each in a file of its own."""

    def ask(objects: Sequence[Any]) -> list[bool]:
        folder = tmp_path_factory.mktemp("objects")
        for index, data in enumerate(objects):
            text = json.dumps(data, ensure_ascii=False)
            folder.joinpath(f"{index:04}.json").write_text(text, encoding="utf-8")
        run = subprocess.run(
            [kubeconform, "-strict", "-verbose", "-output", "json", "-schema-location", schema.location(), str(folder)],
            capture_output=True, text=True, check=False)
        results = json.loads(run.stdout)["resources"]
        # An error is a refusal, such as metadata that is no map, unless kubeconform could not use our schema.
        assert [r for r in results if r["status"] == "statusError" and "schema" in r["msg"]] == []
        verdicts = {Path(r["filename"]).name: r["status"] for r in results}
        assert "statusSkipped" not in verdicts.values()
        assert len(verdicts) == len(objects)
        return [verdicts[name] == "statusValid" for name in sorted(verdicts)]

    return ask


@pytest.fixture(scope="session")
def draw_documents() -> Callable[[str], st.SearchStrategy[dict[str, Any]]]:
    """The strategy of documents that fit the named schema."""
    return documents
