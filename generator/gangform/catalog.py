"""The only module that names every plug-in. Imported only when something is checked."""

from gangform.backends import coscheduling, volcano
from gangform.contracts import Backend, Catalog, Kind, Rule
from gangform.kinds import mpijob
from gangform.rules import (
    min_member_exceeds_pods,
    partial_binding,
    pod_group_backend_mismatch,
    pod_group_missing,
    pod_group_orphan,
    pod_group_shared,
    scheduler_name_mixed,
    scheduler_name_not_backend,
    wait_for_workers_deadlock,
)

KINDS: dict[tuple[str, str], Kind] = {
    mpijob.API: mpijob,
}

BACKENDS: dict[str, Backend] = {
    "coscheduling": coscheduling,
    "volcano": volcano,
}

RULES: dict[str, Rule] = {
    "min-member-exceeds-pods": min_member_exceeds_pods,
    "partial-binding": partial_binding,
    "pod-group-backend-mismatch": pod_group_backend_mismatch,
    "pod-group-missing": pod_group_missing,
    "pod-group-orphan": pod_group_orphan,
    "pod-group-shared": pod_group_shared,
    "scheduler-name-mixed": scheduler_name_mixed,
    "scheduler-name-not-backend": scheduler_name_not_backend,
    "wait-for-workers-deadlock": wait_for_workers_deadlock,
}

YIELDS: dict[str, frozenset[str]] = {}
"""Of two rules that speak of one gang the more specific stays: id to the ids that it gives way to."""

PREVIEW: frozenset[str] = frozenset()
"""Ids that are new in this minor release: they count only with ``--preview``."""

OFF: frozenset[str] = frozenset()
"""Ids that guess, or hold only for some clusters: they count only when the user names them."""

CATALOG = Catalog(KINDS, BACKENDS, RULES, YIELDS, PREVIEW, OFF)
