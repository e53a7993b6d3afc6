"""explain and rules: pages on stdout."""

from pathlib import Path

import pytest
import yaml

from gangform.status.picture import State

MONITORING = Path(__file__).parents[2] / "deploy" / "controller" / "components" / "monitoring"
ALERTS = [
    rule for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text())["spec"]["groups"] for rule in group["rules"]
    if rule["alert"].startswith("Gang") and not rule["alert"].startswith("Gangform")
]


def test_a_rule_has_a_page(run) -> None:
    done = run("explain", "min-member-exceeds-pods")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("min-member-exceeds-pods")


def test_the_list_is_a_table_of_one_line_each(run) -> None:
    lines = run("explain").stdout.splitlines()
    assert lines[0].split() == ["id", "severity", "about"]
    assert any(line.startswith("min-member-exceeds-pods ") for line in lines)
    assert {line.split()[1] for line in lines[1:]} <= {"error", "warning", "note"}


def test_rules_is_explain(run) -> None:
    assert run("rules").stdout == run("explain").stdout


def test_an_exit_code_has_a_page_under_its_name_and_its_number(run) -> None:
    assert run("explain", "exit-3").stdout == run("explain", "3").stdout
    assert run("explain", "3").stdout.startswith("exit-3")


def test_an_id_that_was_mistyped_names_the_nearest(run) -> None:
    done = run("explain", "min-member-exceed-pods")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean min-member-exceeds-pods" in done.stderr


def test_an_unknown_id_says_where_the_list_is(run) -> None:
    assert "gangform explain lists what there is" in run("explain", "zzzzzzzz").stderr


def test_a_state_is_explained_however_it_is_spelt(run) -> None:
    pages = {run("explain", name).stdout for name in ("never-fits", "NeverFits", "neverfits")}
    assert len(pages) == 1
    assert pages.pop().startswith("NeverFits (alarming)\n\nThe gang is larger than the cluster.")


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert["alert"])
def test_an_alert_is_explained_by_the_page_that_it_names(run, alert: dict) -> None:
    named = alert["annotations"]["runbook"].replace("{{ $labels.state | toLower }}", "misconfigured")
    assert run("explain", alert["alert"]).stdout == run(*named.split()[1:]).stdout != ""


@pytest.mark.parametrize("state", State)
def test_an_event_is_explained_by_the_page_of_its_state(run, state: State) -> None:
    assert run("explain", f"Gang{state}").stdout == run("explain", state.value).stdout != ""


def test_states_are_listed(run) -> None:
    lines = run("explain", "states").stdout.splitlines()
    assert lines[0].split() == ["state", "about"]
    assert any(line.startswith("asleep ") and " alarming " in line for line in lines)


def test_a_state_that_was_mistyped_names_the_nearest(run) -> None:
    assert "did you mean asleep" in run("explain", "Aslep").stderr
