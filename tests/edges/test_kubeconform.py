"""kubeconform's verdicts: the real program, and small ones that misbehave."""

import json

import pytest

from gangform.edges import kubeconform
from gangform.model.errors import ProgramError

SCHEMA = {
    "type": "object",
    "required": ["spec"],
    "additionalProperties": False,
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "spec": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"size": {"type": "integer"}, "a/b": {"type": "integer"},
                           "list": {"type": "array", "items": {"type": "integer"}}},
        },
    },
}
VALID = "apiVersion: x.example/v1\nkind: Thing\nspec: {size: 1}\n"


@pytest.fixture
def location(tmp_path):
    folder = tmp_path / "schemas" / "x.example"
    folder.mkdir(parents=True)
    (folder / "thing_v1.json").write_text(json.dumps(SCHEMA))
    (folder / "broken_v1.json").write_text('{"type": "object", "properties": {"x": {"pattern": "(?!x)"}}}')
    (folder / "garbled_v1.json").write_text('{"type":')
    return f"{tmp_path}/schemas/{{{{.Group}}}}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json"


@pytest.fixture
def fake(tmp_path):
    def write(text: str) -> str:
        path = tmp_path / "fake"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return str(path)

    return write


def test_find_and_require_look_on_path(tmp_path, monkeypatch, kubeconform):
    from gangform.edges import kubeconform as edge

    assert edge.find() == edge.require() == kubeconform
    monkeypatch.setenv("PATH", str(tmp_path))
    assert edge.find() is None
    with pytest.raises(ProgramError, match="not on PATH"):
        edge.require()


@pytest.mark.tools
def test_verdicts_come_in_the_order_of_the_objects_with_paths(location, tool):
    documents = [
        ("first", VALID),
        ("second", "apiVersion: x.example/v1\nkind: Thing\nspec: {size: a, more: 1, a/b: z, list: [1, b]}\n"),
        ("third", "apiVersion: x.example/v1\nkind: Thing\n"),
        ("fourth", "apiVersion: y.example/v1\nkind: Thing\nspec: {}\n"),
        ("fifth", "kind: Thing\n"),
        ("sixth", "a: [b\n"),
        ("seventh", VALID),
    ]
    verdicts = kubeconform.validate(documents, [location], program=tool("kubeconform"))
    assert verdicts.valid == 2
    assert verdicts.unchecked == ("fourth",)
    assert [(key, path) for key, path, _ in verdicts.failures] == [
        ("second", "/spec"), ("second", "/spec/a/b"), ("second", "/spec/list/1"), ("second", "/spec/size"),
        ("third", ""), ("fifth", ""), ("sixth", ""),
    ]
    messages = [message for _, _, message in verdicts.failures]
    assert "'more'" in messages[0]
    assert "want integer" in messages[1]
    assert "'spec'" in messages[4]
    assert "apiVersion" in messages[5]


@pytest.mark.tools
def test_each_of_several_causes_inside_one_value_is_told_at_its_own_path(location, tool):
    inside = "apiVersion: x.example/v1\nkind: Thing\nspec: {size: 1, list: [a, 1, null]}\n"
    verdicts = kubeconform.validate([("a", inside)], [location], program=tool("kubeconform"))
    assert verdicts.failures == (
        ("a", "/spec/list/0", "got string, want integer"), ("a", "/spec/list/2", "got null, want integer"))


@pytest.mark.tools
def test_duplicate_keys_fail(location, tool):
    text = "apiVersion: x.example/v1\nkind: Thing\nspec: {size: 1, size: 2}\n"
    verdicts = kubeconform.validate([("k", text)], [location], program=tool("kubeconform"))
    assert (verdicts.valid, [key for key, _, _ in verdicts.failures]) == (0, ["k"])


@pytest.mark.tools
def test_many_and_large_objects_are_all_counted(location, tool):
    large = VALID + "# " + "x" * 5_000_000 + "\n"
    documents = [(f"k{n}", large if n == 3 else VALID) for n in range(300)]
    assert kubeconform.validate(documents, [location], program=tool("kubeconform")) == (300, (), ())


@pytest.mark.tools
def test_later_locations_are_asked_when_earlier_ones_have_no_schema(location, tool, tmp_path):
    other = f"{tmp_path}/none/{{{{ .ResourceKind }}}}.json"
    assert kubeconform.validate([("k", VALID)], [other, location], program=tool("kubeconform")).valid == 1


@pytest.mark.tools
@pytest.mark.parametrize("kind", ["Broken", "Garbled"])
def test_schema_that_cannot_be_used_is_no_fault_of_the_object(location, tool, kind):
    text = f"apiVersion: x.example/v1\nkind: {kind}\n"
    with pytest.raises(ProgramError, match=f"kubeconform could not check a {kind}: "):
        kubeconform.validate([("k", text)], [location], program=tool("kubeconform"))


@pytest.mark.tools
def test_location_that_cannot_be_reached_is_no_fault_of_the_object(tool):
    with pytest.raises(ProgramError, match="could not check a Thing: failed downloading schema"):
        kubeconform.validate([("k", VALID)], ["http://127.0.0.1:1/{{.ResourceKind}}.json"], program=tool("kubeconform"))


@pytest.mark.tools
def test_misspelt_template_is_said(tool):
    with pytest.raises(ProgramError, match=r"no answer that can be read \(exit code 1\).*Nope"):
        kubeconform.validate([("k", VALID)], ["/x/{{.Nope}}.json"], program=tool("kubeconform"))


@pytest.mark.tools
@pytest.mark.parametrize("text", [
    "apiVersion: v1\nkind: List\nitems:\n" + "- {apiVersion: x.example/v1, kind: Thing, spec: {}}\n" * 2,
    VALID + "---\n" + VALID,
])
def test_text_that_is_not_one_object_is_noticed(location, tool, text):
    with pytest.raises(ProgramError, match="answered for 2 objects instead of 1"):
        kubeconform.validate([("k", text)], [location], program=tool("kubeconform"))


@pytest.mark.tools
def test_empty_text_is_not_valid(location, tool):
    with pytest.raises(ProgramError):
        kubeconform.validate([("k", "# nothing\n")], [location], program=tool("kubeconform"))


def test_nothing_is_asked_without_objects_or_locations():
    assert kubeconform.validate([], ["/x.json"], program="/nonexistent") == (0, (), ())
    assert kubeconform.validate([("k", VALID)], [], program="/nonexistent") == (0, (), ("k",))


ANSWER = {"resources": [{"filename": "/tmp/000000.yaml", "kind": "Thing", "name": "", "version": "x.example/v1",
                         "status": "statusValid", "msg": ""}]}


def answer(change: dict, count: int = 1) -> str:
    return json.dumps({"resources": [{**ANSWER["resources"][0], **change}] * count})


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo not json", "gave no answer that can be read .*: not json"),
        ("exit 0", r"gave no answer that can be read \(exit code 0\): nothing"),
        ("echo oops >&2; exit 3", r"exit code 3\): oops"),
        ("echo '[]'", "gave no answer"),
        ("echo '{\"resources\": [1]}'", "gave no answer"),
        ("echo '{\"resources\": []}'", "answered for 0 objects instead of 1"),
        (f"echo '{answer({}, 2)}'", "answered for 2 objects instead of 1"),
        (f"echo '{answer({'filename': 'other.yaml'})}'", "answered for 1 objects instead of 1"),
        (f"echo '{answer({})}'; exit 1", "exit code 1, which its answer contradicts"),
        (f"echo '{answer({'status': 'statusInvalid'})}'", "exit code 0, which its answer contradicts"),
        (f"echo '{answer({'status': 'statusSkipped'})}'", "could not check a Thing: statusSkipped"),
        (f"echo '{answer({'status': ''})}'", "could not check a Thing: nothing"),
        ("kill -KILL $$", "kubeconform was killed by signal 9"),
        ("sleep 600", "kubeconform timed out after 0.5 s"),
    ],
)
def test_program_that_misbehaves_is_not_believed(fake, script, message):
    with pytest.raises(ProgramError, match=message) as caught:
        kubeconform.validate([("k", VALID)], ["/x.json"], program=fake(script),
                             timeout=0.5 if "sleep" in script else 30)
    assert caught.value.exit_code == 3


def test_missing_program_is_said():
    with pytest.raises(ProgramError, match="there is no program /nonexistent"):
        kubeconform.validate([("k", VALID)], ["/x.json"], program="/nonexistent")


@pytest.mark.parametrize(
    ("api_version", "kind", "known"),
    [
        ("x.example/v1", "Thing", True),
        ("x.example/v1", "THING", True),
        ("x.example/v2", "Thing", False),
        ("y.example/v1", "Thing", False),
        ("v1", "Thing", False),
        ("", "", False),
    ],
)
def test_has_schema_reads_templates_as_kubeconform_does(location, api_version, kind, known):
    assert kubeconform.has_schema([location], api_version, kind) is known


def test_has_schema_knows_the_standard_layout_and_cannot_tell_of_remote_places(tmp_path):
    folder = tmp_path / "master-standalone-strict"
    folder.mkdir()
    (folder / "job-batch-v1.json").write_text("{}")
    (folder / "pod-v1.json").write_text("{}")
    local = [str(tmp_path)]
    assert kubeconform.has_schema(local, "batch/v1", "Job")
    assert kubeconform.has_schema(local, "v1", "Pod")
    assert not kubeconform.has_schema(local, "v1", "Service")
    assert not kubeconform.has_schema([], "v1", "Pod")
    for remote in ("default", "https://example.com/{{.ResourceKind}}.json", "/x/{{if .Group}}x{{end}}.json"):
        assert kubeconform.has_schema([*local, remote], "v1", "Service")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ()),
        ("/spec/size", ("spec", "size")),
        ("/spec/list/1", ("spec", "list", 1)),
        ("/meta/labels/x.example/name", ("meta", "labels", "x.example/name")),
        ("/meta/labels/a/b/c", ("meta", "labels", "a", "b/c")),
        ("/meta/labels/0/x", ("meta", "labels", "0/x")),
        ("/spec/list/7", ("spec", "list")),
        ("/spec/absent/x", ("spec",)),
        ("/absent", ()),
    ],
)
def test_paths_without_escapes_find_their_pointer(path, expected):
    data = {"spec": {"size": 1, "list": [1, 2]},
            "meta": {"labels": {"x.example/name": "v", "a/b": 1, "a": {"b/c": 1}, "0/x": 1}}}
    assert kubeconform.pointer(data, path) == expected
