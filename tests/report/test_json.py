"""The envelope that programs read."""

import json

import jsonschema
import pytest

from gangform import schema
from gangform.model.edit import Edit
from gangform.model.finding import Finding, Location, Severity, Suppressed
from gangform.model.fingerprint import fingerprint
from gangform.model.workload import Ref
from gangform.report.json import envelope

FOUND = Finding(
    Location("base/pi.yaml", 14, 21, 14, 23, "/spec/x", "      x: 10"), "min-member-exceeds-pods", Severity.ERROR,
    "too many\x1b", "set 9", Ref("kubeflow.org/v2beta1", "MPIJob", "ml", "pi"), ("dev", "prod"))


def test_a_finding_carries_everything_a_program_needs() -> None:
    whole = json.loads(envelope([FOUND], {"files": 1, "jobs": 2}, {}))
    assert whole == {
        "version": 1,
        "summary": {"errors": 1, "warnings": 0, "notes": 0, "files": 1, "jobs": 2},
        "findings": [{
            "rule": "min-member-exceeds-pods", "severity": "error", "message": "too many\x1b", "hint": "set 9",
            "path": "base/pi.yaml", "line": 14, "column": 21, "endLine": 14, "endColumn": 23, "pointer": "/spec/x",
            "subject": {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "namespace": "ml", "name": "pi"},
            "builds": ["dev", "prod"], "fingerprint": fingerprint(FOUND), "suggestion": None,
        }],
        "suppressed": [],
    }


def test_missing_places_and_subjects_are_null_and_never_absent() -> None:
    found = json.loads(envelope([FOUND._replace(location=Location("a"), subject=None, builds=())], {}, {}))
    only = found["findings"][0]
    assert [only[key] for key in ("line", "column", "endLine", "endColumn", "subject")] == [None] * 5
    assert only["builds"] == []


def test_a_command_adds_its_own_parts() -> None:
    assert json.loads(envelope([], {}, {"mend": "gangform render"}))["mend"] == "gangform render"


def test_control_characters_never_reach_the_terminal_raw() -> None:
    assert "\x1b" not in envelope([FOUND], {}, {})


def test_lone_surrogates_can_be_written() -> None:
    assert envelope([FOUND._replace(message="\udcff")], {}, {}).encode()


def test_a_mend_of_one_value_is_a_suggestion() -> None:
    mend = FOUND._replace(edit=Edit(("spec", "x"), 9), location=FOUND.location._replace(column=10, end_column=12))
    assert json.loads(envelope([mend], {}, {}))["findings"][0]["suggestion"] == "9"


def test_suppressed_findings_stand_apart_with_origin_and_reason() -> None:
    suppressed = (Suppressed(FOUND, "annotation", "why"), Suppressed(FOUND, "baseline"))
    whole = json.loads(envelope([], {}, {}, suppressed))
    assert [one["suppression"] for one in whole["suppressed"]] == [
        {"origin": "annotation", "reason": "why"}, {"origin": "baseline", "reason": ""}]
    assert len({one["fingerprint"] for one in whole["suppressed"]}) == 2


COUNTS = dict.fromkeys(("files", "jobs", "groups", "builds", "patches", "templated"), 0)


def test_the_envelope_fits_its_published_schema() -> None:
    published = schema.load("gangform.dev/report_v1")
    fit = jsonschema.Draft7Validator(published)
    jsonschema.Draft7Validator.check_schema(published)
    text = envelope([FOUND, FOUND._replace(location=Location("a"), subject=None)], COUNTS, {"mend": ""},
                    [Suppressed(FOUND, "annotation", "why")])
    assert list(fit.iter_errors(json.loads(text))) == []


@pytest.mark.parametrize("member", ["rule", "line", "subject", "fingerprint"])
def test_the_published_schema_notices_a_member_that_is_missing(member: str) -> None:
    whole = json.loads(envelope([FOUND], COUNTS, {}))
    del whole["findings"][0][member]
    assert list(jsonschema.Draft7Validator(schema.load("gangform.dev/report_v1")).iter_errors(whole))
