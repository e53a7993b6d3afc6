"""kube-scheduler refuses this configuration: its queue would be sorted in two ways.

A profile has exactly one queueSort plugin, and all profiles of one process share it and its arguments (kubernetes
pkg/scheduler/profile/profile.go and framework/runtime/framework.go, v1.37). Coscheduling sorts the queue
itself: PrioritySort must be off in its profile, and every other profile must sort by Coscheduling too. Else the
scheduler does not start, and no pod of its profiles is placed.

Bad::

    apiVersion: v1
    kind: ConfigMap
    metadata: {name: scheduler-config}
    data:
      scheduler-config.yaml: |
        apiVersion: kubescheduler.config.k8s.io/v1
        kind: KubeSchedulerConfiguration
        profiles:
        - schedulerName: scheduler-plugins-scheduler  # <- here
          plugins:
            multiPoint:
              enabled:
              - name: Coscheduling

Good::

    apiVersion: v1
    kind: ConfigMap
    metadata: {name: scheduler-config}
    data:
      scheduler-config.yaml: |
        apiVersion: kubescheduler.config.k8s.io/v1
        kind: KubeSchedulerConfiguration
        profiles:
        - schedulerName: scheduler-plugins-scheduler
          plugins:
            multiPoint:
              enabled:
              - name: Coscheduling
              disabled:
              - name: PrioritySort

Mend: disable PrioritySort in the profile of Coscheduling; give every further profile the same queueSort, or a scheduler
of its own.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import get

ID = "multi-profile-queue-sort"
SEVERITY = Severity.ERROR

_DEFAULT = "PrioritySort"
_SORTERS = frozenset({_DEFAULT, "Coscheduling", "QOSSort"})
"""Plugins of Kubernetes and of scheduler-plugins that sort the queue."""


def check(subject: Subject, _scene: Scene) -> Iterator[Problem]:
    """Work out how each profile sorts, and compare."""
    if (subject.ref.group, subject.ref.kind) != ("kubescheduler.config.k8s.io", "KubeSchedulerConfiguration"):
        return
    profiles = get(subject.data, ("profiles",))
    profiles = profiles if isinstance(profiles, list) else []
    sorters = [_sorters(profile) for profile in profiles]
    if not any("Coscheduling" in names for names in sorters):
        return
    for number, names in enumerate(sorters):
        if len(names) > 1:
            yield Problem(
                ("profiles", number, "schedulerName"),
                f"{_title(profiles, number)} sorts its queue by {' and '.join(names)}; one queueSort plugin is allowed",
                "disable PrioritySort beside Coscheduling: plugins.multiPoint.disabled: [{name: PrioritySort}]",
            )
    if any(len(names) != 1 for names in sorters):
        return
    for number in range(1, len(profiles)):
        first, here = ((sorters[n][0], _arguments(profiles[n], sorters[n][0])) for n in (0, number))
        if first != here:
            what = (f"by {here[0]}, {_title(profiles, 0)} by {first[0]}" if first[0] != here[0]
                    else f"by {here[0]} with other arguments than {_title(profiles, 0)}")
            yield Problem(
                ("profiles", number, "schedulerName"),
                f"{_title(profiles, number)} sorts its queue {what}; all profiles of one scheduler must agree",
                "give every profile the same queueSort plugin and arguments, or run a scheduler of its own",
            )


def _title(profiles: list[Any], number: int) -> str:
    name = get(profiles[number], ("schedulerName",))
    return f"profile {name if isinstance(name, str) else number + 1}"


def _sorters(profile: Any) -> tuple[str, ...]:
    """Return the queueSort plugins of a profile.

    Mirrors kubernetes pkg/scheduler/framework/runtime/framework.go expandMultiPointPlugins and
    apis/config/v1/default_plugins.go mergePlugins (1.37): what stands under queueSort comes first, multiPoint fills
    up, and either can be disabled by name or as a whole.
    """
    off = _names(profile, "multiPoint", "disabled")
    many = ([] if off & {"*", _DEFAULT} else [_DEFAULT]) + sorted(_names(profile, "multiPoint", "enabled"))
    own = sorted(_names(profile, "queueSort", "enabled"))
    hidden = _names(profile, "queueSort", "disabled")
    shared = [] if "*" in hidden else [name for name in many if name in _SORTERS and name not in hidden]
    return tuple(dict.fromkeys((*own, *shared)))


def _names(profile: Any, point: str, what: str) -> set[str]:
    entries = get(profile, ("plugins", point, what))
    names = (get(entry, ("name",)) for entry in (entries if isinstance(entries, list) else ()))
    return {name for name in names if isinstance(name, str)}


def _arguments(profile: Any, plugin: str) -> Mapping[str, Any] | None:
    entries = get(profile, ("pluginConfig",))
    found = (get(entry, ("args",)) for entry in (entries if isinstance(entries, list) else ())
             if get(entry, ("name",)) == plugin)
    return next((args for args in found if isinstance(args, dict)), None)
