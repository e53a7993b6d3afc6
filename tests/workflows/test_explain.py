"""Everything that can be reported can be explained."""

import re
from pathlib import Path

import pytest

import gangform
from gangform.workflows import explain

PACKAGE = Path(gangform.__file__).parent
IDS = sorted({name for path in PACKAGE.rglob("*.py")
              for name in re.findall(r'(?:code=|Fault\()"([a-z0-9-]+)"', path.read_text(encoding="utf-8"))})


@pytest.mark.parametrize("name", IDS)
def test_an_id_that_the_code_stamps_has_a_page(name: str) -> None:
    page = explain.explain(name)
    assert page is not None
    assert page.startswith(f"{name} (")


def test_ids_were_found_in_the_code() -> None:
    assert {"unknown-field", "pod-group-differs", "yaml-limit"} <= set(IDS)


def test_every_page_ends_with_what_to_do_or_says_why_there_is_nothing() -> None:
    for name, _, _ in explain.listing():
        page = explain.explain(name)
        assert page is not None
        assert len(page.strip().splitlines()) > 2, name


def test_a_mistyped_id_is_answered_with_the_one_that_was_meant() -> None:
    assert explain.suggest("min-members-exceed-pods")[0] == "min-member-exceeds-pods"


def test_exit_codes_are_explained() -> None:
    assert "missing" in (explain.explain("exit-3") or "")
