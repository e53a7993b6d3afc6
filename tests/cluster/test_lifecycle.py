"""What happens to a gang over its life: the section of that name in docs/overlays.md says what is seen here."""

from collections import Counter
from pathlib import Path

from cluster.api import Document
from cluster.cluster import Bound, Cluster
from cluster.repositories import built, gangform, job, rendered

WHOLE, NOTHING = Bound(1, 4), Bound(0, 0)


def once(name: str, **policy: object) -> Document:
    """A job of five pods of one CPU whose launcher's pod ends with its container, so that a retry is a new pod."""
    made = job(name, cpu="1", runPolicy={"cleanPodPolicy": "Running", **policy})
    made["spec"]["mpiReplicaSpecs"]["Launcher"]["restartPolicy"] = "Never"
    return made


def whole(cluster: Cluster, *names: str) -> None:
    for name in names:
        cluster.until(lambda name=name: cluster.running(name) == WHOLE, f"{name} runs whole")


def ends(cluster: Cluster, name: str, how: str) -> None:
    """Let the launcher end, and wait until the operator has seen the end of the job."""
    cluster.end(name, how)
    cluster.until(lambda: cluster.conditions(name).get(how) == "True", f"{name} has {how}")


def groups(cluster: Cluster) -> dict[str, str]:
    """The PodGroups by name, each with what it is known by: one that was made anew has another."""
    return {group["metadata"]["name"]: group["metadata"]["uid"] for group in cluster.api.list("PodGroup", cluster.namespace)}


def phases(cluster: Cluster, name: str, role: str) -> dict[str, int]:
    return dict(Counter(pod["status"]["phase"] for pod in cluster.pods(name, role)))


def test_a_suspended_gang_keeps_its_group_alone_and_is_a_gang_again_when_it_is_resumed(
    cluster: Cluster, tmp_path: Path, kustomize: str,
) -> None:
    def suspend(name: str, *, value: bool) -> None:
        cluster.api.patch("MPIJob", name, {"spec": {"runPolicy": {"suspend": value}}}, cluster.namespace)

    cluster.nodes(4, cpu="4")  # room for one of the two
    cluster.apply(*built(kustomize, rendered(tmp_path, [job("one"), job("two", runPolicy={"suspend": True})])))
    whole(cluster, "one")
    cluster.until(lambda: cluster.conditions("two").get("Suspended") == "True", "the second is suspended from the start")
    assert cluster.pods("two") == []
    made = groups(cluster)

    suspend("one", value=True)
    cluster.until(lambda: not cluster.pods("one"), "all pods of the first are gone")
    cluster.until(lambda: cluster.conditions("one")["Suspended"] == "True", "the first is suspended")
    assert cluster.conditions("one")["Running"] == "False"
    suspend("two", value=False)
    whole(cluster, "two")

    suspend("one", value=False)
    cluster.until(lambda: len(cluster.pods("one")) == 5, "the first has pods again")
    cluster.stays(lambda: cluster.bound("one") == NOTHING, "it waits with nothing", 5)
    cluster.api.delete("MPIJob", "two", cluster.namespace)
    cluster.until(lambda: not cluster.pods("two"), "the second is gone")
    cluster.wake("one")
    whole(cluster, "one")
    assert groups(cluster) == made


def test_a_launcher_that_fails_joins_its_gang_again_until_its_retries_are_used_up(
    cluster: Cluster, tmp_path: Path, kustomize: str,
) -> None:
    cluster.nodes(4, cpu="4")
    cluster.apply(*built(kustomize, rendered(tmp_path, [once("again", backoffLimit=1)])))
    whole(cluster, "again")
    workers = {pod["metadata"]["uid"] for pod in cluster.pods("again", "worker")}
    cluster.end("again", "Failed")
    cluster.until(lambda: phases(cluster, "again", "launcher") == {"Failed": 1, "Running": 1}, "a second launcher runs")
    assert cluster.running("again") == WHOLE
    assert {pod["metadata"]["uid"] for pod in cluster.pods("again", "worker")} == workers
    group = cluster.api.get("PodGroup", "again", cluster.namespace) or {}
    assert group["status"]["phase"] == "Failed", "the group's own phase knows nothing of the second"

    ends(cluster, "again", "Failed")
    cluster.until(lambda: not cluster.pods("again", "worker"), "the workers are cleaned up")
    assert phases(cluster, "again", "launcher") == {"Failed": 2}
    assert list(groups(cluster)) == ["again"]


def test_after_a_lost_worker_every_retry_waits_until_the_lost_pod_is_deleted_and_the_gang_is_woken(
    cluster: Cluster, tmp_path: Path, kustomize: str,
) -> None:
    overlay = rendered(tmp_path, [once("retries", backoffLimit=3), once("fails", backoffLimit=0)])
    said = gangform(["validate", "overlays/coscheduling"], tmp_path).stdout
    assert said.count("[retry-after-worker-loss]") == 1, said
    assert "4 of the 5 pods are left that the gang needs, so each of the 3 retries of the Launcher waits for ever" in said
    cluster.nodes(4, cpu="4")
    cluster.apply(*built(kustomize, overlay))
    whole(cluster, "retries", "fails")

    for name in ("retries", "fails"):
        cluster.end(name, "Lost", role="worker", only=[f"{name}-worker-0"])
        cluster.until(lambda name=name: phases(cluster, name, "worker") == {"Failed": 1, "Running": 3}, "a worker is lost")
        cluster.end(name, "Failed")
    cluster.until(lambda: cluster.conditions("fails").get("Failed") == "True", "a job without retries says that it failed")
    cluster.until(lambda: phases(cluster, "retries", "launcher") == {"Failed": 1, "Pending": 1}, "the retry is there")
    cluster.until(lambda: len(cluster.reasons("retries")) == 1, "the scheduler says why it waits")
    (why,) = cluster.reasons("retries").values()
    assert "cannot find enough sibling pods, current pods number: 4, minMember of group: 5" in why

    cluster.wake("retries")
    cluster.stays(lambda: phases(cluster, "retries", "launcher") == {"Failed": 1, "Pending": 1}, "the retry waits", 6)
    assert phases(cluster, "retries", "worker") == {"Failed": 1, "Running": 3}
    assert cluster.conditions("retries") == {"Created": "True", "Running": "True"}, "nobody would know"

    cluster.api.delete("Pod", "retries-worker-0", cluster.namespace)
    cluster.until(lambda: phases(cluster, "retries", "worker") == {"Pending": 1, "Running": 3}, "the worker is made anew")
    cluster.stays(lambda: cluster.running("retries") == Bound(0, 3), "nobody wakes the launcher", 5)
    cluster.wake("retries")
    whole(cluster, "retries")


def test_what_is_left_of_a_finished_gang_is_for_its_policies_to_say_but_job_and_group_always_stay(
    cluster: Cluster, tmp_path: Path, kustomize: str,
) -> None:
    policies = {
        "none": {"cleanPodPolicy": "None"}, "running": {"cleanPodPolicy": "Running"}, "all": {"cleanPodPolicy": "All"},
        "ttl": {"cleanPodPolicy": "Running", "ttlSecondsAfterFinished": 2},
    }
    launchers = {"none": {"Succeeded": 1}, "running": {"Succeeded": 1}, "all": {"Succeeded": 1}, "ttl": {}}
    workers = {"none": {"Running": 3, "Failed": 1}, "running": {"Failed": 1}, "all": {}, "ttl": {"Failed": 1}}

    def left(role: str) -> dict[str, dict[str, int]]:
        return {name: phases(cluster, name, role) for name in policies}

    cluster.nodes(4, cpu="4")
    jobs = [job(name, cpu="500m", runPolicy=policy) for name, policy in policies.items()]
    cluster.apply(*built(kustomize, rendered(tmp_path, jobs)))
    whole(cluster, *policies)
    for name in policies:
        cluster.end(name, "Failed", role="worker", only=[f"{name}-worker-0"])
    cluster.until(lambda: all(found == {"Failed": 1, "Running": 3} for found in left("worker").values()), "one of each ended")
    for name in policies:
        ends(cluster, name, "Succeeded")

    cluster.until(lambda: (left("launcher"), left("worker")) == (launchers, workers), "what is cleaned up is gone")
    cluster.stays(lambda: (left("launcher"), left("worker")) == (launchers, workers), "the rest stays", 3)
    assert all(cluster.conditions(name)["Succeeded"] == "True" for name in policies)
    assert groups(cluster).keys() == policies.keys()


def test_a_deleted_job_leaves_its_group_which_takes_the_job_that_is_applied_after_it(
    cluster: Cluster, tmp_path: Path, kustomize: str,
) -> None:
    documents = built(kustomize, rendered(tmp_path, [job("one")]))
    owned = [("Pod", "one-worker-0"), ("Job", "one-launcher"), ("ConfigMap", "one-config"), ("Secret", "one-ssh"), ("Service", "one")]

    def there() -> set[str]:
        return {kind for kind, name in owned if cluster.api.get(kind, name, cluster.namespace)}

    cluster.nodes(4, cpu="4")
    cluster.apply(*documents)
    whole(cluster, "one")
    made = groups(cluster)
    assert there() == {kind for kind, _ in owned}
    cluster.api.delete("MPIJob", "one", cluster.namespace)
    cluster.until(lambda: not there() and not cluster.pods("one"), "all that the operator made is gone")
    assert groups(cluster) == made

    cluster.apply(*documents)
    whole(cluster, "one")
    assert groups(cluster) == made


def test_a_deleted_worker_comes_back_and_joins_its_gang_as_long_as_there_is_a_group(
    cluster: Cluster, tmp_path: Path, kustomize: str,
) -> None:
    cluster.nodes(4, cpu="4")
    cluster.apply(*built(kustomize, rendered(tmp_path, [job("one")])))
    whole(cluster, "one")
    drain(cluster, "one-worker-0")
    whole(cluster, "one")

    cluster.api.delete("PodGroup", "one", cluster.namespace)
    cluster.stays(lambda: cluster.running("one") == WHOLE and not groups(cluster), "the gang runs without its group", 3)
    drain(cluster, "one-worker-0")
    cluster.until(lambda: "PodGroup not found" in cluster.reasons("one").get("one-worker-0", ""), "the worker waits")
    assert cluster.running("one") == Bound(1, 3)


def drain(cluster: Cluster, name: str) -> None:
    """Delete a pod, and wait for the next one of its name."""
    def uid() -> str | None:
        pod = cluster.api.get("Pod", name, cluster.namespace)
        return pod and pod["metadata"]["uid"]

    before = uid()
    cluster.api.delete("Pod", name, cluster.namespace)
    cluster.until(lambda: uid() not in (None, before), f"{name} is made anew")
