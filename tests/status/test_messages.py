"""Schedulers' and API servers' own words, as they were seen, put into plain ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangform.model.quantity import Quantity
from gangform.status import messages, wording
from situations import CPU, GAP, GI, QUOTA, SIBLINGS

REJECTED = "PodGroup lab/pi gets rejected due to Pod pi-worker-0 is unschedulable even after PostFilter"
DECODED = {
    "coscheduling, too few siblings": (SIBLINGS, "NotLookedAt", (), {}),
    "coscheduling, minResources": (GAP, "InsufficientResources", ("cpu",), {"cpu": "8"}),
    "coscheduling, several resources": (
        ("resource gap: map[cpu:{{19600 -3} {<nil>}  DecimalSI} memory:{{6442450944 0} {<nil>}  BinarySI} "
         "nvidia.com/gpu:{{16 0} {<nil>} 16 DecimalSI}]"),
        "InsufficientResources", ("cpu", "memory", "nvidia.com/gpu"),
        {"cpu": "19600m", "memory": "6442450944", "nvidia.com/gpu": "16"}),
    "coscheduling, a name that no node has": (
        "resource gap: map[requests.cpu:{{3 0} {<nil>}  DecimalSI}]", "InsufficientResources", ("requests.cpu",),
        {"requests.cpu": "3"}),
    "coscheduling, no group": ("PodGroup not found", "NotLookedAt", (), {}),
    "coscheduling, a sibling failed": (REJECTED, "NotLookedAt", (), {}),
    "coscheduling, in vain": ("rejected due to timeout after waiting 10s at plugin Coscheduling", "NotLookedAt", (), {}),
    "coscheduling, gates": (("0/4 nodes are available: pre-filter pod pi-worker-0 cannot proceed due to gated pods in the "
                             "same PodGroup."), "Unschedulable", (), {}),
    "plain, cpu and a taint": (CPU, "InsufficientResources", ("cpu",), {}),
    "plain, with a sibling's refusal after it": (
        f"0/6 nodes are available: 6 Insufficient nvidia.com/gpu. {REJECTED}.", "InsufficientResources",
        ("nvidia.com/gpu",), {}),
    "plain, selector": (("0/4 nodes are available: 4 node(s) didn't match Pod's node affinity/selector. preemption: "
                         "0/4 nodes are available: 4 Preemption is not helpful for scheduling."), "Unschedulable", (), {}),
    "Volcano, not ready": ("pod group is not ready, 5 Pending, 5 minAvailable; Pending: 1 Unschedulable, 4 Undetermined",
                           "NotLookedAt", (), {}),
    "Volcano, group": ("3/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 3 minAvailable",
                       "NotLookedAt", (), {}),
    "Volcano, nodes": ("0/4 nodes are unavailable: 4 Insufficient cpu.", "InsufficientResources", ("cpu",), {}),
    "Volcano, older, nodes": ("all nodes are unavailable: 4 Insufficient memory.", "InsufficientResources", ("memory",), {}),
    "Volcano, queue": ("queue resource quota insufficient: insufficient nvidia.com/gpu", "QueueFull", ("nvidia.com/gpu",), {}),
    "Volcano, overcommit": ("resource in cluster is overused", "CapacityPromised", (), {}),
    "anything else": ("the stars do not like it", "Unschedulable", (), {}),
}


@pytest.mark.parametrize(("message", "reason", "lacking", "short"), DECODED.values(), ids=DECODED)
def test_a_message_says_what_is_short(message, reason, lacking, short):
    said = messages.decode(message)
    assert (said.reason, said.lacking) == (reason, lacking)
    assert said.short == {name: Quantity.parse(amount) for name, amount in short.items()}


def test_what_is_no_matter_of_capacity_is_told_in_the_scheduler_s_words():
    assert messages.decode(DECODED["plain, selector"][0]).text == "node(s) didn't match Pod's node affinity/selector"
    assert messages.decode(CPU).text == "node(s) had untolerated taint {a: b}"


@pytest.mark.parametrize("one", [GAP, CPU])
@pytest.mark.parametrize("other", [SIBLINGS, REJECTED, "PodGroup not found", DECODED["Volcano, not ready"][0], ""])
def test_of_many_messages_the_one_with_a_reason_counts(one, other):
    assert messages.best([other, one]) == messages.best([one, other]) == messages.decode(one)


def test_nothing_said_is_nothing_told():
    assert messages.best(["", ""]) is None


@given(st.text(max_size=400))
def test_whatever_a_message_holds_it_is_decoded(text):
    assert messages.decode(text).reason
    messages.quota(text)
    messages.refusal(text)


def test_a_quota_is_read_from_its_refusal():
    quota = messages.quota(QUOTA)
    assert quota == ("lab-cpu", {"requests.cpu": "8"}, {"requests.cpu": "24"}, {"requests.cpu": "24"})
    assert messages.quota("exceeded quota: q, requested: pods=1,cpu=2, used: pods=3,cpu=4, limited: pods=3,cpu=5").requested \
        == {"pods": "1", "cpu": "2"}
    assert messages.quota(SIBLINGS) is None


AMOUNTS = [("cpu", "8", "8 CPU"), ("cpu", "19600m", "19.6 CPU"), ("cpu", "1n", "0.001 CPU"), ("memory", "520Gi", "520Gi memory"),
           ("memory", str(GI * 3 // 2), "1.5Gi memory"), ("memory", "1000", "1000 memory"),
           ("nvidia.com/gpu", "16", "16 nvidia.com/gpu")]


@pytest.mark.parametrize(("name", "written", "spelt"), AMOUNTS)
def test_amounts_are_spelt_as_people_say_them(name, written, spelt):
    assert wording.amount(name, Quantity.parse(written)) == spelt


def test_of_many_things_a_few_are_named():
    assert wording.some(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
    assert wording.some(["a", "b"]) == "a and b"
    assert wording.some([]) == ""
