"""Which ids count: the command line, the settings by path, and what is off or in preview."""

import pytest

from gangform.catalog import CATALOG
from gangform.model.finding import Finding, Location, Severity
from gangform.selection import EVERYTHING, UNREADABLE, Selection, narrow, previews, settle, unknown
from gangform.settings import RulesAt, Settings
from gangform.workflows import explain

NO_SETTINGS = Settings()
ONE, OTHER = "min-member-exceeds-pods", "partial-binding"


def finding(rule: str = ONE, path: str = "teams/nlp/base/pi.yaml", builds: tuple[str, ...] = ()) -> Finding:
    return Finding(Location(path, 3, 1, 3, 2), rule, Severity.ERROR, "wrong", builds=builds)


def counted(found: Finding, selection: Selection = EVERYTHING, settings: Settings = NO_SETTINGS, catalog=CATALOG):
    return [one.severity for one in settle([found], selection, settings, catalog)]


@pytest.mark.parametrize(("select", "ignore", "counts"), [
    ((), (), True), ((ONE,), (), True), ((OTHER,), (), False), (("min-member-*",), (), True),
    (("*-binding",), (), False), ((), (ONE,), False), ((), ("min-*",), False), ((), (OTHER,), True),
    ((ONE,), (ONE,), False), ((ONE, OTHER), (OTHER,), True),
])
def test_ids_and_globs_choose_what_counts_and_ignore_wins(select, ignore, counts) -> None:
    assert bool(counted(finding(), Selection(select, ignore))) is counts


@pytest.mark.parametrize("rule", sorted(UNREADABLE))
def test_what_could_not_be_read_is_not_hidden_by_selecting_other_ids(rule: str) -> None:
    assert rule in explain.pages()
    assert counted(finding(rule), Selection((ONE,)))
    assert not counted(finding(rule), Selection((), (rule,)))


def test_an_unknown_id_is_named_with_its_nearest() -> None:
    known = [ONE, OTHER]
    assert list(unknown((ONE, "min-*"), known)) == []
    assert list(unknown(("min-member-exceed-pods", "zzz", "zzz-*"), known)) == [
        ("min-member-exceed-pods", ONE), ("zzz", ""), ("zzz-*", "")]


@pytest.mark.parametrize(("pattern", "matched"), [
    ("**", True), ("teams/**", True), ("teams/nlp/**", True), ("teams/*/base/*.yaml", True), ("teams/*", False),
    ("*.yaml", False), ("**/*.yaml", True), ("**/base/**", True), ("teams/cv/**", False),
    ("teams/nlp/base/pi.yaml", True), ("./teams/nlp/base/pi.yaml", True), ("teams/**/pi.yaml", True),
    ("teams/nlp/base/pi.yaml/**", True), ("teams/n[lm]p/**", True),
])
def test_a_star_is_one_segment_and_two_are_any(pattern: str, matched: bool) -> None:
    settings = Settings(rules=(RulesAt((pattern,), frozenset({ONE})),))
    assert bool(counted(finding(), settings=settings)) is not matched


def test_a_path_means_the_file_or_the_build_that_shows_the_finding() -> None:
    off = Settings(rules=(RulesAt(("overlays/dev/**",), frozenset({ONE})),))
    assert not counted(finding(builds=("overlays/dev",)), settings=off)
    assert counted(finding(builds=("overlays/prod",)), settings=off)
    assert not counted(finding(path="overlays/dev (built): PodGroup/pi"), settings=off)


def test_paths_are_relative_to_the_settings() -> None:
    off = Settings(folder="teams", rules=(RulesAt(("nlp/**",), frozenset({ONE})),))
    assert not counted(finding(), settings=off)


def test_of_two_entries_the_later_wins() -> None:
    off = RulesAt(("**",), frozenset({ONE}))
    note = RulesAt(("teams/nlp/**",), severity={ONE: Severity.NOTE})
    assert counted(finding(), settings=Settings(rules=(off, note))) == [Severity.NOTE]
    assert counted(finding(), settings=Settings(rules=(note, off))) == []


def test_what_is_off_counts_only_when_it_is_spelt_out() -> None:
    catalog = CATALOG._replace(off=frozenset({ONE}))
    assert ONE not in narrow(catalog, Selection(), Settings()).rules
    assert ONE not in narrow(catalog, Selection(("min-member-*",)), Settings()).rules
    assert ONE in narrow(catalog, Selection((ONE,)), Settings()).rules
    here = Settings(rules=(RulesAt(("teams/nlp/**",), severity={ONE: Severity.WARNING}),))
    assert ONE in narrow(catalog, Selection(), here).rules
    assert counted(finding(), settings=here, catalog=catalog) == [Severity.WARNING]
    assert counted(finding(path="teams/cv/pi.yaml"), settings=here, catalog=catalog) == []


def test_a_preview_counts_only_when_it_is_asked_for_and_is_otherwise_run_apart() -> None:
    catalog = CATALOG._replace(preview=frozenset({ONE}))
    assert ONE not in narrow(catalog, Selection(), Settings()).rules
    assert set(previews(catalog, Selection(), Settings()).rules) == {ONE}
    assert set(previews(catalog, Selection(ignore=("min-*",)), Settings()).rules) == set()
    asked = Selection(preview=True)
    assert ONE in narrow(catalog, asked, Settings()).rules
    assert not previews(catalog, asked, Settings()).rules
    assert counted(finding(), asked, catalog=catalog) == [Severity.ERROR]
    assert counted(finding(), catalog=catalog) == []
    assert counted(finding(), Selection((ONE,)), catalog=catalog) == [Severity.ERROR]


def test_a_rule_that_is_ignored_still_speaks_instead_of_a_weaker_one() -> None:
    catalog = CATALOG._replace(yields={OTHER: frozenset({ONE})})
    assert set(narrow(catalog, Selection((OTHER,)), Settings()).rules) == {ONE, OTHER}
    assert set(narrow(catalog, Selection(ignore=("*",)), Settings()).rules) == set()
