"""``fix`` writes safe mends into the lines that need them, and into no others."""

import difflib
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from examples import example
from gangform import schema
from gangform.catalog import CATALOG, KINDS
from gangform.model.edit import Edit, apply
from gangform.model.errors import InputError
from gangform.model.finding import Finding, Location, Severity
from gangform.model.pointer import Pointer, get
from gangform.model.source import Document
from gangform.model.tree import GENERATED_LINE
from gangform.pipeline import merge
from gangform.selection import Selection
from gangform.settings import Settings
from gangform.text.reading import read
from gangform.text.splicing import Spliced, assemble, splice
from gangform.workflows.fix import Fixed, fix
from repository import job, quiet, told

Repo = Callable[[dict[str, str]], Path]

GROUP = """\
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: pi}
spec: {minMember: 5}
"""
MARK = "        metadata: {labels: {scheduling.x-k8s.io/pod-group: pi}}\n"
NAME = "          schedulerName: scheduler-plugins-scheduler\n"


def mend(*paths: str, write: bool = True, select: tuple[str, ...] = ()) -> Fixed:
    return fix(paths or (".",), Settings(), None, write=write, progress=quiet, selection=Selection(select))


def bound(launcher: str = MARK, launcher_name: str = NAME, worker: str = MARK, worker_name: str = NAME) -> str:
    """A job whose templates bear the group's mark, with what the test leaves out or changes."""
    text = job().replace("      template:\n        spec:\n", "      template:\n@M        spec:\n@N")
    for mark, name in ((launcher, launcher_name), (worker, worker_name)):
        text = text.replace("@M", mark, 1).replace("@N", name, 1)
    return text


def differing(before: str, after: str) -> list[str]:
    diff = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in diff if line[0] in "+-"]


@pytest.mark.parametrize(("bad", "mended", "rule"), [
    ("{cpu: 0.5, memory: 2Gi}", '{cpu: "0.5", memory: 2Gi}', "quantity-needs-quotes"),
    ('{cpu: "1", memory: 2 Gi }', '{cpu: "1", memory: 2Gi }', "invalid-quantity"),
])
def test_a_quantity_is_mended_in_its_place(repo: Repo, bad: str, mended: str, rule: str) -> None:
    root = repo({"pi.yaml": job().replace('{cpu: "1", memory: 2Gi}', bad)})
    fixed = mend()
    assert (root / "pi.yaml").read_text() == job().replace('{cpu: "1", memory: 2Gi}', mended)
    assert [finding.rule for finding in fixed.mended] == [rule]
    assert told(fixed.outcome) == []


@pytest.mark.parametrize(("good", "bad", "rule"), [
    ("replicas: 4", "replicas: '4'", "wrong-type"), ("cleanPodPolicy: Running", "cleanPodPolicy: running", "clean-pod-policy"),
])
def test_a_value_is_mended_beside_its_comment(repo: Repo, good: str, bad: str, rule: str) -> None:
    root = repo({"pi.yaml": job().replace(good, f"{bad}  # why")})
    assert [finding.rule for finding in mend().mended] == [rule]
    assert (root / "pi.yaml").read_text() == job().replace(good, f"{good}  # why")


def test_a_field_in_the_wrong_place_is_moved_with_its_comment(repo: Repo) -> None:
    text = job().replace("  runPolicy:\n    cleanPodPolicy: Running\n",
                         "  cleanPodPolicy: Running  # logs\n  # of the policy\n  backoffLimit: 3\n")
    root = repo({"pi.yaml": text})
    fixed = mend()
    assert (root / "pi.yaml").read_text() == job().replace(
        "  runPolicy:\n    cleanPodPolicy: Running\n",
        "  runPolicy:\n    cleanPodPolicy: Running  # logs\n    backoffLimit: 3\n  # of the policy\n")
    assert (len(fixed.mended), told(fixed.outcome)) == (2, [])


def test_what_one_mend_uncovers_is_mended_too(repo: Repo) -> None:
    text = bound(launcher_name="").replace('cpu: "8"', "cpu: 0.5")
    root = repo({"pi.yaml": f"{GROUP}---\n{text}", "kustomization.yaml": "resources: [pi.yaml]\n"})
    fixed = mend()
    assert [finding.rule for finding in fixed.mended] == ["quantity-needs-quotes", "scheduler-name-mixed"]
    assert (root / "pi.yaml").read_text() == f"{GROUP}---\n" + bound().replace('cpu: "8"', 'cpu: "0.5"')
    assert told(fixed.outcome) == []


def test_a_missing_mark_is_added_where_a_group_names_the_job(repo: Repo) -> None:
    root = repo({"pi.yaml": f"{GROUP}---\n{bound(launcher='')}", "kustomization.yaml": "resources: [pi.yaml]\n"})
    fixed = mend()
    assert [finding.rule for finding in fixed.mended] == ["partial-binding"]
    assert differing(bound(launcher=""), (root / "pi.yaml").read_text().removeprefix(f"{GROUP}---\n")) == [
        "+         metadata:", "+           labels:", "+             scheduling.x-k8s.io/pod-group: pi"]
    assert told(fixed.outcome) == []


def test_a_diff_shows_what_would_be_written_and_writes_nothing(repo: Repo) -> None:
    text = bound(launcher_name="").replace('cpu: "8"', "cpu: 0.5")
    root = repo({"pi.yaml": f"{GROUP}---\n{text}", "kustomization.yaml": "resources: [pi.yaml]\n"})
    shown = mend(write=False)
    assert not shown.written
    assert (root / "pi.yaml").read_text() == f"{GROUP}---\n{text}"
    done = mend()
    assert done.written
    assert done.changes == shown.changes
    assert (done.changes[0].before, done.changes[0].after) == (f"{GROUP}---\n{text}", (root / "pi.yaml").read_text())


def test_only_the_selected_ids_are_mended(repo: Repo) -> None:
    repo({"pi.yaml": job(workers="'4'").replace('cpu: "8"', "cpu: 0.5")})
    assert {finding.rule for finding in mend(select=("wrong-type",)).mended} == {"wrong-type"}


def test_nothing_to_mend_leaves_every_file_as_it_is(repo: Repo) -> None:
    root = repo({"pi.yaml": job()})
    before = (root / "pi.yaml").stat().st_mtime_ns
    fixed = mend()
    assert (fixed.changes, fixed.mended, fixed.left, fixed.written) == ((), (), (), False)
    assert (root / "pi.yaml").stat().st_mtime_ns == before


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_stay(repo: Repo, end: str, mark: str) -> None:
    root = repo({})
    (root / "pi.yaml").write_bytes((mark + job(workers="'4'").replace("\n", end)).encode())
    mend()
    assert (root / "pi.yaml").read_bytes() == (mark + job().replace("\n", end)).encode()


def test_items_of_a_list_are_mended_each_in_its_place(repo: Repo) -> None:
    def listed(*jobs: str) -> str:
        return "apiVersion: v1\nkind: List\nitems:\n" + "".join(
            "- " + textwrap.indent(text, "  ").lstrip() for text in jobs)

    root = repo({"all.yaml": listed(job("a", workers="'4'"), job("b"), job("c", workers="'2'"))})
    assert len(mend().mended) == 2
    assert (root / "all.yaml").read_text() == listed(job("a"), job("b"), job("c", workers=2))


def test_a_generated_file_is_left_alone(repo: Repo) -> None:
    text = f"{GENERATED_LINE}\n" + job(workers="'4'")
    root = repo({"overlay/pi.yaml": text, "overlay/kustomization.yaml": "resources: [pi.yaml]\n"})
    fixed = mend()
    assert (fixed.changes, (root / "overlay/pi.yaml").read_text()) == ((), text)


def test_a_fault_that_a_patch_makes_is_mended_in_the_patch(repo: Repo, kustomize: str) -> None:
    patch = """\
        apiVersion: kubeflow.org/v2beta1
        kind: MPIJob
        metadata: {name: pi}
        spec:
          runPolicy: {cleanPodPolicy: running}  # keep the logs
        """
    root = repo({
        "base/pi.yaml": job(), "base/kustomization.yaml": "resources: [pi.yaml]\n",
        "prod/kustomization.yaml": "resources: [../base]\npatches: [{path: policy.yaml}]\n", "prod/policy.yaml": patch,
    })
    fixed = mend()
    assert (root / "prod/policy.yaml").read_text() == textwrap.dedent(patch).replace("running", "Running")
    assert (root / "base/pi.yaml").read_text() == job()
    assert told(fixed.outcome) == []


def test_a_patch_inside_a_kustomization_is_left_alone(repo: Repo, kustomize: str) -> None:
    text = ("resources: [pi.yaml]\npatches:\n- target: {kind: MPIJob}\n  patch: |\n"
            "    - {op: add, path: /spec/runPolicy/cleanPodPolicy, value: running}\n")
    root = repo({"pi.yaml": job(), "kustomization.yaml": text})
    fixed = mend()
    assert ("clean-pod-policy", "kustomization.yaml", 4) in told(fixed.outcome)
    assert [finding.edit for finding in fixed.outcome.findings] == [None], "its pointer means nothing in that file"
    assert (root / "kustomization.yaml").read_text() == text


@pytest.mark.parametrize("path", [".", "dev"])
def test_a_value_is_mended_although_a_build_renames_its_job(repo: Repo, kustomize: str, path: str) -> None:
    root = repo({"base/pi.yaml": job().replace("Running", "running"), "base/kustomization.yaml": "resources: [pi.yaml]\n",
                 "dev/kustomization.yaml": "resources: [../base]\nnamePrefix: dev-\n"})
    fixed = mend(path)
    assert (root / "base/pi.yaml").read_text() == job()
    assert told(fixed.outcome) == []


def test_a_job_that_a_build_renames_does_not_get_the_name_of_the_build(repo: Repo, kustomize: str) -> None:
    text = bound(launcher="").replace("pod-group: pi", "pod-group: dev-gang")
    root = repo({"base/pi.yaml": text, "base/kustomization.yaml": "resources: [pi.yaml]\n",
                 "dev/kustomization.yaml": "resources: [../base, group.yaml]\nnamePrefix: dev-\n",
                 "dev/group.yaml": GROUP.replace("name: pi", "name: gang")})
    fixed = mend("dev")
    assert ("partial-binding", "base/pi.yaml") in [found[:2] for found in told(fixed.outcome)]
    assert (root / "base/pi.yaml").read_text() == text


def test_two_values_for_one_place_are_not_thrown_together(repo: Repo) -> None:
    text = job().replace("  runPolicy:\n    cleanPodPolicy: Running\n", "  cleanPodPolicy: Running\n").replace(
        "      replicas: 4\n", "      replicas: 4\n      cleanPodPolicy: All\n")
    root = repo({"pi.yaml": text})
    fixed = mend()
    after = read("pi.yaml", (root / "pi.yaml").read_text()).documents[0].data
    values = {get(after, ("spec", "runPolicy", "cleanPodPolicy")), get(after, (*WORKER, "cleanPodPolicy")),
              get(after, ("spec", "cleanPodPolicy"))}
    assert values == {"Running", "All", None}
    assert [finding.rule for finding in fixed.outcome.findings] == ["unknown-field"]


def test_builds_that_ask_for_different_mends_of_one_place_get_none() -> None:
    def asks(build: str, value: str) -> Finding:
        return Finding(Location("pi.yaml", 3, 1, 3, 2), "r", Severity.ERROR, "m", builds=(build,), edit=Edit(("a",), value))

    same, = merge([asks("dev", "x"), asks("prod", "x")])
    other, = merge([asks("dev", "x"), asks("prod", "y")])
    assert (same.edit, same.builds) == (Edit(("a",), "x"), ("dev", "prod"))
    assert (other.edit, other.builds) == (None, ("dev", "prod"))


def test_what_an_anchor_shares_is_mended_once_when_all_places_need_it(repo: Repo) -> None:
    text = job().replace('requests: {cpu: "1", memory: 2Gi}', "requests: &ask {cpu: 0.5}, limits: *ask")
    root = repo({"pi.yaml": text})
    fixed = mend()
    assert (root / "pi.yaml").read_text() == text.replace("cpu: 0.5", 'cpu: "0.5"')
    assert fixed.left == ()


def test_a_refused_mend_has_its_reason_and_its_line(repo: Repo) -> None:
    repo({"pi.yaml": job(workers="'4'").replace("image: mpi\n", "image: mpi-{{ tag }}\n", 1)})
    fixed = mend()
    assert fixed.changes == ()
    assert [(one.finding.rule, one.reason, one.line) for one in fixed.left] == [
        ("wrong-type", "the text is a template", 14)]


def test_what_an_anchor_shares_with_another_place_is_left(repo: Repo) -> None:
    text = job(workers="*number").replace("  name: pi\n", "  name: pi\n  labels: {pods: &number '4'}\n")
    root = repo({"pi.yaml": text})
    fixed = mend()
    assert (root / "pi.yaml").read_text() == text
    assert [(one.finding.rule, one.reason, one.line) for one in fixed.left] == [
        ("wrong-type", "other places share this value through the anchor &number", 18)]


def test_other_mends_of_a_document_are_made_beside_a_refused_one(repo: Repo) -> None:
    text = job(workers="'4'").replace("spec:\n  runPolicy:\n    cleanPodPolicy: Running\n",
                                      "spec:\n  runPolicy: {backoffLimit: 1}\n  ? cleanPodPolicy\n  : Running\n", 1)
    root = repo({"pi.yaml": text})
    fixed = mend()
    assert (root / "pi.yaml").read_text() == text.replace("'4'", "4")
    assert [(one.finding.rule, one.line) for one in fixed.left] == [("unknown-field", 7)]


def test_standard_input_is_refused() -> None:
    with pytest.raises(InputError, match="standard input"):
        mend("-")


MENDING = sorted(name for name, rule in CATALOG.rules.items() if "edit=" in inspect.getsource(sys.modules[rule.check.__module__]))


@pytest.mark.parametrize("name", MENDING)
def test_the_mend_of_a_rule_mends_its_own_bad_example(repo: Repo, name: str) -> None:
    text = example(CATALOG.rules[name], "Bad")
    root = repo({"example.yaml": text, "kustomization.yaml": "resources: [example.yaml]\n"})
    fixed = mend(select=(name,))
    assert fixed.left == ()
    assert [finding for finding in fixed.outcome.findings if finding.edit] == []
    assert len(read("x", (root / "example.yaml").read_text()).documents) == len(read("x", text).documents)


WORKER: Pointer = ("spec", "mpiReplicaSpecs", "Worker")


def faults(document: Document) -> Iterator[Edit]:
    """Faults that have one safe mend, for what the job holds."""
    policy = get(document.data, ("spec", "runPolicy", "cleanPodPolicy"))
    if policy is not None:
        yield Edit(("spec", "cleanPodPolicy"), policy, ("spec", "runPolicy", "cleanPodPolicy"))
    replicas = get(document.data, (*WORKER, "replicas"))
    if isinstance(replicas, int):
        yield Edit((*WORKER, "replicas"), str(replicas))
    containers = get(document.data, (*WORKER, "template", "spec", "containers")) or []
    for number, container in enumerate(containers):
        for name, amount in (get(container, ("resources", "limits")) or {}).items():
            if isinstance(amount, str) and amount.endswith("Gi"):
                at = (*WORKER, "template", "spec", "containers", number, "resources", "limits", name)
                yield Edit(at, amount.replace("Gi", " Gi"))


def test_faults_planted_in_real_jobs_are_mended_in_their_lines_alone(shared: Path, repo: Repo) -> None:
    root = repo({})
    planted = 0
    for path in sorted((shared / "corpus").glob("*.yaml")):
        reading = read(path.name, path.read_bytes())
        for document in reading.documents:
            kind = KINDS.get((document.data.get("apiVersion"), document.data.get("kind")))  # type: ignore[arg-type]
            wanted = tuple(faults(document)) if kind and not schema.check(document.data, kind.SCHEMA) else ()
            broken = splice(document, wanted) if wanted else None
            if not isinstance(broken, Spliced):
                continue
            text = assemble(reading.source, [(document, broken)])
            (root / path.name).write_bytes(text.encode())
            fixed = mend(path.name, select=("unknown-field", "wrong-type", "invalid-quantity"))
            after = read(path.name, (root / path.name).read_bytes())
            found = next(one for one in after.documents if (one.number, one.base) == (document.number, document.base))
            assert len(fixed.mended) == len(wanted), path
            assert found.data == document.data == apply(apply(document.data, wanted), _back(document, wanted)), path
            kept = sum(edit.origin is None for edit in wanted)
            assert len(differing(text, after.source.text)) <= 2 * len(wanted) + 2 * (len(wanted) - kept), path
            others = [one.data for one in after.documents if one.number != document.number]
            assert others == [one.data for one in reading.documents if one.number != document.number], path
            planted += 1
            (root / path.name).unlink()
    assert planted >= 30


def _back(document: Document, wanted: tuple[Edit, ...]) -> Iterator[Edit]:
    for edit in wanted:
        if edit.origin is None:
            yield Edit(edit.pointer, get(document.data, edit.pointer))
        else:
            yield Edit(edit.origin, edit.value, edit.pointer)
