"""Groups that the source already holds."""

import copy

import pytest

from gangform.catalog import BACKENDS
from gangform.model.workload import identify
from gangform.overlay.adoption import CODES, adopt, update


@pytest.fixture
def plan(planned, job):
    return planned(job("pi", workers=4, namespace="hpc")).plan


@pytest.fixture
def group(plan):
    """The planned group; tests change a copy of their own."""
    return copy.deepcopy(dict(plan.groups[0].data))


def by_hand(group):
    group["metadata"].pop("labels", None)
    return group


def test_a_source_without_the_group_leaves_the_plan_as_it_is(plan):
    stranger = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pi", "namespace": "hpc"}}
    assert adopt(plan, [stranger]) == ((), (), ())


def test_an_equal_group_written_by_hand_is_reused(plan, group):
    assert adopt(plan, [by_hand(group)]).reused == (identify(group),)


def test_quantities_are_equal_by_value(plan, group):
    assert group["spec"]["minResources"] == {"cpu": "5"}
    group["spec"]["minResources"] = {"cpu": "5000m"}
    assert adopt(plan, [by_hand(group)]).reused == (identify(group),)
    group["spec"]["minResources"] = {"cpu": 5}
    assert adopt(plan, [by_hand(group)]).reused == (identify(group),)


def test_a_null_and_a_status_do_not_count(plan, group):
    group["spec"]["scheduleTimeoutSeconds"] = None
    group["status"] = {"phase": "Running"}
    assert adopt(plan, [by_hand(group)]).reused == (identify(group),)


def test_a_different_group_written_by_hand_is_a_conflict_that_names_both_and_the_field(plan, group):
    group["spec"]["minMember"] = 4
    adoption = adopt(plan, [by_hand(group)])
    assert (adoption.reused, adoption.replaced) == ((), ())
    (conflict,) = adoption.conflicts
    assert conflict.group == identify(group)
    assert conflict.problem.pointer == ("spec", "minMember")
    assert conflict.problem.message == (
        "the hand-written PodGroup pi says spec.minMember 4, but the group of MPIJob pi needs 5")
    assert conflict.problem.code in CODES


def test_the_first_differing_field_by_name_is_named(plan, group):
    group["spec"] |= {"minMember": 4, "minResources": {"cpu": "1"}}
    assert adopt(plan, [by_hand(group)]).conflicts[0].problem.pointer == ("spec", "minMember")
    group["spec"]["minMember"] = 5
    assert adopt(plan, [by_hand(group)]).conflicts[0].problem.pointer == ("spec", "minResources", "cpu")


@pytest.mark.parametrize(("spec", "words"), [
    ({"minResources": {"cpu": "5"}}, "has no spec.minMember, but the group of MPIJob pi needs 5"),
    ({"minMember": 5, "minResources": {"cpu": "5"}, "scheduleTimeoutSeconds": 9},
     "says spec.scheduleTimeoutSeconds 9, but the group of MPIJob pi would have no spec.scheduleTimeoutSeconds"),
    ({"minMember": 5, "minResources": {"cpu": "much"}}, "says spec.minResources.cpu much"),
])
def test_a_missing_and_a_further_field_are_named(plan, group, spec, words):
    group["spec"] = spec
    assert words in adopt(plan, [by_hand(group)]).conflicts[0].problem.message


def test_our_own_group_is_reused_when_equal_and_replaced_when_not(plan, group):
    assert adopt(plan, [group]).reused == (identify(group),)
    group["spec"]["minMember"] = 3
    assert adopt(plan, [group]) == ((), (identify(group),), ())


def test_our_own_group_is_replaced_when_a_planned_label_is_missing_but_may_bear_more(planned, job, group):
    group["metadata"]["labels"]["team"] = "hpc"
    data = job("pi", workers=4, namespace="hpc")
    assert planned(data, existing=[group]).adoption.reused
    assert planned(data, existing=[group], labels={"team": "ml"}).adoption.replaced


def test_a_group_of_another_job_is_not_ours_to_replace(plan, group):
    group["metadata"]["labels"]["gangform.dev/job"] = "other"
    group["spec"]["minMember"] = 3
    assert adopt(plan, [group]).conflicts


def test_a_group_in_another_namespace_or_of_another_scheduler_is_no_concern(planned, job, plan, group):
    group["spec"]["minMember"] = 3
    group["metadata"]["namespace"] = "other"
    volcano = planned(job("pi", workers=9, namespace="hpc"), "volcano").plan.groups[0].data
    assert adopt(plan, [by_hand(group), volcano]) == ((), (), ())


def test_an_older_version_of_the_same_group_is_a_conflict(plan, group):
    group["apiVersion"] = "scheduling.x-k8s.io/v1"
    assert adopt(plan, [group]).conflicts[0].problem.pointer == ("apiVersion",)


def test_several_groups_in_one_place_are_judged_alike_in_any_order(plan, group):
    others = [{**group, "apiVersion": f"scheduling.x-k8s.io/{version}"} for version in ("v1", "v2")]
    adoption = adopt(plan, [group, *others])
    assert adoption == adopt(plan, [*reversed(others), group])
    assert adoption.reused == (identify(group),)
    assert [conflict.group for conflict in adoption.conflicts] == [identify(other) for other in others]


def test_no_namespace_and_default_are_one_place(planned, job):
    plan = planned(job("pi")).plan
    group = copy.deepcopy(dict(plan.groups[0].data))
    group["metadata"]["namespace"] = "default"
    assert adopt(plan, [by_hand(group)]).reused == (identify(plan.groups[0].data),)


def test_an_updated_group_keeps_labels_and_annotations_that_others_set(plan, group):
    held = copy.deepcopy(group)
    held["metadata"] |= {"annotations": {"a": "b"}}
    held["metadata"]["labels"]["team"] = "hpc"
    held["spec"] = {"minMember": 1, "scheduleTimeoutSeconds": 3}
    new = update(held, group)
    assert new["spec"] == group["spec"]
    assert new["metadata"]["annotations"] == {"a": "b"}
    assert new["metadata"]["labels"] == {"team": "hpc", **group["metadata"]["labels"]}
    assert held["spec"]["minMember"] == 1


def test_every_backend_can_adopt(planned, job):
    for name in BACKENDS:
        data = job("pi")
        group = planned(data, name).plan.groups[0].data
        assert planned(data, name, existing=[group]).adoption.reused
