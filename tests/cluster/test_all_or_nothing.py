"""A gang starts whole or not at all; without one, jobs hold each other's nodes for ever."""

import random
from pathlib import Path

from cluster.api import Document
from cluster.cluster import Bound, Cluster
from cluster.recording import JOB, most, recorded, short
from cluster.repositories import built, job, rendered

WHOLE, NOTHING = Bound(1, 4), Bound(0, 0)


def test_the_default_scheduler_starts_both_of_two_jobs_in_part_and_neither_whole(cluster: Cluster) -> None:
    cluster.nodes(5, cpu="2")  # ten pods, where each job has nine
    cluster.plane.stop("mpi-operator")
    try:
        cluster.apply(job("one", 8, cpu="1"), job("two", 8, cpu="1"))
    finally:
        cluster.plane.start_operator()  # it sees both at once: neither has a head start

    def both() -> list[int]:
        return [sum(cluster.bound(name)) for name in ("one", "two")]

    cluster.until(lambda: sum(both()) == 10, "all 10 CPU are taken")
    cluster.stays(lambda: all(0 < count < 9 for count in both()), "both are there in part", 10)


def test_of_two_gangs_one_runs_whole_and_the_other_waits_with_nothing_until_the_first_ends(
    cluster: Cluster, tmp_path: Path, kustomize: str,
) -> None:
    cluster.nodes(4, cpu="4")
    cluster.apply(*built(kustomize, rendered(tmp_path, [job("one"), job("two")])))

    def both() -> dict[str, Bound]:
        return {name: cluster.bound(name) for name in ("one", "two")}

    cluster.until(lambda: WHOLE in both().values(), "one gang is whole")
    cluster.stays(lambda: sorted(both().values()) == [NOTHING, WHOLE], "one whole, the other nothing", 10)

    first, second = sorted(both(), key=lambda name: both()[name], reverse=True)
    cluster.end(first)
    cluster.until(lambda: first in over(cluster), "the first is done and holds nothing")
    cluster.wake(second)
    cluster.until(lambda: cluster.running(second) == WHOLE, "the second runs")


def test_of_ten_gangs_none_is_ever_bound_in_part_and_all_of_them_finish(
    cluster: Cluster, tmp_path: Path, kustomize: str,
) -> None:
    chance = random.Random(20)
    jobs = [brief(f"job-{number}", chance) for number in range(10)]
    documents = built(kustomize, rendered(tmp_path, jobs))
    members = {one["metadata"]["name"]: one["spec"]["minMember"] for one in documents if one["kind"] == "PodGroup"}
    cluster.nodes(4, cpu="4")

    with recorded(cluster) as recording:
        cluster.apply(*chance.sample(documents, len(documents)))
        run_out(cluster, set(members))

    assert short(recording, members, patience=2) == []
    assert most(recording) == members


def brief(name: str, chance: random.Random) -> Document:
    """A job of 2 to 8 pods, at most as large as all nodes together, whose launcher ends after a second or two."""
    made = job(name, chance.randint(1, 7), cpu=chance.choice("12"))
    ends = {"cluster-test/ends": "Succeeded", "cluster-test/after": f"{chance.randint(1000, 2000)}ms"}
    made["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["metadata"] = {"annotations": ends}
    return made


def over(cluster: Cluster) -> set[str]:
    """The jobs that succeeded and hold no node any more."""
    jobs = cluster.api.list("MPIJob", cluster.namespace)
    holding = {
        pod["metadata"]["labels"][JOB] for pod in cluster.api.list("Pod", cluster.namespace, labels=JOB)
        if pod["status"]["phase"] in ("Pending", "Running") and "nodeName" in pod["spec"]
    }
    done = {one["metadata"]["name"] for one in jobs for condition in one.get("status", {}).get("conditions", ())
            if (condition["type"], condition["status"]) == ("Succeeded", "True")}
    return done - holding


def run_out(cluster: Cluster, names: set[str]) -> None:
    """Wait until all gangs are over, and wake those that wait whenever another one is."""
    done: set[str] = set()

    def all_over() -> bool:
        nonlocal done
        before, done = done, over(cluster)
        if done > before:
            for name in names - done:
                cluster.wake(name)
        return done == names

    cluster.until(all_over, "all gangs are over", 120)
