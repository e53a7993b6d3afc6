"""The metrics, by name. Labels are namespaces, queues, backends and states; no metric has one of a job."""

from collections.abc import Callable, Iterable
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from gangform.controller.tally import Tally
from gangform.status.picture import ALARMING

WAIT_BUCKETS = (1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 86400, 259200)
"""Seconds: from a start at once to three days in a queue."""


class _Gangs(Collector):
    """Numbers of gangs and pods, read from the tally at the moment they are asked for."""

    def __init__(self, tally: Tally, now: Callable[[], int]) -> None:
        self._tally = tally
        self._now = now

    def describe(self) -> Iterable[Metric]:
        return self._families()

    def collect(self) -> Iterable[Metric]:
        gangs, members, waits, alarms = families = self._families()
        alarming: dict[tuple[str, str], int] = {}
        for place, number in sorted(self._tally.gangs.items()):
            gangs.add_metric(place, number)
            if place.state in ALARMING:
                key = (place.namespace, place.state)
                alarming[key] = alarming.get(key, 0) + number
        for namespace, counts in sorted(self._tally.members.items()):
            for name, number in counts.items():
                members.add_metric((namespace, name), number)
        for namespace, state, seconds in self._tally.longest_waits(self._now()):
            waits.add_metric((namespace, state), seconds)
        for key, number in alarming.items():
            alarms.add_metric(key, number)
        return families

    @staticmethod
    def _families() -> tuple[GaugeMetricFamily, ...]:
        return (
            GaugeMetricFamily("gangform_gangs", "Gangs by state.", labels=("state", "backend", "namespace", "queue")),
            GaugeMetricFamily(
                "gangform_members", "Pods of gangs that are not over: desired, existing, bound to a node, ready.",
                labels=("namespace", "count")),
            GaugeMetricFamily(
                "gangform_longest_wait_seconds", "How long the gang that has waited longest has been in its state.",
                labels=("namespace", "state")),
            GaugeMetricFamily(
                "gangform_alarms", "Gangs in a state that no waiting mends.", labels=("namespace", "state")),
        )


class Metrics:
    """All metrics of one controller, in a registry of their own."""

    def __init__(self, tally: Tally, now: Callable[[], int]) -> None:
        quieten: Any = disable_created_metrics
        quieten()  # a time of creation beside each counter: nobody asks for it
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self.registry.register(_Gangs(tally, now))
        self.waited = Histogram(
            "gangform_gang_waiting_seconds", "Seconds that a gang waited until it was whole.", buckets=WAIT_BUCKETS,
            registry=self.registry)
        self.changes = Counter(
            "gangform_changes", "Changes of objects that were seen.", ("kind",), registry=self.registry)
        self.writes = Counter(
            "gangform_writes", "Writes to the cluster: condition, event, wake; done, gone, refused, failed.",
            ("what", "outcome"), registry=self.registry)
        self.errors = Counter(
            "gangform_errors", "Gangs that could not be judged; the log says why.", registry=self.registry)
        self.leading = Gauge("gangform_leading", "1 while this process is the one that writes.", registry=self.registry)
        self.unseen = Gauge(
            "gangform_unseen_objects", "Objects of the cluster that no watch has brought.", ("kind",),
            registry=self.registry)
