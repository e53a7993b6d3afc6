"""Whether a rule would be silent about an object in every setting that it may be used in.

Only then an annotation against the rule is of no use. A rule that is silent because the scene at hand is a
part of the deployment, or is meant for another scheduler, may speak elsewhere.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from gangform import pipeline
from gangform.contracts import Backend, Catalog, Circumstances, Groups, Rule, Scene, Subject
from gangform.model.source import Document
from gangform.overlay import marks
from gangform.settings import Cluster, read_options

_OLDEST = dict.fromkeys(("kubernetes", "scheduler-plugins", "volcano", "mpi-operator", "kueue"), "0")


class _Index(dict[Any, Any]):
    """An index of a scene that remembers whether something was looked for in vain."""

    missed = False

    def get(self, key: Any, default: Any = None) -> Any:
        self.missed |= key not in self
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        found = super().__contains__(key)
        self.missed |= not found
        return found

    def __missing__(self, key: Any) -> Any:
        self.missed = True
        raise KeyError(key)


def is_idle(subject: Subject, document: Document, scene: Scene, catalog: Catalog, rule: str) -> bool:
    """Whether a rule has nothing to say of an object, now or with other settings.

    Args:
        subject: the object.
        document: its document.
        scene: what stands beside it.
        catalog: holds the rule.
        rule: its id.
    """
    module = catalog.rules[rule]
    by_kind, gangs, bound = _Index(scene.by_kind), _Index(scene.gangs), _Index(scene.bound)
    astray, written = _Index(scene.astray), _Index(scene.written)
    earlier = _Index(scene.before or {})
    watched = scene._replace(
        by_kind=by_kind, gangs=gangs, bound=bound, astray=astray, written=written, before=earlier)
    if any(_speaks(module, subject, variant) for variant in _variants(watched)):
        return False
    if scene.before is None and earlier.missed:
        return False
    if not scene.whole and any(index.missed for index in (by_kind, gangs, bound, astray, written)):
        return False
    return not any(_speaks(module, *neighbour) for backend in catalog.backends.values()
                   for neighbour in _rendered(subject, document, backend, catalog))


def _speaks(rule: Rule, subject: Subject, scene: Scene) -> bool:
    return next(rule.check(subject, scene), None) is not None


def _variants(scene: Scene) -> Iterator[Scene]:
    """Yield the scene for every scheduler under both names, with the versions at hand and the oldest ones."""
    makers: tuple[Groups, ...] = ("git", "operator")
    versions: tuple[Mapping[str, str], ...] = (scene.versions, _OLDEST)
    options: tuple[Mapping[str, Any], ...] = (scene.options, {**scene.options, "schedulerName": "of-another-name"})
    for backend, groups, stated, given, whole in product(
            ("", *scene.backends), makers, versions, options, (True, False)):
        yield scene._replace(backend=backend, groups=groups, versions=stated, options=given, whole=whole)


def _rendered(
    subject: Subject, document: Document, backend: Backend, catalog: Catalog
) -> Iterator[tuple[Subject, Scene]]:
    """Yield a job and its group as an overlay would hold them, each with the scene of both."""
    if subject.workload is None:
        return
    options, _ = read_options({}, backend)
    plan = backend.plan(subject.workload, Circumstances(options))
    objects = (marks.apply(subject.data, subject.workload, plan), *(dict(group.data) for group in plan.groups))
    inspection = pipeline.inspect((document._replace(data=data) for data in objects), catalog)
    scene = pipeline.assemble(inspection, catalog, whole=True, cluster=Cluster("", backend.NAME, "git", options))
    yield from ((item.subject, scene) for item in inspection.objects)
