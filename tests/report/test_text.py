"""What a person reads: golden strings."""

import pytest

from gangform.model.edit import Edit
from gangform.model.finding import Finding, Location, Severity
from gangform.model.workload import Ref
from gangform.report import text

JOB = Ref("kubeflow.org/v2beta1", "MPIJob", "ml", "pi")


def at(path: str = "base/pi.yaml", line: int = 14, column: int = 21, end: int = 23,
       excerpt: str = "      minAvailable: 10") -> Location:
    return Location(path, line, column, line, end, "/spec", excerpt)


def finding(location: Location | None = None, severity: Severity = Severity.ERROR, **more: object) -> Finding:
    given = {"rule": "min-member-exceeds-pods", "message": "minAvailable is 10 but the job has 9 pods", **more}
    return Finding(location or at(), severity=severity, **given)  # type: ignore[arg-type]


def caret(location: Location) -> tuple[str, str]:
    """The source line and the caret line, each without its gutter."""
    lines = text.listing([finding(location)]).splitlines()
    return lines[1].partition("| ")[2], lines[2].partition("| ")[2]


def test_a_finding_shows_place_message_line_caret_and_hint() -> None:
    shown = text.listing([finding(hint="set 9, or delete the line")])
    assert shown == (
        "base/pi.yaml:14:21: error: minAvailable is 10 but the job has 9 pods [min-member-exceeds-pods]\n"
        "   14 |       minAvailable: 10\n"
        "      |                     ^^\n"
        "  hint: set 9, or delete the line\n")


def test_a_hint_of_several_lines_stays_indented() -> None:
    shown = text.listing([finding(Location("a.yaml"), hint="write\nspec: x")])
    assert shown.endswith("  hint: write\n        spec: x\n")


def test_a_value_without_an_author_line_is_named_by_object_and_pointer() -> None:
    shown = text.listing([finding(Location("overlays/dev (built)", pointer="/spec/minMember"), subject=JOB)])
    assert shown == ("overlays/dev (built): MPIJob/pi /spec/minMember: error: "
                     "minAvailable is 10 but the job has 9 pods [min-member-exceeds-pods]\n")


def test_a_finding_on_a_whole_file_is_named_by_its_path_alone() -> None:
    assert text.listing([finding(Location("a.yaml"))]).startswith("a.yaml: error: ")


def test_builds_are_counted_and_the_first_three_named() -> None:
    shown = text.listing([finding(Location("a.yaml"), builds=("dev", "eu", "prod", "test"))])
    assert "9 pods (4 builds: dev, eu, prod, …) [min" in shown


def test_the_caret_stands_under_the_value_after_tabs() -> None:
    line, mark = caret(at(excerpt="\tke:\tvalue", column=6, end=11))
    assert line == "    ke: value"
    assert line.index("value") == mark.index("^")
    assert mark.strip() == "^^^^^"


def test_the_caret_counts_wide_characters_twice_and_combining_ones_not_at_all() -> None:
    line, mark = caret(at(excerpt="名: e\u0301 x", column=7, end=8))
    assert line == "名: e\u0301 x"
    assert mark == "      ^"  # two cells for 名, none for the accent


def test_a_wide_value_has_a_caret_of_its_full_width() -> None:
    assert caret(at(excerpt="k: 名前", column=4, end=6))[1] == "   ^^^^"


def test_a_span_over_several_lines_is_marked_to_the_end_of_its_first() -> None:
    assert caret(Location("a.yaml", 3, 4, 9, 1, "", "k: |"))[1] == "   ^"


def test_an_empty_span_is_marked_by_one_caret() -> None:
    assert caret(at(excerpt="key:", column=5, end=5))[1] == "    ^"


def test_a_place_beyond_the_line_is_marked_at_its_end() -> None:
    assert caret(at(excerpt="key:", column=99, end=120))[1] == "    ^"


@pytest.mark.parametrize("column", [1, 40, 300, 590])
def test_a_long_line_is_cut_around_the_caret(column: int) -> None:
    excerpt = "".join(chr(97 + number % 26) for number in range(600))
    line, mark = caret(at(excerpt=excerpt, column=column, end=column + 5))
    assert len(line) == 100
    assert line[mark.index("^"):].startswith(excerpt[column - 1:column + 4])
    assert line.startswith("…") == (column > 26)
    assert line.endswith("…") == (column < 500)


def test_a_long_line_of_wide_characters_keeps_the_caret_in_place() -> None:
    excerpt = "名" * 200 + "x" + "前" * 100
    line, mark = caret(at(excerpt=excerpt, column=201, end=202))
    assert "x" in line
    before = line[:line.index("x")]
    assert sum(2 if char in "名前" else 1 for char in before) == mark.index("^")


def test_terminal_escapes_of_the_input_are_spelled_out() -> None:
    shown = text.listing([finding(
        at(path="a\x1b[2J.yaml", excerpt="k: \x1b]0;x\x07", column=4, end=9), message="is \x1b[31m\nred\u202e",
        hint="\x9b1m", builds=("\x1b",))])
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\x9b" not in shown
    assert "\u202e" not in shown
    assert "a\\x1b[2J.yaml:14:4: error: is \\x1b[31m\\nred\\u202e" in shown


def test_lone_surrogates_can_be_printed() -> None:
    text.listing([finding(Location("a\udcff.yaml"))]).encode()


def many(number: int) -> list[Finding]:
    levels = (Severity.NOTE, Severity.WARNING, Severity.ERROR)
    return [finding(at(line=line), levels[line % 3], rule=f"rule-{line % 3}") for line in range(1, number + 1)]


def test_up_to_twenty_findings_keep_their_order_and_their_lines() -> None:
    shown = text.listing(many(20)).splitlines()
    assert len(shown) == 60
    assert shown[0].startswith("base/pi.yaml:1:")


def test_above_twenty_findings_errors_come_first_one_line_each_and_notes_are_hidden() -> None:
    shown = text.listing(many(21)).splitlines()
    assert len(shown) == 14
    assert ["error:" in line for line in shown] == [True] * 7 + [False] * 7
    assert not any("note:" in line for line in shown)


def test_hidden_notes_are_shown_on_demand() -> None:
    assert len(text.listing(many(21), show_notes=True).splitlines()) == 21


def test_the_tally_has_a_row_per_rule_with_files_and_safe_mends() -> None:
    mend = Edit(("spec",), 1)
    rows = text.tally([
        finding(rule="b", edit=mend), finding(rule="b"), finding(at("c.yaml"), rule="b"),
        finding(rule="a", severity=Severity.WARNING), finding(rule="z")])
    assert [tuple(row) for row in rows] == [
        ("b", Severity.ERROR, 3, 2, 1), ("z", Severity.ERROR, 1, 1, 0), ("a", Severity.WARNING, 1, 1, 0)]


def test_a_clean_run_says_what_was_looked_at() -> None:
    assert text.summary([], {"jobs": 3, "files": 3}) == "3 MPIJobs in 3 files: no findings."


def test_a_clean_run_counts_groups_builds_patches_and_templates() -> None:
    counts = {"jobs": 1, "files": 9, "groups": 2, "builds": 1, "patches": 2, "templated": 1}
    assert text.summary([], counts) == ("1 MPIJob in 9 files, 2 PodGroups, 1 build, 2 patches seen only through "
                                        "builds, 1 left alone as templates: no findings.")


def test_a_run_without_jobs_does_not_claim_that_they_are_sound() -> None:
    assert text.summary([], {"jobs": 0, "files": 2}) == "no MPIJobs in 2 files: nothing to check."


def test_jobs_that_were_seen_only_in_builds_are_in_no_file() -> None:
    assert text.summary([], {"jobs": 2, "files": 0, "builds": 1}) == "2 MPIJobs, 1 build: no findings."


def test_the_summary_counts_and_says_how_to_learn_more() -> None:
    assert text.summary([finding()], {"jobs": 1, "files": 1}) == (
        "1 error in 1 file. Explain: gangform explain min-member-exceeds-pods")


def test_the_summary_explains_the_worst_rule() -> None:
    found = [finding(severity=Severity.NOTE, rule="n"), finding(at("b.yaml"), Severity.WARNING, rule="w"),
             finding(at("b.yaml"), Severity.WARNING, rule="w")]
    assert text.summary(found, {}) == "2 warnings, 1 note in 2 files. Explain: gangform explain w"


def test_the_summary_of_many_says_what_was_read_and_that_notes_are_hidden() -> None:
    assert text.summary(many(21), {"jobs": 40, "files": 50}) == (
        "Read: 40 MPIJobs in 50 files.\n"
        "7 errors, 7 warnings, 7 notes in 1 file (notes hidden: --show-notes). Explain: gangform explain rule-2")
    assert "hidden" not in text.summary(many(21), {}, show_notes=True)


def test_style_is_told_the_role_of_each_part() -> None:
    shown = text.listing([finding(hint="h")], lambda part, role: f"<{role}:{part}>")
    assert "<place:base/pi.yaml:14:21:> <error:error:> " in shown
    assert "<rule:[min-member-exceeds-pods]>" in shown
    assert "<error:^^>" in shown


def test_a_diff_is_made_safe_line_by_line_and_keeps_its_tabs() -> None:
    assert text.diff("--- a\n+++ b\n@@ -1 +1 @@\n-\tx\x1b\n+y\x0c\n z\n") == (
        "--- a\n+++ b\n@@ -1 +1 @@\n-\tx\\x1b\n+y\\x0c\n z\n")


def test_a_diff_paints_added_and_removed_lines() -> None:
    assert text.diff("-a\n+b\n c\n", lambda part, role: f"<{role}:{part}>") == "<removed:-a>\n<added:+b>\n c\n"
