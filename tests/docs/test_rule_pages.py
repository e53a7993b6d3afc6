"""docs/rules/ says what the docstrings say: every id has a page, and no page is stale."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from gangform.catalog import CATALOG, ONLY
from gangform.report.pages import help_uri
from gangform.workflows import explain


@pytest.fixture(scope="module")
def tool(repository: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_rule_pages", repository / "tools/write_rule_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_those_that_make_rules_docs_writes(repository: Path, tool: ModuleType) -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in (repository / "docs/rules").iterdir()}
    wanted = tool.write_pages()
    assert sorted(written) == sorted(wanted)
    assert [name for name in wanted if written[name] != wanted[name]] == [], "run `make rules-docs`"


@pytest.mark.parametrize("rule", sorted(explain.pages()))
def test_every_id_has_a_page_where_its_help_address_points(repository: Path, rule: str) -> None:
    path = help_uri(rule).rpartition("/blob/main/")[2]
    assert (repository / path).read_text(encoding="utf-8").startswith(f"# {rule}\n")


@pytest.mark.parametrize(("rule", "page"), sorted(explain.pages().items()))
def test_every_page_says_more_than_its_first_line_and_how_to_mend_it(rule: str, page) -> None:
    assert len(page.text.strip().splitlines()) > 1, rule
    assert page.summary.endswith("."), rule


@pytest.mark.parametrize(("rule", "name"), sorted(ONLY.items()))
def test_a_rule_of_one_scheduler_speaks_of_that_scheduler(rule: str, name: str) -> None:
    backend = CATALOG.backends[name]
    words = {backend.TITLE, backend.COMPONENT, backend.GROUP_API[0], *backend.SCHEDULER_NAMES} - {"default-scheduler"}
    assert any(word in (CATALOG.rules[rule].__doc__ or "") for word in words)
