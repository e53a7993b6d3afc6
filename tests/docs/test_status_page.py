"""docs/status.md says of every state what ``gangform explain`` says of it."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from gangform.status import pages
from gangform.status.picture import ALARMING, State


@pytest.fixture(scope="module")
def tool(repository: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_status_page", repository / "tools/write_status_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_the_one_that_make_docs_writes(repository: Path, tool: ModuleType) -> None:
    assert (repository / "docs/status.md").read_text(encoding="utf-8") == tool.write(), "run `make docs`"


@pytest.mark.parametrize("state", State)
def test_every_state_has_a_section_with_its_page(repository: Path, state: State) -> None:
    assert f"\n### {state}\n\n{pages.write(state)}" in (repository / "docs/status.md").read_text(encoding="utf-8")


def test_the_pages_stand_in_the_order_of_the_states() -> None:
    assert list(pages.PAGES) == list(State)


@pytest.mark.parametrize("name", ["never-fits", "NeverFits", "neverfits", "NEVER-FITS"])
def test_a_state_is_found_however_it_is_spelt(name: str) -> None:
    assert pages.find(name) is State.NEVER_FITS


def test_what_is_no_state_is_not_found() -> None:
    assert pages.find("never") is None


@pytest.mark.parametrize("state", State)
def test_a_state_is_found_by_the_name_that_links_use(state: State) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", pages.slug(state))
    assert pages.find(pages.slug(state)) is state


@pytest.mark.parametrize("state", State)
def test_the_first_sentence_stands_alone(state: State) -> None:
    assert pages.summary(state).endswith(".")
    assert len(pages.summary(state)) < 100


@pytest.mark.parametrize("state", sorted(ALARMING))
def test_an_alarming_state_says_more_than_that_there_is_nothing_to_do(state: State) -> None:
    assert pages.weight(state) == "alarming"
    assert not pages.PAGES[state].do.startswith("nothing")


def test_runbooks_name_pages_that_there_are(repository: Path) -> None:
    text = (repository / "docs/runbooks.md").read_text(encoding="utf-8")
    named = set(re.findall(r"gangform explain ([a-z-]+)", text))
    assert named
    assert {name for name in named if pages.find(name) is None} == set()
