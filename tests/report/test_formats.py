"""Findings in the formats of other programs, each read by a consumer's own parser or shape."""

import json
import re
import urllib.parse
from pathlib import PurePosixPath

import junitparser
import pydantic_sarif.model as sarif_model
import pytest

from gangform.model.edit import ABSENT, Edit
from gangform.model.finding import Finding, Location, Severity, Suppressed
from gangform.model.workload import Ref
from gangform.report import github, gitlab, junit, markdown, sarif
from gangform.report.pages import Page, help_uri, to_markdown
from gangform.report.places import rebase
from gangform.report.suggestion import suggest

PI = Ref("kubeflow.org/v2beta1", "MPIJob", "ml", "pi")
AT = ("spec", "runPolicy", "schedulingPolicy", "minAvailable")
POINTER = "/spec/runPolicy/schedulingPolicy/minAvailable"
FOUND = Finding(Location("base/pi.yaml", 14, 21, 14, 23, POINTER, "      minAvailable: 10  # all"), "too-many",
                Severity.ERROR, "minAvailable is 10", "set 9", PI, edit=Edit(AT, 9))
NOTE = Finding(Location("base/pi.yaml", 3, 1, 3, 5), "a-note", Severity.NOTE, "a note")
BUILT = Finding(Location("over/dev (built): PodGroup/pi", pointer="/spec/minMember"), "too-many", Severity.WARNING,
                "minMember is 9", subject=PI._replace(kind="PodGroup"), builds=("over/dev",))
HOSTILE = Finding(Location("a b/%,:\u00e9.yaml", 1, 1, 1, 2, excerpt="x: 1"), "too-many", Severity.WARNING,
                  "100%\r\n::error::x, y: \x1b[2J <b>@all</b> | `*_[]\ufffe\ud800", "::stop-commands::x\nmore", PI)
ALL = (FOUND, NOTE, BUILT, HOSTILE)
PAGES = {"too-many": Page("too-many", Severity.ERROR, "Too many pods.\n\nWhy.\n\nBad::\n\n    a: 1\n\nMend: take ``x`` out.")}
COUNTS = {"jobs": 1, "files": 1}


class TestSarif:
    def log(self, *findings: Finding, suppressed: tuple[Suppressed, ...] = ()) -> dict:
        text = sarif.write(findings, suppressed, PAGES, "1.2.3")
        # Made from the OASIS schema: unknown members, wrong types and missing members are refused.
        sarif_model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate_json(text)
        return json.loads(text)

    def test_a_log_fits_the_schema_of_2_1_0(self) -> None:
        self.log()
        self.log(*ALL)
        self.log(FOUND, suppressed=(Suppressed(NOTE, "annotation", "why"), Suppressed(BUILT, "baseline")))

    def test_the_model_refuses_what_the_standard_refuses(self) -> None:
        text = sarif.write([FOUND], (), PAGES, "1").replace('"ruleId"', '"rule"')
        with pytest.raises(ValueError, match="rule"):
            sarif_model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate_json(text)

    def test_a_result_names_its_rule_place_and_fingerprint(self) -> None:
        run = self.log(NOTE, FOUND)["runs"][0]
        (note, result) = run["results"]
        assert note["level"] == "note"
        rules = run["tool"]["driver"]["rules"]
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "too-many"
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "base/pi.yaml"
        assert place["region"] == {"startLine": 14, "startColumn": 21, "endLine": 14, "endColumn": 23}
        assert result["partialFingerprints"]["gangform/v1"]
        described = next(rule for rule in rules if rule["id"] == "too-many")
        assert described["helpUri"] == help_uri("too-many")
        assert "```yaml\na: 1\n```" in described["help"]["markdown"]

    def test_a_mend_of_one_value_is_a_fix(self) -> None:
        (result,) = self.log(FOUND)["runs"][0]["results"]
        replacement = result["fixes"][0]["artifactChanges"][0]["replacements"][0]
        assert replacement["insertedContent"]["text"] == "9"
        assert replacement["deletedRegion"]["startColumn"] == 21

    def test_suppressed_findings_say_so_and_then_every_result_has_the_member(self) -> None:
        log = self.log(FOUND, suppressed=(Suppressed(NOTE, "annotation", "why"), Suppressed(BUILT, "baseline")))
        assert [result["suppressions"] for result in log["runs"][0]["results"]] == [
            [], [{"kind": "inSource", "justification": "why"}], [{"kind": "external"}]]
        assert "suppressions" not in self.log(FOUND)["runs"][0]["results"][0]

    def test_paths_are_uri_references(self) -> None:
        (result,) = self.log(HOSTILE)["runs"][0]["results"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert urllib.parse.unquote(uri) == HOSTILE.location.path
        assert re.fullmatch(r"[\w./%~-]+", uri)

    def test_no_object_is_empty(self) -> None:
        def walk(value: object) -> None:
            assert value != {}
            for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
                walk(inner)

        walk(self.log(*ALL))
        walk(self.log())

    def test_a_built_value_points_at_the_kustomization_without_a_line(self) -> None:
        (result,) = self.log(BUILT)["runs"][0]["results"]
        place = result["locations"][0]
        assert place["physicalLocation"] == {
            "artifactLocation": {"uri": "over/dev/kustomization.yaml", "uriBaseId": "%SRCROOT%"}}
        assert place["logicalLocations"][0]["fullyQualifiedName"] == "PodGroup/ml/pi#/spec/minMember"


class TestJunit:
    def read(self, *findings: Finding, objects=(("base/pi.yaml", PI),), limit=Severity.ERROR):
        return junitparser.JUnitXml.fromstring(junit.write(findings, objects, limit).encode())

    def test_each_object_is_a_test_case_and_the_sound_ones_pass(self) -> None:
        sound = ("base/e.yaml", PI._replace(name="e"))
        suites = {suite.name: list(suite) for suite in self.read(FOUND, objects=(("base/pi.yaml", PI), sound))}
        (good,), (bad,) = suites["base/e.yaml"], suites["base/pi.yaml"]
        assert (good.name, good.is_passed) == ("MPIJob ml/e", True)
        assert bad.is_failure
        assert bad.result[0].message == "minAvailable is 10"
        assert bad.result[0].type == "too-many"

    def test_findings_below_the_limit_are_output(self) -> None:
        (case,) = next(iter(self.read(FOUND._replace(severity=Severity.WARNING))))
        assert case.is_passed
        assert "minAvailable is 10" in case.system_out
        (case,) = next(iter(self.read(FOUND._replace(severity=Severity.WARNING), limit=Severity.WARNING)))
        assert case.is_failure

    def test_totals_agree_with_the_cases(self) -> None:
        whole = self.read(*ALL)
        cases = [case for suite in whole for case in suite]
        assert (whole.tests, whole.failures) == (len(cases), sum(case.is_failure for case in cases)) == (4, 1)

    def test_what_is_said_of_a_file_is_a_case_of_the_file(self) -> None:
        (case,) = next(iter(self.read(NOTE, objects=())))
        assert case.name == "base/pi.yaml"

    def test_several_faults_are_one_failure_that_counts_them(self) -> None:
        (case,) = next(iter(self.read(FOUND, FOUND._replace(message="again"))))
        (failure,) = case.result
        assert failure.message == "minAvailable is 10 (and 1 more)"
        assert "again" in failure.text


def unescape(text: str) -> str:
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",").replace("%25", "%")


def read_commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """Read workflow commands as the runner does: ::name properties::message."""
    found = []
    for line in text.splitlines():
        if match := re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line):
            properties = dict(pair.split("=", 1) for pair in match[2].split(","))
            found.append((match[1], {key: unescape(value) for key, value in properties.items()}, unescape(match[3])))
    return found


class TestGithub:
    def test_each_finding_is_a_command_at_its_line(self) -> None:
        error, *_ = read_commands(github.write([FOUND, NOTE], COUNTS))
        assert error == ("error", {"file": "base/pi.yaml", "line": "14", "endLine": "14", "col": "21",
                                   "title": "too-many"}, "minAvailable is 10\nset 9")

    def test_severities_are_the_three_commands(self) -> None:
        assert [name for name, _, _ in read_commands(github.write(ALL, COUNTS))] == [
            "error", "warning", "warning", "notice"]

    def test_nothing_in_a_manifest_becomes_a_command_or_leaves_its_property(self) -> None:
        text = github.write([HOSTILE], COUNTS)
        (only,) = text.splitlines()
        ((name, properties, message),) = read_commands(text)
        assert (name, properties["file"]) == ("warning", HOSTILE.location.path)
        assert message.startswith("100%\r\n::error::x, y: \\x1b[2J")
        assert "\x1b" not in only

    def test_more_than_ten_of_a_kind_are_summed_up_and_the_rest_stays_in_the_log(self) -> None:
        many = [FOUND._replace(location=FOUND.location._replace(line=line)) for line in range(1, 26)]
        text = github.write([*many, NOTE], COUNTS)
        commands = read_commands(text)
        assert [name for name, _, _ in commands].count("error") == 10
        assert commands[-1][0] == "notice"
        assert "25 errors, 1 note" in commands[-1][2]
        assert text.count("minAvailable is 10") == 25

    def test_a_crowd_of_notes_leaves_room_for_the_summary(self) -> None:
        many = [NOTE._replace(location=NOTE.location._replace(line=line)) for line in range(1, 26)]
        assert len(read_commands(github.write(many, COUNTS))) == 10


class TestGitlab:
    def read(self, *findings: Finding) -> list[dict]:
        entries = json.loads(gitlab.write(findings))
        for entry in entries:
            assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
            assert entry["severity"] in {"info", "minor", "major", "critical", "blocker"}
            assert entry["location"]["lines"]["begin"] >= 1
            assert not entry["location"]["path"].startswith("./")
        return entries

    def test_entries_have_the_documented_shape(self) -> None:
        assert self.read() == []
        assert [entry["location"]["path"] for entry in self.read(*ALL)] == [
            "base/pi.yaml", "base/pi.yaml", "over/dev/kustomization.yaml", HOSTILE.location.path]

    def test_fingerprints_are_unique_and_do_not_depend_on_lines(self) -> None:
        shifted = FOUND._replace(location=FOUND.location._replace(line=99))
        first, second = (entry["fingerprint"] for entry in self.read(FOUND, shifted))
        assert first != second
        assert self.read(shifted)[0]["fingerprint"] == first


class TestMarkdown:
    ROW = markdown.Row("base/pi.yaml", "ml/pi", "1 Launcher + 8 Worker", 9, {"cpu": "66", "nvidia.com/gpu": "64"})

    def test_the_first_line_is_the_marker_of_the_comment(self) -> None:
        assert markdown.write([], [], COUNTS).splitlines()[0] == "<!-- gangform -->"

    def test_a_job_is_a_row_with_its_gang_and_its_findings(self) -> None:
        text = markdown.write([FOUND, NOTE], [self.ROW], COUNTS)
        assert "| ml/pi | 1 Launcher + 8 Worker | 9 | 66 cpu, 64 nvidia.com/gpu | 1 error |" in text.splitlines()

    def test_a_mend_of_one_value_can_be_committed(self) -> None:
        text = markdown.write([FOUND], [], COUNTS)
        assert "\n  ```suggestion\n        minAvailable: 9  # all\n  ```\n" in text
        assert "suggestion" not in markdown.write([FOUND._replace(edit=None)], [], COUNTS)

    def test_text_of_a_manifest_is_neither_markup_nor_a_mention(self) -> None:
        text = markdown.write([HOSTILE], [self.ROW._replace(name="a|b")], COUNTS)
        assert "<b>" not in text.replace("\\<b\\>", "")
        assert "@all" not in text
        assert "| a\\|b |" in text
        assert "\x1b" not in text

    def test_a_comment_is_never_longer_than_github_takes(self) -> None:
        many = [FOUND._replace(message="x" * 500) for _ in range(1000)]
        text = markdown.write(many, [], COUNTS)
        assert len(text) < 65_536
        assert "would not fit into a comment" in text
        assert "1000 errors" in text


class TestSuggestion:
    @pytest.mark.parametrize(("excerpt", "column", "end", "value", "line"), [
        ("minAvailable: 10", 15, 17, 9, "minAvailable: 9"), ("a: {minAvailable: 10, x: 1}", 19, 21, 9, "a: {minAvailable: 9, x: 1}"),
        ("minAvailable: x # no", 15, 16, "yes", 'minAvailable: "yes" # no'), ("- 10", 3, 5, 9, "- 9"),
    ])
    def test_a_value_is_put_in_the_place_of_the_span(self, excerpt, column, end, value, line) -> None:
        where = FOUND.location._replace(column=column, end_column=end, excerpt=excerpt)
        suggestion = suggest(FOUND._replace(location=where, edit=Edit(AT, value)))
        assert suggestion is not None
        assert suggestion.line == line

    @pytest.mark.parametrize("changed", [
        {"edit": None}, {"edit": Edit(AT, ABSENT)}, {"edit": Edit(AT, {"a": 1})}, {"edit": Edit(AT, "a\nb")},
        {"edit": Edit((*AT, "x"), 9)}, {"location": FOUND.location._replace(end_line=15)},
        {"location": FOUND.location._replace(line=0)},
        {"location": FOUND.location._replace(column=7, end_column=19)},
    ])
    def test_nothing_is_suggested_where_the_mend_is_not_that_value(self, changed) -> None:
        assert suggest(FOUND._replace(**changed)) is None


def test_paths_are_seen_from_the_top_of_the_repository() -> None:
    assert rebase(FOUND, "teams").location.path == "teams/base/pi.yaml"
    assert rebase(FOUND._replace(location=Location("../x.yaml")), "teams/nlp").location.path == "teams/x.yaml"
    assert rebase(FOUND._replace(location=Location("<stdin>")), "teams").location.path == "<stdin>"
    built = rebase(BUILT, "teams")
    assert (built.location.file, built.builds) == ("teams/over/dev/kustomization.yaml", ("teams/over/dev",))
    assert PurePosixPath(built.location.file).name == "kustomization.yaml"


def test_docstrings_become_markdown() -> None:
    assert to_markdown("One ``x``.\n\nBad::\n\n    a:\n      b: 1\n\n    c: 2\n\nGood::\n\n    a: 2\n\nMend: it.") == (
        "One `x`.\n\nBad:\n\n```yaml\na:\n  b: 1\n\nc: 2\n```\n\nGood:\n\n```yaml\na: 2\n```\n\nMend: it.\n")


@pytest.mark.parametrize("text", [
    "::error::x", " ::error::x", "\t\n  ::error::x", "a\n::error::x", "##[error]x", "a ##[add-mask]x", "###[error]x"])
def test_a_line_of_the_log_is_no_command(text: str) -> None:
    said = github.disarm(text)
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in said.splitlines())
    assert said.replace("\\x3a", ":").replace("\\x23", "#") == text


@pytest.mark.parametrize("text", ["a: b::c", "# [x]", "f(::)", "## [x]", "a#[0]"])
def test_other_lines_of_the_log_stay(text: str) -> None:
    assert github.disarm(text) == text
