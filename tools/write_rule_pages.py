"""Writes docs/rules/: a page for every id that gangform can report, from its docstring, and an index.

Usage: ``python tools/write_rule_pages.py DIR``. Pages of ids that are gone are deleted.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from gangform.catalog import CATALOG, ONLY
from gangform.report.pages import Page, to_markdown
from gangform.workflows import explain

INDEX = "README.md"

INTRODUCTION = """\
# What gangform reports

Each id has a page that says what is wrong, why it matters, and how to mend it; `gangform explain ID`
prints the same. [Findings](../findings.md) says how to choose what counts.

An error means that the gang can never start, or that a gang was asked for and silently none is formed.
A warning is likely wrong or fragile. A note is worth knowing.

## Rules

They look at a job together with its group and the other objects.

| id | severity | scheduler | |
|---|---|---|---|
"""

OTHERS = """
## Other findings

They come from reading the text, from the schemas, from what an operator refuses, and from the commands.

| id | severity | |
|---|---|---|
"""


def write_pages() -> dict[str, str]:
    """Return file name to text of everything in the folder."""
    pages = explain.pages()
    rules = [page for page in pages.values() if page.rule in CATALOG.rules]
    others = [page for page in pages.values() if page.rule not in CATALOG.rules]
    index = INTRODUCTION + "".join(map(_rule_row, rules)) + OTHERS + "".join(map(_other_row, others))
    return {INDEX: index, **{f"{page.rule}.md": write_page(page) for page in pages.values()}}


def write_page(page: Page) -> str:
    """Return the text of one page."""
    about = " · ".join(_about(page))
    return f"# {page.rule}\n\n{about}\n\n{to_markdown(page.text)}\n[All ids](README.md)\n"


def _about(page: Page) -> Iterator[str]:
    yield f"**{page.severity.word}**"
    if page.rule in CATALOG.rules:
        yield _scheduler(page.rule)
    if page.rule in CATALOG.off:
        yield f"off unless named: `--select {page.rule}`"
    if page.rule in CATALOG.preview:
        yield "in preview: counts with `--preview`"


def _rule_row(page: Page) -> str:
    state = " (off)" if page.rule in CATALOG.off else " (preview)" if page.rule in CATALOG.preview else ""
    return (f"| [{page.rule}]({page.rule}.md) | {page.severity.word}{state} | {_scheduler(page.rule)} "
            f"| {_cell(page)} |\n")


def _other_row(page: Page) -> str:
    return f"| [{page.rule}]({page.rule}.md) | {page.severity.word} | {_cell(page)} |\n"


def _scheduler(rule: str) -> str:
    return CATALOG.backends[ONLY[rule]].TITLE if rule in ONLY else "every scheduler"


def _cell(page: Page) -> str:
    return to_markdown(page.summary).strip().replace("|", "\\|")


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    pages = write_pages()
    for path in folder.glob("*.md"):
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
