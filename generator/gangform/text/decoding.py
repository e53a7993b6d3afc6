"""Bytes to text: UTF-8 with or without a byte order mark, and a clear word about anything else."""

from typing import NamedTuple

from yaml.reader import Reader

_MARK = "\ufeff"
_MARKED = (
    (b"\xff\xfe\x00\x00", "UTF-32LE"), (b"\x00\x00\xfe\xff", "UTF-32BE"),
    (b"\xff\xfe", "UTF-16LE"), (b"\xfe\xff", "UTF-16BE"),
)
_UNMARKED = {
    (True, True, True, False): "UTF-32BE", (False, True, True, True): "UTF-32LE",
    (True, False, True, False): "UTF-16BE", (False, True, False, True): "UTF-16LE",
}
"""Which of the first four bytes are zero, by encoding (as RFC 4627 has it for JSON)."""

_FORBIDDEN = Reader.NON_PRINTABLE
"""What PyYAML refuses in any text; compiled with PyYAML, where it takes milliseconds already."""


class Misfit(NamedTuple):
    """Something that is no text for YAML.

    Attributes:
        offset: in the decoded text, in characters.
        message, hint: what is there, and how to mend it.
    """

    offset: int
    message: str
    hint: str


class Decoded(NamedTuple):
    """A text, its byte order mark taken off; ``misfit`` is set when it cannot be read at all."""

    text: str
    bom: bool = False
    misfit: Misfit | None = None


def decode(data: bytes | str) -> Decoded:
    """Return the text of a file; never raises."""
    if isinstance(data, str):
        return Decoded(data.removeprefix(_MARK), data.startswith(_MARK))
    foreign = _name_encoding(data)
    if foreign:
        return Decoded("", misfit=Misfit(
            0, f"the file is {foreign}, and Kubernetes tools read UTF-8",
            f"convert it: iconv -f {foreign} -t UTF-8 (in PowerShell: Set-Content -Encoding utf8)"))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[:error.start].decode("utf-8")
        return Decoded(data.decode("utf-8", "replace").removeprefix(_MARK), before.startswith(_MARK), Misfit(
            len(before.removeprefix(_MARK)),
            f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8",
            "save the file as UTF-8 (iconv -f WINDOWS-1252 -t UTF-8 for files of older Windows programs)"))
    return Decoded(text.removeprefix(_MARK), text.startswith(_MARK))


def find_forbidden(text: str, start: int, end: int) -> Misfit | None:
    """Return the first character between two offsets that YAML forbids."""
    mark = _find_mark(text, start, end)
    match = _FORBIDDEN.search(text, start, end if mark < 0 else mark)
    if match is None:
        return None if mark < 0 else Misfit(mark, "a byte order mark stands in the middle of the text",
                                            "delete the invisible character at the begin of this line")
    name = "NUL" if match[0] == "\0" else f"U+{ord(match[0]):04X}"
    return Misfit(match.start(), f"the character {name} is not allowed in YAML",
                  "delete it, or write it as an escape in double quotes")


def _find_mark(text: str, start: int, end: int) -> int:
    """Return the offset of the first byte order mark that begins a line, or -1; inside a line it is a character."""
    mark = text.find(_MARK, start, end)
    while mark > 0 and text[mark - 1] not in "\r\n":
        mark = text.find(_MARK, mark + 1, end)
    return mark


def _name_encoding(data: bytes) -> str | None:
    for mark, name in _MARKED:
        if data.startswith(mark):
            return name
    zeros = tuple(byte == 0 for byte in data[:4])
    return _UNMARKED.get(zeros) if len(zeros) == 4 else None
