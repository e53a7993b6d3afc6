"""One cluster with gangs of every sort."""

import json

from gangform.status.picture import Key
from situations import (
    CPU,
    NAMESPACE,
    QUOTA,
    SIBLINGS,
    condition,
    event,
    group,
    job,
    nodes,
    pods,
    stranger,
    uid,
)

PI = Key(NAMESPACE, "pi")


def renamed(data, name, namespace=NAMESPACE):
    """The same object for a job of another name, or elsewhere."""
    text = json.dumps(data).replace('"pi"', f'"{name}"').replace('"pi-', f'"{name}-')
    made = json.loads(text)
    made["metadata"] |= {"namespace": namespace, "uid": uid(made["metadata"]["uid"], name, namespace)}
    return made


CLUSTER = [
    *nodes(), job(), group(), *pods(said=CPU),
    *(renamed(one, "run") for one in (job("volcano"), group("volcano"), *pods(node="n1", backend="volcano"))),
    *(renamed(one, "quota") for one in (job(), group(), *pods(said=SIBLINGS)[:1], event("MPIJobFailed", QUOTA))),
    *(renamed(one, "bare") for one in (job(""), *pods(marked=False, scheduler="default-scheduler", node="n2"))),
    renamed(group("volcano", minResources={"cpu": "3"}), "left"),
    renamed(job("coscheduling", condition("Succeeded")), "over"), renamed(group(), "over"),
    stranger("web-1", node="n3", asked={"cpu": "3"}), stranger("web-2", node="n4"), stranger("web-3", said=CPU),
    event("FailedScheduling", CPU, "Pod", "pi-worker-0", component="scheduler-plugins-scheduler"),
    {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other", "namespace": NAMESPACE}},
]
