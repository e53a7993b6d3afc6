"""Room on nodes: for a gang now, or ever; and the one line about all gangs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangform.model.quantity import ZERO
from gangform.status import capacity, totals
from gangform.status.nodes import Nodes, total
from gangform.status.picture import Key
from situations import CPU, LATER, START, board, every, group, job, node, nodes, pod, pods, stranger, told

PI = Key("lab", "pi")
GPU = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}


def sight(*objects):
    return board(job(), group(), *objects).sight(PI, START + LATER)


ROOM = {
    "nodes unknown": (False, []),
    "enough": (True, nodes(1)),
    "too little": (False, [node(cpu="2")]),
    "taken by others": (False, [node(), stranger(node="n1", asked={"cpu": "2"})]),
    "enough in all, and not for one pod": (False, [node(f"n{n}", cpu="500m") for n in range(9)]),
    "cordoned": (False, [node(cordoned=True)]),
    "not ready": (False, [node(ready=False)]),
    "tainted": (False, [node(taints=[GPU])]),
    "tainted softly": (True, [node(taints=[GPU | {"effect": "PreferNoSchedule"}])]),
    "no place for so many pods": (False, [node(pods="2")]),
}


@pytest.mark.parametrize(("fits", "objects"), ROOM.values(), ids=ROOM)
def test_a_gang_fits_where_all_that_must_start_find_a_node(fits, objects):
    assert capacity.fits(sight(*objects, *pods(said=CPU))) is fits


@pytest.mark.parametrize(("toleration", "fits"), [
    ({"key": "gpu", "operator": "Exists"}, True), ({"operator": "Exists"}, True), (GPU, True),
    ({"key": "gpu", "value": "no", "effect": "NoSchedule"}, False), ({"key": "other", "operator": "Exists"}, False),
    ({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, False)])
def test_taints_are_tolerated_as_kubernetes_does(toleration, fits):
    assert capacity.fits(sight(node(taints=[GPU]), *pods(said=CPU, tolerations=[toleration]))) is fits


def test_a_selector_asks_for_its_labels():
    wants = pods(said=CPU, nodeSelector={"pool": "a"})
    assert capacity.fits(sight(node(labels={"pool": "a", "zone": "1"}), *wants))
    assert not capacity.fits(sight(node(labels={"pool": "b"}), *wants))


def test_a_gang_without_all_of_its_pods_or_whole_already_needs_no_room():
    assert not capacity.fits(sight(*nodes(), *pods(said=CPU)[:2]))
    assert not capacity.fits(sight(*nodes(), *pods(node="n1")))


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), max_size=6), st.lists(st.integers(1, 4), max_size=6))
def test_a_placement_puts_no_more_on_a_node_than_is_free(offers, wants):
    standing = [one for index, (cpu, taken) in enumerate(offers)
                for one in (node(f"n{index}", cpu=str(cpu)), stranger(f"web-{index}", node=f"n{index}", asked={"cpu": str(taken)}))]
    seen = sight(*standing, *(pod(f"worker-{index}", said=CPU, asked={"cpu": str(cpu)}) for index, cpu in enumerate(wants)))
    placed = capacity.placement(seen.members, seen.nodes or ())
    if placed is None:
        return
    assert set(placed) == {one.name for one in seen.members}
    for one in seen.nodes or ():
        asked = total(member.asked for member in seen.members if placed[member.name] == one.name)
        assert asked.get("cpu", ZERO) <= one.free["cpu"] or not asked


def test_what_nodes_have_is_counted_once_as_long_as_they_stay():
    seen = board(*nodes(), job(), group(), *pods(said=CPU))
    one = seen.sight(PI, START).members[0]
    first = seen.nodes()
    assert first is seen.nodes()
    offered = first.offered(one)
    seen.feed("MODIFIED", stranger(node="n1", asked={"cpu": "3"}))
    assert seen.nodes() is not first
    assert seen.nodes().offered(one) is offered
    seen.feed("MODIFIED", node("n1", cpu="8"))
    assert seen.nodes().offered(one)["cpu"] > offered["cpu"]


def test_nodes_are_nodes_with_or_without_a_memory():
    plain = tuple(board(*nodes()).nodes())
    assert Nodes.of(plain) == plain
    assert isinstance(Nodes.of(plain), Nodes)


def test_the_last_line_counts_gangs_and_what_is_free():
    seen = board(*nodes(), job(), group(), *pods(node="n1"))
    assert totals.line(every(seen).values(), seen.nodes()) == "1 gang: 1 running. Cluster: 13 of 16 CPU free."
    lone = told(job(), group(), *nodes(), *(stranger(f"w-{n}", node=f"n{n}", asked={"cpu": "4"}) for n in range(1, 5)),
                *pods(said=CPU))
    assert totals.line([lone], None) == "1 gang: 1 queued (3 CPU short)."
    assert totals.line([lone, told(job("")), told(job(""))], None) == "3 gangs: 1 queued (3 CPU short), 2 to look at."
    assert totals.line([], None) == "0 gangs."
    assert totals.room([*board(node(ready=False)).nodes()]) == "Cluster: no node is ready."
    assert totals.room([*board(node(**{"nvidia.com/gpu": "8"})).nodes()]) == \
        "Cluster: 8 of 8 nvidia.com/gpu and 4 of 4 CPU free."
