"""One YAML document's text to plain data and to everything that is wrong with it.

PyYAML's own composer refuses what kubectl accepts (an anchor defined twice) and its constructor
reads scalars differently, so data is built straight from the parser's events.
"""

from typing import Any, NoReturn

from yaml.error import YAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from gangform.model.pointer import Pointer
from gangform.text.events import JsonText, find_json, open_events
from gangform.text.faults import Composition, Fault
from gangform.text.frames import ITEM, KEY, MERGE, Frame, copy, is_mergeable, path
from gangform.text.scalars import (
    HINTS,
    Unreadable,
    check_finite,
    is_ambiguous,
    is_merge,
    key_text,
    read_tagged,
    resolve,
)

MAX_NODES = 500_000
"""Values of one document after its aliases are expanded."""

MAX_DEPTH = 100
"""Maps and lists inside each other."""

_TOO_DEEP = (f"maps and lists are nested more than {MAX_DEPTH} deep",
             "no Kubernetes object needs that depth; mend the structure")
_LIBYAML_TOO_DEEP = "exceeded maximum nesting depth"


class _Halted(Exception):  # noqa: N818
    """The document cannot be read to its end."""


def compose(text: str, first_line: int = 1, *, pure: bool = False) -> Composition:
    """Read one document; never raises.

    Args:
        text: one document, without characters that YAML forbids.
        first_line: line number of its first line, from 1.
        pure: whether to do without libyaml.
    """
    composer = _Composer(find_json(text))
    try:
        composer.run(text, pure=pure)
    except _Halted:
        pass
    except (YAMLError, ValueError) as error:
        composer.report_syntax(error, text, first_line)
    root = composer.frames[0].data
    return Composition(root[0] if root else None, tuple(composer.faults))


class _Composer:
    """The state of one document's composition."""

    def __init__(self, json: JsonText | None) -> None:
        self._json = json
        self.frames = [Frame([], ITEM, None, 0)]
        self.faults: list[Fault] = []
        self._anchors: dict[str, Any] = {}
        self._nodes = 0
        self._documents = 0

    def run(self, text: str, *, pure: bool) -> None:
        """Take events until the end of the stream."""
        next_event = open_events(self._json.shadow if self._json else text, pure=pure)
        take_scalar = self._take_scalar
        handlers: dict[type, Any] = {
            AliasEvent: self._take_alias, DocumentStartEvent: self._begin_document,
            MappingStartEvent: self._begin_map, SequenceStartEvent: self._begin_list,
            MappingEndEvent: self._end, SequenceEndEvent: self._end,
        }
        while True:
            event = next_event()
            kind = type(event)
            if kind is ScalarEvent:
                take_scalar(event)
            elif kind in handlers:
                handlers[kind](event)
            elif kind is StreamEndEvent:
                return

    def report_syntax(self, error: Exception, text: str, first_line: int) -> None:
        """Note what the parser raised."""
        from gangform.text.syntax import explain

        frame = self.frames[-1]
        in_brackets = frame.event and frame.event.flow_style
        fault = explain(error, text, first_line, frame.event.start_mark.index if in_brackets else None)
        code, words = "yaml-syntax", (fault.message, fault.hint)
        if getattr(error, "problem", "") == _LIBYAML_TOO_DEEP:
            code, words = "yaml-limit", _TOO_DEEP
        self.faults.append(Fault(code, path(self.frames) + frame.step(), fault.offset, fault.offset + 1, *words))

    def _halt(self, event: Any, message: str, hint: str, code: str = "yaml-syntax") -> NoReturn:
        self._report(event, code, message, hint, self.frames[-1].step(), fatal=True)
        raise _Halted

    def _report(self, event: Any, code: str, message: str, hint: str, step: Pointer, *,
                fatal: bool = False, other: int | None = None) -> None:
        self.faults.append(Fault(code, path(self.frames) + step, event.start_mark.index, event.end_mark.index,
                                 message, hint, fatal, other))

    def _begin_document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1 or (event.version and event.version not in {(1, 1), (1, 2)}):
            self._halt(event, "this `---` or `%YAML` line is not valid here", "put `---` on a line of its own")

    def _count(self, event: Any, nodes: int, height: int) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            self._halt(event, f"the document holds more than {MAX_NODES:,} values, aliases expanded",
                       "split it into several documents", "yaml-limit")
        if len(self.frames) - 1 + height > MAX_DEPTH:
            self._halt(event, *_TOO_DEEP, "yaml-limit")

    def _take_scalar(self, event: Any) -> None:
        text = event.value
        frame = self.frames[-1]
        self._nodes += 1
        if event.tag or event.anchor or self._json or self._nodes > MAX_NODES:
            self._count(event, 0, 0)
            value = self._read_scalar(event)
            if event.anchor:
                self._anchors[event.anchor] = (value, 1, 0)
        else:
            value = self._read_plain(event, text) if event.implicit[0] and (not text or text[0] in HINTS) else text
        key = frame.key
        if key is ITEM:
            frame.data.append(value)
        elif key is KEY:
            if value == "<<" and is_merge(event):
                value = MERGE
            if type(value) is str and value not in frame.seen:
                frame.seen[value] = event.start_mark.index
                frame.key = value
            else:
                self._take_key(event, value)
        else:
            self._place(event, value)

    def _read_scalar(self, event: Any) -> Any:
        if event.tag:
            return self._check(event, read_tagged(event.value, event.tag))
        if event.implicit[0]:
            return self._read_plain(event, event.value)
        return self._json.read(event) if self._json and event.style == '"' else event.value

    def _read_plain(self, event: Any, text: str) -> Any:
        value = resolve(text)
        if type(value) is bool or text[4:5] == "-":
            self._check_ambiguity(event, text, value)
        return self._check(event, value) if type(value) is float else value

    def _check(self, event: Any, value: Any) -> Any:
        frame = self.frames[-1]
        checked = value if frame.key is KEY else check_finite(value)
        if type(checked) is not Unreadable:
            return checked
        if frame.key is KEY:
            self._halt(event, checked.message, checked.hint)
        self._report(event, "yaml-syntax", checked.message, checked.hint, frame.step(), fatal=True)
        return None

    def _check_ambiguity(self, event: Any, text: str, value: Any) -> None:
        if not is_ambiguous(text):
            return
        frame = self.frames[-1]
        is_key = frame.key is KEY
        if isinstance(value, bool):
            word = "true" if value else "false"
            message = f"kubectl reads the {'key' if is_key else 'value'} {text} as {word}, kustomize as text"
            hint = f'write "{text}" if text is meant' + ("" if is_key else f", else {word}")
        else:
            message = f"kubectl reads {text} as text, kustomize rewrites it as a point in time"
            hint = f'write "{text}"'
        step = (str(key_text(value)),) if is_key else frame.step()
        self._report(event, "ambiguous-scalar", message, hint, step)

    def _take_key(self, event: Any, value: Any) -> None:
        frame = self.frames[-1]
        key = value if value is MERGE else key_text(value)
        if type(key) is Unreadable:
            self._halt(event, key.message, key.hint)
        if key in frame.seen:
            shown = "<<" if key is MERGE else str(key)
            self._report(event, "yaml-duplicate-key",
                         f"the key {shown} is here for the second time; it is on line {{line}} already",
                         "keep one of the two", (shown,), other=frame.seen[key])
        else:
            frame.seen[key] = event.start_mark.index
        frame.key = key

    def _take_alias(self, event: Any) -> None:
        found = self._anchors.get(event.anchor)
        if found is None:
            self._halt(event, f"*{event.anchor} refers to an anchor that this document does not define above",
                       f"write &{event.anchor} before the value that is meant; anchors do not reach across ---")
        if type(found) is Frame:
            self._halt(event, f"*{event.anchor} refers to the value that it stands in", "write the value out")
        value, nodes, height = found
        frame = self.frames[-1]
        if frame.key is MERGE and height:
            height -= 1
        self._count(event, nodes, height)
        if frame.key is KEY:
            if isinstance(value, dict | list):
                self._refuse_key(event)
            self._take_key(event, value)
            return
        if frame.key is MERGE and type(value) is list:
            self._refuse_merge(event)
        frame.height = max(frame.height, height)
        self._place(event, copy(value))

    def _begin_map(self, event: Any) -> None:
        self._begin(event, Frame({}, KEY, event, self._nodes))

    def _begin_list(self, event: Any) -> None:
        self._begin(event, Frame([], ITEM, event, self._nodes))

    def _begin(self, event: Any, frame: Frame) -> None:
        if self.frames[-1].key is KEY:
            self._refuse_key(event)
        self._nodes += 1
        if self._nodes > MAX_NODES or len(self.frames) > MAX_DEPTH:
            self._count(event, 0, 1)
        if event.anchor:
            self._anchors[event.anchor] = frame
        self.frames.append(frame)

    def _end(self, event: Any) -> None:
        frame = self.frames[-1]
        if frame.merges:
            self._merge(frame)
        self.frames.pop()
        parent = self.frames[-1]
        height = frame.height + 1
        parent.height = max(parent.height, height)
        anchor = frame.event.anchor
        if anchor and self._anchors[anchor] is frame:
            self._anchors[anchor] = (frame.data, self._nodes - frame.nodes, height)
        self._place(event, frame.data)

    def _place(self, event: Any, value: Any) -> None:
        frame = self.frames[-1]
        if frame.key is ITEM:
            frame.data.append(value)
        elif frame.key is MERGE:
            if not is_mergeable(value):
                self._refuse_merge(event)
            frame.merges.append(value)
            frame.key = KEY
        else:
            frame.data[frame.key] = value
            frame.key = KEY

    def _merge(self, frame: Frame) -> None:
        start = frame.seen[MERGE]
        for key in frame.merge():
            self.faults.append(Fault(
                "ambiguous-merge", (*path(self.frames), key), start, start + len("<<"),
                f"kubectl lets the merged value replace {key} on line {{line}}, kustomize does not",
                "put the `<<` line first in its map", fatal=False, other=frame.seen[key]))

    def _refuse_key(self, event: Any) -> NoReturn:
        self._halt(event, "a map or list stands where a key should be",
                   "quote the key or value if it begins with a bracket or brace")

    def _refuse_merge(self, event: Any) -> NoReturn:
        self._halt(event, "`<<` merges maps, and its value is no map or list of maps",
                   "refer to a map, or quote the key if `<<` itself is meant")
