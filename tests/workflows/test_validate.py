"""What ``validate`` sees in a repository, and where its findings point."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gangform.model.errors import InputError
from gangform.workflows import configuration
from gangform.workflows.render import render
from repository import job, look, quiet, told

Repo = Callable[[dict[str, str]], Path]


def test_a_sound_job_is_counted_and_not_complained_about(repo: Repo) -> None:
    repo({"jobs/pi.yaml": job()})
    outcome = look()
    assert told(outcome) == []
    assert (outcome.counts.files, outcome.counts.jobs) == (1, 1)


def test_a_path_that_does_not_exist_ends_the_run(repo: Repo) -> None:
    repo({})
    with pytest.raises(InputError, match=r"nowhere\.yaml"):
        look("nowhere.yaml")


def test_a_patch_that_a_kustomization_names_is_not_judged_alone(repo: Repo, kustomize: str) -> None:
    patch = """\
        apiVersion: kubeflow.org/v2beta1
        kind: MPIJob
        metadata: {name: pi}
        spec: {mpiReplicaSpecs: {Worker: {replicas: 8}}}
        """
    repo({
        "base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n",
        "prod/kustomization.yaml": "resources: [../base]\npatches: [{path: replicas.yaml}]\n",
        "prod/replicas.yaml": patch,
    })
    assert told(look()) == []
    assert look().counts.patches == 1
    assert told(look("prod/replicas.yaml")) == []


def test_a_fault_that_a_patch_makes_is_shown_in_the_patch(repo: Repo, kustomize: str) -> None:
    patch = """\
        apiVersion: kubeflow.org/v2beta1
        kind: MPIJob
        metadata: {name: pi}
        spec:
          runPolicy:
            schedulingPolicy:
              minAvailable: 9
        """
    repo({
        "base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n",
        "prod/kustomization.yaml": "namePrefix: prod-\nresources: [../base]\npatches: [{path: gang.yaml}]\n",
        "prod/gang.yaml": patch,
    })
    assert told(look()) == [("min-member-exceeds-pods", "prod/gang.yaml", 7)]


def test_a_value_is_not_shown_in_the_patch_of_a_job_whose_name_is_a_part_of_this_one_s(
    repo: Repo, kustomize: str
) -> None:
    patch = """\
        apiVersion: kubeflow.org/v2beta1
        kind: MPIJob
        metadata: {name: pi}
        spec: {runPolicy: {schedulingPolicy: {minAvailable: 9}}}
        """
    policy = "  runPolicy:\n    schedulingPolicy:\n      minAvailable: 9\n"
    repo({
        "base/pi.yaml": job(), "base/my-pi.yaml": job("my-pi").replace("  runPolicy:\n", policy, 1),
        "base/kustomization.yaml": "resources: [pi.yaml, my-pi.yaml]\n",
        "prod/kustomization.yaml": "namePrefix: prod-\nresources: [../base]\npatches: [{path: gang.yaml}]\n",
        "prod/gang.yaml": patch,
    })
    assert [found[:2] for found in told(look())] == [
        ("min-member-exceeds-pods", "base/my-pi.yaml"), ("min-member-exceeds-pods", "prod/gang.yaml")]


@pytest.mark.parametrize("field", ["patches", "patchesJson6902"])
def test_a_fault_that_a_json_patch_makes_is_shown_in_its_operation(repo: Repo, kustomize: str, field: str) -> None:
    target = "target: {group: kubeflow.org, version: v2beta1, kind: MPIJob, name: pi}"
    operations = """\
        - op: add
          path: /spec/runPolicy/schedulingPolicy
          value:
            minAvailable: 9
        """
    repo({
        "base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n",
        "prod/kustomization.yaml": f"resources: [../base]\n{field}:\n- path: gang.yaml\n  {target}\n",
        "prod/gang.yaml": operations,
    })
    assert told(look()) == [("min-member-exceeds-pods", "prod/gang.yaml", 4)]


def test_a_fault_that_an_inline_patch_makes_is_shown_at_the_patch(repo: Repo, kustomize: str) -> None:
    repo({
        "base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n",
        "prod/kustomization.yaml": """\
            resources: [../base]
            patches:
            - target: {kind: MPIJob}
              patch: |-
                - op: add
                  path: /spec/runPolicy/schedulingPolicy
                  value: {minAvailable: 9}
            """,
    })
    assert told(look()) == [("min-member-exceeds-pods", "prod/kustomization.yaml", 4)]


def test_a_fault_of_the_base_is_told_once_for_all_builds(repo: Repo, kustomize: str) -> None:
    bad = job().replace("  runPolicy:\n", "  runPolicy:\n    schedulingPolicy: {minAvailable: 9}\n")
    overlay = "namePrefix: {}-\nresources: [../base]\n"
    repo({
        "base/pi.yaml": bad, "base/kustomization.yaml": "resources: [pi.yaml]\n",
        "dev/kustomization.yaml": overlay.format("dev"), "prod/kustomization.yaml": overlay.format("prod"),
    })
    (finding,) = look().findings
    assert (finding.location.path, finding.location.line) == ("base/pi.yaml", 7)
    assert finding.builds == ("dev", "prod")


def test_a_group_made_stale_by_a_replica_patch_is_found_in_the_build(repo: Repo, kustomize: str) -> None:
    group = """\
        apiVersion: scheduling.x-k8s.io/v1alpha1
        kind: PodGroup
        metadata: {name: pi}
        spec:
          minMember: 5
        """
    marked = job().replace("        spec:\n", (
        "        metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}\n"
        "        spec:\n          schedulerName: scheduler-plugins-scheduler\n"))
    repo({
        "base/pi.yaml": marked, "base/group.yaml": group,
        "base/kustomization.yaml": "resources: [pi.yaml, group.yaml]\n",
        "dev/kustomization.yaml": """\
            resources: [../base]
            patches:
            - target: {kind: MPIJob}
              patch: |-
                - {op: replace, path: /spec/mpiReplicaSpecs/Worker/replicas, value: 2}
            """,
    })
    assert told(look()) == [("replicas-vs-min-member-drift", "dev/kustomization.yaml", 4)]


def test_a_prefix_that_misses_the_mark_is_found_in_the_build(repo: Repo, kustomize: str) -> None:
    group = "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: pi}\nspec: {minMember: 5}\n"
    marked = job().replace("        spec:\n", (
        "        metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}\n"
        "        spec:\n          schedulerName: scheduler-plugins-scheduler\n"))
    repo({
        "base/pi.yaml": marked, "base/group.yaml": group,
        "base/kustomization.yaml": "resources: [pi.yaml, group.yaml]\n",
        "dev/kustomization.yaml": "namePrefix: dev-\nresources: [../base]\n",
    })
    assert told(look()) == [("kustomize-rename-breaks-ref", "dev/kustomization.yaml", 1)]


def test_without_a_program_sources_are_checked_and_a_note_says_so(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    bad = job().replace("  runPolicy:\n", "  runPolicy:\n    schedulingPolicy: {minAvailable: 9}\n")
    repo({
        "base/pi.yaml": bad, "base/kustomization.yaml": "resources: [pi.yaml]\n",
        "dev/kustomization.yaml": "namePrefix: dev-\nresources: [../base]\n",
    })
    outcome = look()
    assert told(outcome) == [("min-member-exceeds-pods", "base/pi.yaml", 7)]
    assert "1 kustomization" in " ".join(outcome.notes)


def test_a_kustomization_that_cannot_be_built_is_a_finding(repo: Repo, kustomize: str) -> None:
    repo({"dev/kustomization.yaml": "namePrefix: dev-\nresources: [nowhere.yaml]\n"})
    assert told(look()) == [("kustomize-build-failed", "dev/kustomization.yaml", 1)]


def test_a_kustomization_that_would_fetch_is_not_built(repo: Repo) -> None:
    repo({"dev/kustomization.yaml": "resources: ['https://example.invalid/x?ref=v1']\n"})
    outcome = look()
    assert told(outcome) == []
    assert "example.invalid" in outcome.notes[0]


def test_yaml_of_other_programs_is_left_alone(repo: Repo) -> None:
    repo({"playbook.yaml": "- hosts: all\n", "values.yml": "a: 1\na: 2\n", "jobs.json": "[1, 2"})
    assert told(look()) == []


def test_a_named_file_is_always_judged(repo: Repo) -> None:
    repo({"playbook.yaml": "- hosts: all\n"})
    assert [finding.rule for finding in look("playbook.yaml").findings] == ["document-not-object"]


def test_jobs_of_other_groups_are_left_alone(repo: Repo) -> None:
    repo({"other.yaml": "apiVersion: training.kubedl.io/v1alpha1\nkind: MPIJob\nmetadata: {name: x}\nspec: {a: 1}\n"})
    assert told(look()) == []


@pytest.mark.parametrize("version", ["v1", "v1alpha1", "v1alpha2"])
def test_an_old_api_gets_one_error_that_names_it(repo: Repo, version: str) -> None:
    text = f"apiVersion: kubeflow.org/{version}\nkind: MPIJob\nmetadata: {{name: x}}\nspec: {{gpus: 1, cleanPodPolicy: x}}\n"
    repo({"old.yaml": text})
    (finding,) = look().findings
    assert (finding.rule, finding.location.line) == ("api-version-unsupported", 1)
    assert f"kubeflow.org/{version}" in finding.message


def test_a_templated_number_is_one_note_and_no_wall_of_errors(repo: Repo) -> None:
    repo({"job.yaml": job(workers="$NUM_WORKERS").replace("memory: 64Gi", 'memory: "${MEMORY}"')})
    outcome = look()
    assert [finding.rule for finding in outcome.findings] == ["templated"]
    assert outcome.counts.templated == 1


def test_stdin_is_judged_like_a_file(repo: Repo) -> None:
    repo({})
    outcome = look("-", stdin=job(workers=0).encode())
    assert told(outcome) == [("worker-replicas", "<stdin>", 17)]


def test_files_of_one_folder_are_seen_together_unless_they_are_alternatives(repo: Repo) -> None:
    group = "apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: PodGroup\nmetadata: {name: pi}\nspec: {minMember: 9}\n"
    marked = job().replace("        spec:\n", (
        "        metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}\n"
        "        spec:\n          schedulerName: scheduler-plugins-scheduler\n"))
    repo({"a/job.yaml": marked, "a/group.yaml": group})
    assert told(look()) == [("min-member-exceeds-pods", "a/group.yaml", 4)]
    repo({"a/other.yaml": marked})
    assert told(look()) == []


def test_work_grows_linearly_with_documents_and_keeps_every_finding(repo: Repo) -> None:
    repo({"many.yaml": "---\n".join(job(f"pi-{number}", 0) for number in range(200))})
    assert len(look().findings) == 200


CLUSTERED = {
    "teams/a/base/pi.yaml": job(), "teams/a/base/kustomization.yaml": "resources: [pi.yaml]\n",
    "gangform.yaml": """\
        clusters:
          dev: {backend: coscheduling, options: {schedulerName: default-scheduler}}
        overlays:
        - {cluster: dev, source: "teams/{team}/base", path: "teams/{team}/overlays/dev"}
        """,
}


@pytest.mark.parametrize("below", [".", "teams", "teams/a/overlays"])
def test_an_overlay_is_judged_for_the_cluster_that_the_settings_name_from_wherever_it_is_looked_at(
    repo: Repo, kustomize: str, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    root = repo(CLUSTERED)
    settings = configuration.load(None)
    render(configuration.targets(settings), settings, write=True, enlist=False, progress=quiet)
    monkeypatch.chdir(root / below)
    assert told(look(settings=configuration.load(None))) == []
    assert {rule for rule, _, _ in told(look())} == {"scheduler-name-not-backend"}


@pytest.mark.parametrize(("text", "rule"), [("resources: [a\n", "yaml-syntax"), ("", "kustomize-build-failed")])
def test_a_kustomization_that_cannot_be_read_hides_nothing_else(repo: Repo, text: str, rule: str) -> None:
    repo({"broken/kustomization.yaml": text, "jobs/pi.yaml": job(workers=0)})
    assert [(one, path) for one, path, _ in told(look())] == [
        (rule, "broken/kustomization.yaml"), ("worker-replicas", "jobs/pi.yaml")]


def test_what_is_made_from_a_kustomization_that_cannot_be_read_is_told_as_unbuilt(repo: Repo) -> None:
    repo({"base/kustomization.yaml": "resources: [a\n", "prod/kustomization.yaml": "resources: [../base]\n"})
    assert [(rule, path) for rule, path, _ in told(look())] == [
        ("yaml-syntax", "base/kustomization.yaml"), ("kustomize-build-failed", "prod/kustomization.yaml")]


def test_a_kustomization_that_two_readers_understand_differently_is_built_all_the_same(
    repo: Repo, kustomize: str
) -> None:
    repo({"base/pi.yaml": job(), "base/kustomization.yaml": """\
        apiVersion: kustomize.config.k8s.io/v1beta1
        kind: Kustomization
        resources: [pi.yaml]
        commonAnnotations: {since: 2001-01-01}
        """})
    outcome = look()
    assert (told(outcome), outcome.counts.builds) == ([], 1)


def test_jobs_of_a_build_count_once_wherever_their_files_are(repo: Repo, kustomize: str) -> None:
    repo({"base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n",
          "prod/kustomization.yaml": "resources: [../base]\nnamePrefix: prod-\n",
          "dev/kustomization.yaml": "resources: [../base]\n"})
    assert [look(*paths).counts.jobs for paths in ([], ["base"], ["prod"], ["dev"], ["prod", "dev"], ["prod", "base"])
            ] == [1, 1, 1, 1, 2, 1]


def test_a_fault_of_the_name_is_shown_in_the_job_and_not_in_a_patch_of_it(repo: Repo, kustomize: str) -> None:
    name = "x" * 60
    patch = f"apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {{name: {name}}}\nspec: {{slotsPerWorker: 2}}\n"
    repo({"base/pi.yaml": job(name), "base/kustomization.yaml": "resources: [pi.yaml]\npatches: [{path: slots.yaml}]\n",
          "base/slots.yaml": patch})
    assert told(look()) == [("job-name-too-long", "base/pi.yaml", 4)]


def test_a_whole_map_at_the_wrong_place_is_one_finding_with_its_mend(repo: Repo) -> None:
    repo({"jobs/pi.yaml": job().replace("  runPolicy:\n", "  schedulingPolicy: {minAvailable: 5}\n  runPolicy:\n", 1),
          "jobs/kustomization.yaml": "resources: [pi.yaml]\n"})
    (found,) = look().findings
    assert (found.rule, found.location.line) == ("unknown-field", 6)
    assert found.edit is not None
    assert (found.edit.pointer, found.edit.value) == (("spec", "runPolicy", "schedulingPolicy"), {"minAvailable": 5})
    assert len({found, found}) == 1


def test_a_sound_kustomization_is_built_once_and_origins_are_asked_only_for_a_finding(
    repo: Repo, kustomize: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repo({
        "base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n",
        "dev/kustomization.yaml": "namePrefix: dev-\nresources: [../base]\n",
        "bin/kustomize": f'#!/bin/sh\necho run >> "$CALLS"\nexec {kustomize} "$@"\n',
    })
    (root / "bin/kustomize").chmod(0o755)
    calls = root / "calls"
    monkeypatch.setenv("CALLS", str(calls))
    monkeypatch.setenv("GANGFORM_KUSTOMIZE", str(root / "bin/kustomize"))
    assert told(look()) == []
    assert calls.read_text() == "run\n"
    (root / "base/pi.yaml").write_text(job(workers=0))
    assert told(look()) == [("worker-replicas", "base/pi.yaml", 17)]
    assert calls.read_text() == "run\n" * 3
