"""When a rule may be called of no use for an object: only if it is silent in every setting."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.contracts import Scene, Subject
from gangform.idleness import is_idle
from gangform.model.finding import Problem, Severity
from gangform.text import reading
from repository import job

Speaks = Callable[[Subject, Scene], bool]


def idle(speaks: Speaks, *, whole: bool = True) -> bool:
    def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
        if speaks(subject, scene):
            yield Problem((), "wrong", "mend it")

    rule = SimpleNamespace(ID="stub", SEVERITY=Severity.ERROR, check=check, __doc__="A stub.")
    catalog = CATALOG._replace(rules={"stub": rule})
    inspection = pipeline.inspect(reading.read("pi.yaml", job()).documents, catalog)
    (item,) = inspection.objects
    scene = pipeline.assemble(inspection, catalog, whole=whole)
    return is_idle(item.subject, item.document, scene, catalog, "stub")


def test_a_rule_that_never_speaks_is_idle() -> None:
    assert idle(lambda _subject, _scene: False)
    assert idle(lambda _subject, _scene: False, whole=False)


@pytest.mark.parametrize("speaks", [
    lambda _subject, scene: scene.backend == "volcano",
    lambda _subject, scene: scene.groups == "operator",
    lambda _subject, scene: not scene.at_least("volcano", "1.12"),
    lambda _subject, scene: scene.whole,
    lambda _subject, scene: scene.options.get("schedulerName") not in {None, "volcano"},
    lambda subject, _scene: subject.gang is not None and subject.gang.backend == "coscheduling",
    lambda subject, _scene: bool(subject.bonds),
    lambda _subject, scene: scene.before is not None and scene.before.get(("", "", "", "")) is None and False,
], ids=["backend", "groups", "old versions", "whole", "scheduler's name", "generated group", "marked job", "revision"])
def test_a_rule_that_speaks_in_another_setting_is_not_idle(speaks: Speaks) -> None:
    assert not idle(speaks, whole=False)


@pytest.mark.parametrize("seek", [
    lambda scene: ("", "ConfigMap") in scene.by_kind,
    lambda scene: scene.by_kind.get(("", "ConfigMap"), ()),
    lambda scene: scene.gangs.get(("volcano", "", "elsewhere")),
    lambda scene: ("volcano", "", "elsewhere") in scene.bound,
])
def test_a_rule_that_misses_an_object_in_part_of_a_deployment_is_not_idle(seek: Callable[[Scene], object]) -> None:
    assert not idle(lambda _subject, scene: bool(seek(scene)), whole=False)
    assert idle(lambda _subject, scene: bool(seek(scene)), whole=True)
