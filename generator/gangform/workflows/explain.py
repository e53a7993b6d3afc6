"""Pages about ids, states, exit codes and words; from the rules' docstrings and the other modules' tables."""

import difflib
from collections.abc import Iterator, Mapping

from gangform import pipeline, schema, suppression
from gangform.catalog import CATALOG
from gangform.model.finding import Code
from gangform.overlay import adoption
from gangform.report.pages import Page
from gangform.status import pages as states
from gangform.text import reading
from gangform.workflows import codes

EXIT_CODES: Mapping[str, str] = {
    "exit-0": "Clean.",
    "exit-1": "Findings at or above --fail-on (default error), overlays that are not fresh, or gangs that need "
              "somebody.",
    "exit-2": "Wrong usage or settings, input that cannot be read, or nothing to work on.",
    "exit-3": "A needed program is missing, failed or timed out, or the cluster is out of reach.",
    "exit-70": "A defect in gangform; it prints a report that can be pasted into an issue.",
}


def explain(name: str) -> str | None:
    """Return the page of a rule, another id, a state of a gang, an event, an alert or an exit code; None of others."""
    if name in CATALOG.rules:
        rule = CATALOG.rules[name]
        return f"{name} ({rule.SEVERITY.word})\n\n{(rule.__doc__ or '').strip()}\n"
    codes = _codes()
    if name in codes:
        return f"{name} ({codes[name].severity.word})\n\n{codes[name].text.strip()}\n"
    state = states.find(name) or states.announced(name)
    if state is not None:
        return f"{state} ({states.weight(state)})\n\n{states.write(state)}"
    code = f"exit-{name}" if name.isdigit() else name
    if code in EXIT_CODES:
        return f"{code}\n\n{EXIT_CODES[code]}\n"
    return None


def pages() -> dict[str, Page]:
    """Return the documentation of every id, sorted."""
    rules = {name: Page(name, rule.SEVERITY, (rule.__doc__ or "").strip()) for name, rule in CATALOG.rules.items()}
    codes = {name: Page(name, code.severity, code.text.strip()) for name, code in _codes().items()}
    return dict(sorted({**rules, **codes}.items()))


def listing() -> tuple[tuple[str, str, str], ...]:
    """Return (id, severity, one line) of everything that can be reported, sorted."""
    return tuple(sorted(_listing()))


def states_listing() -> tuple[tuple[str, str, str], ...]:
    """Return (name, how much it matters, one line) of every state of a gang, in the order of their pages."""
    return tuple((states.slug(state), states.weight(state), states.summary(state)) for state in states.PAGES)


def _listing() -> Iterator[tuple[str, str, str]]:
    for name, rule in CATALOG.rules.items():
        yield name, rule.SEVERITY.word, (rule.__doc__ or "").strip().splitlines()[0]
    for name, code in _codes().items():
        yield name, code.severity.word, code.text.strip().splitlines()[0]


def suggest(name: str) -> list[str]:
    """Return ids that may have been meant, best first."""
    known = [entry[0] for entry in listing()] + [states.slug(state) for state in states.PAGES] + list(EXIT_CODES)
    return difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)


def _codes() -> dict[str, Code]:
    tables = [reading.CODES, schema.CODES, pipeline.CODES, suppression.CODES, adoption.CODES]
    tables += [codes.CODES, *(kind.CODES for kind in CATALOG.kinds.values())]
    return {name: code for table in tables for name, code in table.items()}
