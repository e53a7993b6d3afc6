"""A configuration of Volcano under which no gang is formed.

Without the plugin gang Volcano starts the pods of a group one by one; without the action allocate it starts none
(volcano-sh/volcano pkg/scheduler/plugins/gang and actions/allocate; both are in its own defaults, v1.15). It is
a warning where the action backfill is missing and a marked template at hand asks for nothing at all: such
pods are placed by backfill alone.

Bad::

    apiVersion: v1
    kind: ConfigMap
    metadata: {name: volcano-scheduler-configmap}
    data:
      volcano-scheduler.conf: |  # <- here
        actions: "enqueue, allocate, backfill"
        tiers:
        - plugins:
          - name: priority
          - name: conformance
        - plugins:
          - name: predicates
          - name: proportion

Good::

    apiVersion: v1
    kind: ConfigMap
    metadata: {name: volcano-scheduler-configmap}
    data:
      volcano-scheduler.conf: |
        actions: "enqueue, allocate, backfill"
        tiers:
        - plugins:
          - name: priority
          - name: gang
          - name: conformance
        - plugins:
          - name: predicates
          - name: proportion

Mend: add the plugin gang to the first tier, and keep the actions "enqueue, allocate, backfill".
"""

from collections.abc import Iterator
from typing import Any

from gangform import sizing
from gangform.contracts import Scene, Subject
from gangform.model.finding import Problem, Severity
from gangform.model.pointer import Pointer, get
from gangform.text import fragments

ID = "volcano-conf-no-gang"
SEVERITY = Severity.ERROR


def check(subject: Subject, scene: Scene) -> Iterator[Problem]:
    """Read every scheduler configuration of Volcano in a ConfigMap."""
    if (subject.ref.group, subject.ref.kind) != ("", "ConfigMap"):
        return
    data = get(subject.data, ("data",))
    for key, text in data.items() if isinstance(data, dict) else ():
        if isinstance(text, str) and key.startswith("volcano-scheduler") and key.endswith(".conf"):
            for fragment in fragments.read(key, text):
                yield from _judge(fragment.data, ("data", key), scene)


def _judge(conf: Any, pointer: Pointer, scene: Scene) -> Iterator[Problem]:
    tiers, actions = get(conf, ("tiers",)), get(conf, ("actions",))
    if isinstance(tiers, list) and "gang" not in set(_plugins(tiers)):
        yield Problem(pointer, "no tier has the plugin gang: Volcano starts the pods of every group one by one",
                      "add `- name: gang` to the plugins of the first tier")
    if not isinstance(actions, str) or not actions.strip():
        return
    named = [action.strip() for action in actions.split(",")]
    if "allocate" not in named:
        yield Problem(pointer, f'the actions "{actions}" lack allocate: Volcano starts no gang',
                      'write actions: "enqueue, allocate, backfill"')
    elif "backfill" not in named and (job := _idle_job(scene)):
        yield Problem(pointer, f'the actions "{actions}" lack backfill, which alone places pods that ask for nothing, '
                      f"such as those of job {job}", 'write actions: "enqueue, allocate, backfill"',
                      severity=Severity.WARNING)


def _plugins(tiers: list[Any]) -> Iterator[str]:
    for tier in tiers:
        plugins = get(tier, ("plugins",))
        for plugin in plugins if isinstance(plugins, list) else ():
            name = get(plugin, ("name",))
            if isinstance(name, str):
                yield name


def _idle_job(scene: Scene) -> str:
    """Return the name of a job of Volcano with a marked template that requests nothing, or an empty text."""
    return next((job.ref.name for (backend, _, _), jobs in scene.bound.items() if backend == "volcano"
                 for job in jobs for _, _, roles in job.bound_roles()
                 if any(not sizing.pod_requests(role.spec) for role in roles)), "")
