"""Real manifests: none raises, templates are told apart, every value is found at its place."""

from pathlib import Path

from gangform.text.reading import Positions, read


def files(shared: Path) -> list[Path]:
    return sorted(path for path in (shared / "corpus").rglob("*")
                  if path.suffix in {".yaml", ".yml"} and path.is_file())


def walk(value, pointer=()):
    yield pointer, value
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in children:
        yield from walk(item, (*pointer, key))


def test_templates_are_left_alone_and_everything_else_is_read(shared):
    for path in files(shared):
        result = read(path.name, path.read_bytes())
        is_template = path.parent.name == "helm"
        assert bool(result.templated) == is_template, path
        assert {finding.rule for finding in result.findings} <= {"templated"}, path
        assert result.documents or is_template, path


def test_both_parsers_read_the_same(shared):
    for path in files(shared):
        assert read("x", path.read_bytes()) == read("x", path.read_bytes(), pure=True), path


def test_every_string_is_found_where_it_is_written(shared):
    found = 0
    for path in files(shared):
        for document in read(path.name, path.read_bytes()).documents:
            lines = document.source.text.splitlines()
            positions = Positions(document)
            for pointer, value in walk(document.data):
                node = positions.node(pointer)
                assert node is not None, (path, pointer)
                if isinstance(value, str) and value.isidentifier() and node.alias is None:
                    place = positions.place(pointer)
                    written = lines[place.line - 1][place.column - 1:place.end_column - 1]
                    assert written.strip("\"'") == value, (path, pointer)
                    found += 1
    assert found > 1000, "the corpus holds thousands of such values"


