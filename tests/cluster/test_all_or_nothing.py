"""A gang starts whole or not at all; without one, jobs hold each other's nodes for ever."""

from pathlib import Path

from cluster.cluster import Bound, Cluster
from cluster.repositories import built, job, rendered

WHOLE, NOTHING = Bound(1, 4), Bound(0, 0)


def test_the_default_scheduler_starts_both_of_two_jobs_in_part_and_neither_whole(cluster: Cluster) -> None:
    cluster.nodes(4, cpu="4")
    cluster.apply(job("one"), job("two"))
    cluster.until(lambda: sum(map(sum, (cluster.bound("one"), cluster.bound("two")))) == 8, "all 16 CPU are taken")

    cluster.stays(lambda: WHOLE not in (cluster.bound("one"), cluster.bound("two")), "neither is whole", 10)
    assert NOTHING not in (cluster.bound("one"), cluster.bound("two"))


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
    cluster.until(lambda: cluster.conditions(first).get("Succeeded") == "True", "the first is done")
    cluster.api.patch("PodGroup", second, {"metadata": {"annotations": {"cluster-test/touched": "yes"}}}, cluster.namespace)
    cluster.until(lambda: cluster.running(second) == WHOLE, "the second runs")
