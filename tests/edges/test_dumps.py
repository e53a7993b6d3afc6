"""What kubectl printed is read in every form it comes in; anything else is one clear message."""

import json

import pytest

from gangform.edges import dumps
from gangform.model.errors import InputError


def pod(name: str, **more: object) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "a"}, **more}


def listed(*items: object) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": list(items)}


def names(text: str | bytes) -> list[str]:
    data = text.encode() if isinstance(text, str) else text
    return [one["metadata"]["name"] for one in dumps.read("dump", data).objects]


def test_a_list_gives_its_items() -> None:
    assert names(json.dumps(listed(pod("a"), pod("b")))) == ["a", "b"]


def test_a_single_object_is_itself() -> None:
    assert names(json.dumps(pod("a"))) == ["a"]


def test_lists_in_lists_are_opened() -> None:
    assert names(json.dumps(listed(pod("a"), listed(pod("b"), listed(pod("c")))))) == ["a", "b", "c"]


def test_several_texts_one_after_the_other_are_all_read() -> None:
    text = json.dumps(listed(pod("a")), indent=4) + "\n" + json.dumps(listed(pod("b"))) + json.dumps(pod("c"))
    assert names(text) == ["a", "b", "c"]


def test_yaml_of_several_documents_is_read() -> None:
    assert names("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n"
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: b}\n") == ["a", "b"]


def test_items_of_a_typed_list_get_its_kind() -> None:
    raw = {"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "a"}}]}
    (one,) = dumps.read("dump", json.dumps(raw).encode()).objects
    assert (one["apiVersion"], one["kind"]) == ("v1", "Pod")


def test_a_list_of_nothing_is_no_fault() -> None:
    assert names(json.dumps({"apiVersion": "v1", "kind": "PodList", "items": None})) == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_windows_saves_is_read(encoding: str) -> None:
    text = json.dumps(listed(pod("ä", status={"startTime": "2026-12-01T10:00:00Z"})), ensure_ascii=False)
    dump = dumps.read("dump", text.encode(encoding))
    assert [one["metadata"]["name"] for one in dump.objects] == ["ä"]
    assert dump.newest == "2026-12-01T10:00:00Z"


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.9])
def test_a_dump_that_is_cut_off_says_so_and_where(keep: float) -> None:
    text = json.dumps(listed(pod("a"), pod("b"), pod("c")), indent=1)
    with pytest.raises(InputError, match=r"^dump:\d+:\d+: the JSON ends before its last bracket: the dump is cut off"):
        names(text[:int(len(text) * keep)].rstrip())


@pytest.mark.parametrize(("text", "says"), [
    ('{"kind": NaN}', "NaN stands where a number should"),
    ('{"a" 1}', "dump:1:6: no JSON here"),
    ("[" * 100_000, "without end"),
    ('{"a": ' * 100_000, "without end"),
    ("[" * 200 + "]" * 200, "without end"),
    ("[1]", "int where an object should be"),
    ('{"items": []}', "without apiVersion and kind"),
    ("error: You must be logged in to the server\n", "dump"),
    ("a: [\n", "dump:1:4"),
    (b"\x80\x81", "no text in UTF-8"),
])
def test_what_is_no_dump_is_refused_with_one_message(text: str | bytes, says: str) -> None:
    with pytest.raises(InputError) as refused:
        names(text)
    assert says in refused.value.message
    assert "\n" not in refused.value.message


def test_a_table_of_kubectl_is_refused_with_how_to_save_a_dump() -> None:
    with pytest.raises(InputError) as refused:
        names("NAME    AGE\npi      5m\n")
    assert "kubectl get ... -o json" in refused.value.hint


def test_the_newest_time_is_one_that_kubernetes_wrote() -> None:
    one = pod("a", spec={"env": [{"name": "UNTIL", "value": "2030-01-01T00:00:00Z"}]})
    one["metadata"] = {"name": "a", "creationTimestamp": "2026-12-01T09:00:00Z",
                       "deletionTimestamp": "2031-01-01T00:00:00Z",
                       "annotations": {"example.com/time": "2032-01-01T00:00:00Z"}}
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "eventTime": "2026-12-01T09:30:00.123456Z"}
    assert dumps.read("dump", json.dumps(listed(one, event)).encode()).newest == "2026-12-01T09:30:00Z"


def test_without_any_time_there_is_no_newest() -> None:
    assert dumps.read("dump", json.dumps(pod("a")).encode()).newest == ""
