"""status: what it prints from a dump, on which stream, and with which exit code."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

ALL = {"wav2vec": "NoScheduler", "yolo": "QuotaRefused", "bert-large": "Queued", "llama": "Running",
       "ppo": "Ungrouped", "resnet-r3": "NeverFits"}

Dump = Callable[..., Path]


def states(text: str) -> dict[str, str]:
    return {one["name"]: one["state"] for one in json.loads(text)["gangs"]}


def test_the_table_has_a_row_for_each_gang_and_a_last_line_that_counts_them(run, dump: Dump) -> None:
    dump()
    lines = run("status", "--from", "dump.json").stdout.splitlines()
    assert lines[0].split() == ["NAMESPACE", "JOB", "STATE", "SINCE", "PODS", "BOUND", "WHY"]
    assert {line.split()[1]: line.split()[2] for line in lines[1:-1]} == ALL
    assert lines[-1].startswith("6 gangs: 1 running, 1 queued (8 nvidia.com/gpu short), 4 to look at. Cluster: ")


def test_columns_stand_below_their_headings(run, dump: Dump) -> None:
    dump()
    lines = run("status", "--from", "dump.json").stdout.splitlines()
    at = lines[0].index("WHY")
    assert all(line[at - 1] == " " and line[at] != " " for line in lines[1:-1])


def test_a_gang_that_needs_somebody_makes_the_exit_code_1_and_none_makes_it_0(run, dump: Dump) -> None:
    dump()
    assert run("status", "--from", "dump.json").returncode == 1
    dump("nlp")
    assert run("status", "--from", "dump.json").returncode == 0


def test_only_what_is_shown_counts_for_the_exit_code(run, dump: Dump) -> None:
    dump()
    assert run("status", "--from", "dump.json", "--state", "queued").returncode == 0
    assert run("status", "--from", "dump.json", "-n", "nlp").returncode == 0
    assert run("status", "--from", "dump.json", "-n", "cv").returncode == 1


def test_a_namespace_needs_no_column(run, dump: Dump) -> None:
    dump()
    lines = run("status", "--from", "dump.json", "-n", "nlp").stdout.splitlines()
    assert lines[0].split()[0] == "JOB"
    assert [line.split()[0] for line in lines[1:-1]] == ["bert-large", "llama"]


def test_problems_are_those_that_need_somebody_and_the_last_line_still_counts_all(run, dump: Dump) -> None:
    dump()
    lines = run("status", "--from", "dump.json", "--problems").stdout.splitlines()
    assert {line.split()[1] for line in lines[1:-1]} == {"wav2vec", "yolo", "ppo", "resnet-r3"}
    assert lines[-1].startswith("6 gangs:")


def test_states_are_chosen_however_they_are_spelt(run, dump: Dump) -> None:
    dump()
    done = run("status", "--from", "dump.json", "--state", "never-fits", "--state", "RUNNING", "-o", "json")
    assert states(done.stdout) == {"llama": "Running", "resnet-r3": "NeverFits"}


def test_a_selector_asks_the_labels_of_jobs(run, dump: Dump) -> None:
    path = dump()
    data = json.loads(path.read_text())
    for one in data["items"]:
        if one["kind"] == "MPIJob" and one["metadata"]["name"] in {"llama", "yolo"}:
            one["metadata"]["labels"] = {"team": one["metadata"]["name"][0]}
    path.write_text(json.dumps(data))
    assert set(states(run("status", "--from", "dump.json", "-o", "json", "-l", "team").stdout)) == {"llama", "yolo"}
    assert set(states(run("status", "--from", "dump.json", "-o", "json", "-l", "team=l").stdout)) == {"llama"}
    assert set(states(run("status", "--from", "dump.json", "-o", "json", "-l", "!team").stdout)) == ALL.keys() - {
        "llama", "yolo"}


def test_where_no_job_has_the_labels_that_is_what_is_said(run, dump: Dump) -> None:
    dump()
    assert run("status", "--from", "dump.json", "-l", "team").stdout == "No gangs with these labels in any namespace.\n"
    assert run("status", "--from", "dump.json", "-n", "nobody").stdout == "No gangs in namespace nobody.\n"


@pytest.mark.parametrize("name", [
    "bert-large", "bert-large-worker-3", "nlp/bert-large", "pod/bert-large-worker-3", "mpijob/bert-large",
    "podgroups.scheduling.x-k8s.io/bert-large",
])
def test_one_gang_is_found_by_job_pod_and_group(run, dump: Dump, name: str) -> None:
    dump()
    done = run("status", "--from", "dump.json", name)
    assert done.returncode == 0
    assert done.stdout.startswith("nlp/bert-large: Queued. 5 pods exist, 0 bound, 0 ready, 5 must start together (cosch")


def test_one_gang_is_told_with_its_pods_its_events_and_where_to_read_on(run, dump: Dump) -> None:
    dump()
    text = run("status", "--from", "dump.json", "bert-large").stdout
    assert "waiting for capacity: 8 nvidia.com/gpu short" in text
    assert "since 2026-12-01T13:25:03Z (57s)" in text
    assert "bert-large-worker-0 … bert-large-worker-3 (4)" in text
    assert "5 pods" in text.partition("EVENT OF")[2]
    assert text.endswith("Explain: gangform explain queued\n")


def test_a_gang_that_runs_says_that_scheduling_is_not_what_hangs_and_where_to_look(run, dump: Dump) -> None:
    dump()
    text = run("status", "--from", "dump.json", "llama").stdout
    assert "scheduling is not what hangs" in text
    assert "Next: kubectl logs -n nlp llama-launcher-k2nzp --tail 50" in text
    assert "llama-worker-2        Ready   gpu-3" in text


def test_a_gang_that_needs_somebody_says_what_to_do(run, dump: Dump) -> None:
    dump()
    done = run("status", "--from", "dump.json", "yolo")
    assert (done.returncode, "Do:   kubectl describe resourcequota -n cv cv-cpu\n" in done.stdout) == (1, True)


def test_json_is_versioned_and_says_the_same_as_yaml(run, dump: Dump) -> None:
    dump()
    data = json.loads(run("status", "--from", "dump.json", "-o", "json").stdout)
    assert (data["version"], data["at"], data["unseen"]) == (1, "2026-12-01T13:26:00Z", [])
    assert data["totals"] == dict.fromkeys(sorted(ALL.values()), 1)
    assert data["capacity"]["free"]["nvidia.com/gpu"] == "8"
    (yolo,) = (one for one in data["gangs"] if one["name"] == "yolo")
    assert yolo["pods"] == {"desired": 5, "existing": 3, "bound": 0, "ready": 0, "minMember": 5}
    assert (yolo["alarming"], yolo["since"], "members" in yolo) == (True, "2026-12-01T13:25:08Z", False)
    assert yaml.safe_load(run("status", "--from", "dump.json", "-o", "yaml").stdout) == data


def test_json_of_one_gang_holds_its_pods_and_events(run, dump: Dump) -> None:
    dump()
    (one,) = json.loads(run("status", "--from", "dump.json", "yolo", "-o", "json").stdout)["gangs"]
    assert [pod["name"] for pod in one["members"]] == ["yolo-worker-0", "yolo-worker-1", "yolo-worker-2"]
    assert any("exceeded quota" in event["message"] for event in one["events"])


def test_names_are_those_that_kubectl_takes(run, dump: Dump) -> None:
    dump("nlp")
    assert run("status", "--from", "dump.json", "-o", "name").stdout == (
        "mpijob.kubeflow.org/bert-large\nmpijob.kubeflow.org/llama\n")


def test_wide_has_more_columns(run, dump: Dump) -> None:
    dump("nlp")
    heading, first, *_ = run("status", "--from", "dump.json", "-o", "wide").stdout.splitlines()
    assert {"READY", "BACKEND", "PODGROUP", "QUEUE", "REASON"} <= set(heading.split())
    assert {"coscheduling", "InsufficientResources"} <= set(first.split())


def test_without_headers_there_are_rows_alone(run, dump: Dump) -> None:
    dump("nlp")
    lines = run("status", "--from", "dump.json", "--no-headers").stdout.splitlines()
    assert [line.split()[1] for line in lines] == ["bert-large", "llama"]


def test_colour_is_for_terminals_or_when_it_is_asked_for(run, dump: Dump) -> None:
    dump("nlp")
    plain = run("status", "--from", "dump.json").stdout
    painted = run("status", "--from", "dump.json", env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b" not in plain
    assert "\x1b[32mRunning\x1b[0m" in painted
    assert "\x1b" not in run("status", "--from", "dump.json", "--no-color", env={"FORCE_COLOR": "1"}).stdout


def test_a_dump_comes_through_a_pipe_too(run, dump: Dump) -> None:
    text = dump("nlp").read_text()
    assert set(states(run("status", "--from", "-", "-o", "json", stdin=text).stdout)) == {"bert-large", "llama"}


def test_several_dumps_are_one_cluster(run, dump: Dump, project: Path) -> None:
    data = json.loads(dump("nlp").read_text())
    for kind in ("MPIJob", "Pod"):
        (project / f"{kind}.json").write_text(json.dumps(
            {"kind": "List", "items": [one for one in data["items"] if one["kind"] == kind]}))
    rest = [one for one in data["items"] if one["kind"] not in {"MPIJob", "Pod"}]
    (project / "rest.yaml").write_text(yaml.safe_dump_all(rest))
    done = run("status", "--from", "MPIJob.json", "--from", "Pod.json", "--from", "rest.yaml", "-o", "json")
    assert states(done.stdout) == {"bert-large": "Queued", "llama": "Running"}


@pytest.mark.parametrize(("kind", "says"), [
    ("Node", "free capacity is unknown: the dump holds no nodes"),
    ("Pod", "whether gangs hold nodes is not known: the dump holds no pods"),
    ("Event", "what only events tell, such as a refusal by a quota, is not known: the dump holds no events"),
    ("PodGroup", "are missing, stale or left over are not told: the dump holds no podgroups.scheduling.x-k8s.io"),
])
def test_what_a_dump_lacks_is_named_with_what_it_costs(run, dump: Dump, kind: str, says: str) -> None:
    dump(without=kind)
    done = run("status", "--from", "dump.json", "-o", "json")
    assert says in done.stderr
    assert [one["cost"] + ": the dump holds no " + one["what"] in done.stderr
            for one in json.loads(done.stdout)["unseen"]] == [True]


@pytest.mark.parametrize("kind", ["Node", "Pod"])
def test_what_cannot_be_seen_is_not_called_free(run, dump: Dump, kind: str) -> None:
    dump(without=kind)
    done = run("status", "--from", "dump.json")
    assert "Cluster:" not in done.stdout
    assert "NeverFits" not in done.stdout


def test_pods_of_one_namespace_do_not_tell_what_is_free(run, dump: Dump) -> None:
    dump("nlp")
    done = run("status", "--from", "dump.json")
    assert "free capacity is unknown: the dump holds no pods of other namespaces" in done.stderr
    assert "Cluster:" not in done.stdout


@pytest.mark.parametrize(("arguments", "says"), [
    (["nosuch"], "there is no MPIJob, pod of one, or PodGroup named 'nosuch' in any namespace"),
    (["bert"], "did you mean bert-large?"),
    (["bert-large", "-n", "cv"], "in namespace cv"),
    (["nlp/bert-large", "-n", "cv"], "names another namespace than -n cv"),
    (["-n", "nlp", "-A"], "-n and -A cannot be given together"),
    (["--state", "Quued"], "did you mean Queued?"),
    (["-l", "a in b"], "is no label selector"),
    (["-w"], "--watch and --from cannot be given together"),
    (["--context", "prod"], "--context and --from cannot be given together"),
    (["-o", "xml"], "'xml' is not one of"),
])
def test_wrong_usage_is_exit_2_with_one_message(run, dump: Dump, arguments: list[str], says: str) -> None:
    dump()
    done = run("status", "--from", "dump.json", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


@pytest.mark.parametrize(("text", "says"), [
    ("", "no MPIJob and no PodGroup in it"),
    ("", "podgroups.scheduling.x-k8s.io,podgroups.scheduling.volcano.sh,nodes"),
    ("{}", "without apiVersion and kind"),
    ('{"items": [', "the dump is cut off"),
    ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "no MPIJob and no PodGroup in it"),
])
def test_what_is_no_dump_is_exit_2_with_one_message(run, project: Path, text: str, says: str) -> None:
    (project / "bad.json").write_text(text)
    done = run("status", "--from", "bad.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.startswith("error: bad.json")


@pytest.mark.parametrize("one", [[], ["yolo"]])
def test_a_hostile_dump_cannot_steer_the_terminal(run, dump: Dump, one: list[str]) -> None:
    path = dump()
    path.write_text(path.read_text().replace("exceeded quota: cv-cpu", "exceeded quota: \\u202ecv\\u0007\\u001b[2J"))
    text = run("status", "--from", "dump.json", *one, env={"FORCE_COLOR": "1"}).stdout
    assert not set("\u202e\x07") & set(text)
    assert "\x1b[2J" not in text
    assert "\\u202e" in text


def test_objects_of_any_shape_never_end_in_a_defect(run, project: Path) -> None:
    shapes = [None, 1, "x", [], {}, {"name": 1}, {"name": "a", "namespace": [], "labels": 3}]
    items = [{"apiVersion": api, "kind": kind, "metadata": shape, "spec": shape, "status": shape}
             for api, kind in (("kubeflow.org/v2beta1", "MPIJob"), ("v1", "Pod"), ("v1", "Node"), ("v1", "Event"),
                               ("scheduling.x-k8s.io/v1alpha1", "PodGroup")) for shape in shapes]
    (project / "odd.json").write_text(json.dumps({"kind": "List", "items": items}))
    done = run("status", "--from", "odd.json")
    assert done.returncode in {0, 1}, done.stderr


def test_an_old_dump_counts_ages_to_its_own_time(run, dump: Dump) -> None:
    dump()
    done = run("status", "--from", "dump.json")
    assert "ages are counted to 2026-12-01T13:26:00Z, a moment after the newest time in the dump" in done.stderr


def test_a_dump_needs_no_client_for_clusters(dump: Dump, project: Path) -> None:
    dump("nlp")
    script = ("import sys; from gangform.cli.main import main\nassert main(['status', '--from', 'dump.json']) == 0\n"
              "print(sorted({'kubernetes', 'requests', 'urllib3', 'kopf', 'aiohttp', 'ruamel'} & set(sys.modules)))")
    done = subprocess.run([sys.executable, "-c", script], cwd=project, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_without_a_kubeconfig_it_says_so_with_exit_3(run, project: Path) -> None:
    done = run("status", env={"HOME": str(project), "KUBECONFIG": str(project / "none")})
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"error: there is no kubeconfig: {project / 'none'} does not exist")
    assert "hint: name one with --kubeconfig or KUBECONFIG" in done.stderr


def test_kubectl_finds_it_as_a_plugin(dump: Dump, project: Path) -> None:
    dump("nlp")
    plugin = Path(sys.executable).with_name("kubectl-gang")
    done = subprocess.run([plugin, "status", "--from", "dump.json"], cwd=project, capture_output=True, text=True, check=False)
    assert (done.returncode, "bert-large" in done.stdout) == (0, True)
    usage = subprocess.run([plugin, "status", "--help"], cwd=project, capture_output=True, text=True, check=True).stdout
    assert usage.startswith("Usage: kubectl gang status [OPTIONS] [JOB]")


@pytest.mark.parametrize("form", ["table", "wide", "name", "json"])
def test_a_name_that_steers_a_terminal_is_spelt_out(run, dump: Dump, form: str) -> None:
    path = dump("nlp")
    path.write_text(path.read_text().replace("llama", "lla\\u001b[31m\\nma\\u202e"))
    # With colour nothing is taken out on the way.
    done = run("status", "--from", "dump.json", "-o", form, env={"FORCE_COLOR": "1"})
    assert "lla" in done.stdout
    assert "\x1b[31m\n" not in done.stdout
    if form != "json":
        assert "lla\\x1b[31m\\nma\\u202e" in done.stdout
