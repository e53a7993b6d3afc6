"""The alert rules of deploy/controller, run by promtool over made-up series; no control plane is needed."""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

from cluster.programs import NotBuiltError, built
from gangform.status.picture import ALARMING, State

MONITORING = Path(__file__).resolve().parents[2] / "deploy/controller/components/monitoring"
UP = {"series": 'up{job="gangform-controller"}', "values": "1x1000"}
FIRING = 'ALERTS{alertstate="firing"}'

Promtool = Callable[..., str]


@pytest.fixture
def promtool(tmp_path: Path) -> Promtool:
    """Run promtool beside ``alerts.yaml``, the group as Prometheus reads it; a complaint of promtool's is a failure."""
    try:
        program = built("prometheus", "promtool")
    except NotBuiltError as error:
        if os.environ.get("GANGFORM_REQUIRE_CLUSTER") == "1":
            pytest.fail(f"{error} (GANGFORM_REQUIRE_CLUSTER=1)", pytrace=False)
        pytest.skip(str(error))
    rule = yaml.safe_load((MONITORING / "alerts.yaml").read_text(encoding="utf-8"))
    (tmp_path / "alerts.yaml").write_text(yaml.safe_dump(rule["spec"]))

    def run(*arguments: str) -> str:
        done = subprocess.run([program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def gangs(values: str, state: str = "Partial", **labels: str) -> dict[str, str]:
    """A series of ``gangform_gangs``, a sample per minute."""
    said = {"state": state, "backend": "volcano", "namespace": "nlp", "queue": "research"} | labels
    listed = ", ".join(f'{key}="{value}"' for key, value in said.items())
    return {"series": f"gangform_gangs{{{listed}}}", "values": values}


def waits(values: str, state: str = "Queued") -> dict[str, str]:
    return {"series": f'gangform_longest_wait_seconds{{state="{state}", namespace="nlp"}}', "values": values}


def firing(promtool: Promtool, folder: Path, series: Iterable[dict[str, str]], wanted: dict[str, set[str]]) -> None:
    """Hold what fires at each time against the names that are wanted then."""
    looks = [
        {"expr": f"count by (alertname) ({FIRING})", "eval_time": when, "exp_samples": [
            {"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(names)
        ]} for when, names in wanted.items()
    ]
    check(promtool, folder, series, promql_expr_test=looks)


def check(promtool: Promtool, folder: Path, series: Iterable[dict[str, str]], **tests: Any) -> None:
    (folder / "test.yaml").write_text(yaml.safe_dump({
        "rule_files": ["alerts.yaml"], "evaluation_interval": "1m",
        "tests": [{"interval": "1m", "input_series": list(series), **tests}],
    }))
    promtool("test", "rules", "test.yaml")


def test_promtool_accepts_the_rules_and_every_expression_of_the_dashboard(promtool: Promtool, tmp_path: Path) -> None:
    dashboard = json.loads((MONITORING / "dashboard.json").read_text(encoding="utf-8"))
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    records = [
        {"record": f"panel:{number}", "expr": re.sub(r"\$__rate_interval", "5m", text)}
        for number, text in enumerate(expressions)
    ]
    (tmp_path / "dashboard.yaml").write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": records}]}))
    said = promtool("check", "rules", "--lint=all", "--lint-fatal", "alerts.yaml", "dashboard.yaml")
    assert f"{len(expressions)} rules found" in said


@pytest.mark.parametrize("state", sorted(ALARMING))
def test_every_alarming_state_fires_once_it_lasts(promtool: Promtool, tmp_path: Path, state: State) -> None:
    rule = yaml.safe_load((tmp_path / "alerts.yaml").read_text())
    [alert] = [one["alert"] for one in rule["groups"][0]["rules"] if re.search(rf"\b{state}\b", one["expr"])]
    firing(promtool, tmp_path, [UP, gangs("0x9 1x40", state)], {"11m": set(), "27m": {alert}})


def test_a_state_that_passes_by_fires_nothing(promtool: Promtool, tmp_path: Path) -> None:
    short = [gangs("0x4 1x0 0x60" if state is State.ASLEEP else "0x4 1x3 0x60", state) for state in ALARMING]
    firing(promtool, tmp_path, [UP, *short], {f"{minute}m": set() for minute in range(60)})


def test_a_gang_that_sleeps_as_long_as_its_scheduler_lets_it_fires(promtool: Promtool, tmp_path: Path) -> None:
    firing(promtool, tmp_path, [UP, gangs("0x4 1x3 0x60", State.ASLEEP)], {"6m": set(), "8m": {"GangWaitingBesideFreeCapacity"}})


def test_gangs_that_run_start_or_wait_for_a_while_fire_nothing(promtool: Promtool, tmp_path: Path) -> None:
    calm = [gangs("3x60", state) for state in State if state not in ALARMING]
    waiting = [waits("0+60x60"), waits("0+90000x60", "Starting")]
    firing(promtool, tmp_path, [UP, *calm, *waiting], {"30m": set(), "60m": set()})


def test_a_gang_that_is_queued_for_hours_fires(promtool: Promtool, tmp_path: Path) -> None:
    firing(promtool, tmp_path, [UP, waits("0+60x400")], {"3h50m": set(), "4h10m": {"GangQueuedTooLong"}})


@pytest.mark.parametrize("up", [[], [UP | {"values": "0x60"}]], ids=["no target", "no answer"])
def test_a_controller_that_does_not_answer_fires(promtool: Promtool, tmp_path: Path, up: list[dict[str, str]]) -> None:
    firing(promtool, tmp_path, up, {"5m": set(), "15m": {"GangformControllerDown"}})


@pytest.mark.parametrize(("series", "alert"), [
    ('gangform_writes_total{what="event", outcome="refused"}', "GangformWritesRefused"),
    ("gangform_errors_total", "GangformCannotJudge"),
])
def test_what_the_controller_cannot_do_fires_as_long_as_it_goes_on(
    promtool: Promtool, tmp_path: Path, series: str, alert: str,
) -> None:
    grows = {"series": series, "values": "0+1x40 40x40"}
    firing(promtool, tmp_path, [UP, grows], {"5m": set(), "30m": {alert}, "75m": set()})


def test_writes_that_arrive_or_fail_for_a_while_fire_nothing(promtool: Promtool, tmp_path: Path) -> None:
    series = [{"series": f'gangform_writes_total{{what="event", outcome="{outcome}"}}', "values": "0+9x60"}
              for outcome in ("done", "gone", "failed")]
    firing(promtool, tmp_path, [UP, *series], {"30m": set(), "60m": set()})


def test_an_alert_goes_on_when_the_controllers_pod_is_another_one(promtool: Promtool, tmp_path: Path) -> None:
    before, after = gangs("1x10 stale", pod="controller-a"), gangs("_x10 1x20", pod="controller-b")
    firing(promtool, tmp_path, [UP, before, after], {f"{minute}m": {"GangPartial"} for minute in range(6, 30)})


def test_two_controllers_that_see_the_same_gangs_count_them_once_and_the_alert_says_where_to_look(
    promtool: Promtool, tmp_path: Path
) -> None:
    series = [gangs("2x20", "Stale", pod="a"), gangs("2x20", "Stale", pod="b")]
    labels = {"severity": "warning", "state": "Stale", "namespace": "nlp", "queue": "research", "backend": "volcano"}
    rules = yaml.safe_load((tmp_path / "alerts.yaml").read_text())["groups"][0]["rules"]
    said = next(rule["annotations"] for rule in rules if rule["alert"] == "GangMisconfigured")
    wanted = said | {
        "summary": "Gangs in nlp cannot start as they are configured (Stale): 2", "runbook": "gangform explain stale",
    }
    check(promtool, tmp_path, [UP, *series], alert_rule_test=[{
        "eval_time": "10m", "alertname": "GangMisconfigured",
        "exp_alerts": [{"exp_labels": labels, "exp_annotations": wanted}],
    }])
