"""Known findings: what makes one known, what the file holds, and what a run says of it."""

import json

import pytest

from gangform import baseline
from gangform.baseline import Baseline
from gangform.model.errors import InputError
from gangform.model.finding import Finding, Location, Severity
from gangform.model.workload import Ref

PI = Ref("kubeflow.org/v2beta1", "MPIJob", "", "pi")


def finding(path: str = "base/pi.yaml", line: int = 3, rule: str = "too-many", pointer: str = "/spec/x",
            message: str = "minAvailable is 9 of 5", subject: Ref | None = PI) -> Finding:
    return Finding(Location(path, line, 1, line, 2, pointer), rule, Severity.ERROR, message, subject=subject)


def known(*findings: Finding, folder: str = ".") -> Baseline:
    return baseline.read("x", baseline.write(baseline.collect(findings, "gangform validate .", folder)))


@pytest.mark.parametrize("changed", [
    finding(line=30), finding(message="minAvailable is 8 of 5"), finding(message="other words"),
])
def test_a_finding_stays_known_when_lines_numbers_and_words_change(changed: Finding) -> None:
    assert baseline.compare([changed], known(finding()), ".") == ((), (changed,), ())


@pytest.mark.parametrize("other", [
    finding(path="base/other.yaml"), finding(rule="too-few"), finding(pointer="/spec/y"),
    finding(subject=PI._replace(name="e")), finding(subject=PI._replace(namespace="ml")), finding(subject=None),
])
def test_another_rule_file_object_or_place_in_it_is_new(other: Finding) -> None:
    compared = baseline.compare([other], known(finding()), ".")
    assert (compared.new, compared.known, len(compared.gone)) == ((other,), (), 1)


def test_of_equal_findings_only_as_many_as_were_known_are_known() -> None:
    two, three = [finding(line=1), finding(line=2)], [finding(line=1), finding(line=2), finding(line=3)]
    assert baseline.compare(three, known(*two), ".").new == (three[2],)
    assert baseline.compare(two[:1], known(*two), ".") == ((), (two[0],), ())


def test_paths_are_relative_to_the_file_so_that_it_serves_in_every_folder() -> None:
    known_above = known(finding("base/pi.yaml"))
    assert baseline.compare([finding("pi.yaml")], known(finding("pi.yaml"), folder="."), ".").new == ()
    assert baseline.compare([finding("teams/base/pi.yaml")], known_above, "teams").new == ()
    assert baseline.compare([finding("<stdin>")], known(finding("<stdin>")), "teams").new == ()


def test_the_file_is_sorted_and_says_what_is_known_without_absolute_paths() -> None:
    text = baseline.write(baseline.collect(
        [finding("b.yaml"), finding("a.yaml"), finding("a.yaml", rule="more")], "gangform validate .", "."))
    whole = json.loads(text)
    assert text.endswith("}\n")
    assert (whole["version"], whole["command"]) == (1, "gangform validate .")
    assert [(one["path"], one["rule"], one["subject"], one["pointer"], one["times"]) for one in whole["findings"]] == [
        ("a.yaml", "more", "MPIJob pi", "/spec/x", 1), ("a.yaml", "too-many", "MPIJob pi", "/spec/x", 1),
        ("b.yaml", "too-many", "MPIJob pi", "/spec/x", 1)]
    assert len({one["fingerprint"] for one in whole["findings"]}) == 3


def test_the_order_of_findings_does_not_show_in_the_file() -> None:
    findings = [finding("b.yaml"), finding("a.yaml"), finding("a.yaml", pointer="/spec/y")]
    assert baseline.collect(findings, "", ".") == baseline.collect(findings[::-1], "", ".")


@pytest.mark.parametrize(("text", "said"), [
    ("{", "is not JSON"), ("[]", "no baseline of version 1"), ('{"version": 2}', "its version is 2"),
    ('{"version": 1}', "is no baseline"), ('{"version": 1, "command": "x", "findings": [1]}', "is no baseline"),
    ('{"version": 1, "command": "x", "findings": [{"rule": "x"}]}', "is no baseline"),
    (('{"version": 1, "command": "x", "findings": [{"fingerprint": "x", "rule": "x", "path": "x", "subject": "", '
      '"pointer": "", "times": 0}]}'), "is no baseline"),
])
def test_a_file_that_is_no_baseline_is_one_message(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as raised:
        baseline.read("known.json", text)
    assert raised.value.message.startswith("known.json ")
    assert "--write-baseline" in raised.value.hint


def test_a_file_that_is_nested_beyond_measure_is_one_clear_error() -> None:
    with pytest.raises(InputError, match=r"deep\.json is not JSON"):
        baseline.read("deep.json", "[" * 200_000)
