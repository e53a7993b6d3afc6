"""Final manifests as one stream."""

import itertools

import pytest
import yaml

from gangform.model.errors import InputError
from gangform.overlay.layout import manifests

CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "conf"}, "data": {"a": "1e3"}}


def named(text: str) -> list[str]:
    return [f"{data['kind']}/{data['metadata'].get('name', '')}" for data in yaml.safe_load_all(text)]


def test_each_job_follows_its_group_and_every_other_object_is_there(planned, job):
    text = manifests([planned(job("pi"))], [CONFIG])
    assert named(text) == ["PodGroup/pi", "MPIJob/pi", "ConfigMap/conf"]


def test_the_stream_does_not_depend_on_the_order_of_its_input(planned, job):
    jobs = [planned(job(name)) for name in ("a", "b", "c")]
    others = [CONFIG, {**CONFIG, "metadata": {"name": "more"}}]
    texts = {manifests(list(order), some) for order in itertools.permutations(jobs) for some in (others, others[::-1])}
    assert len(texts) == 1


def test_objects_without_a_name_are_all_kept(planned, job):
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "check-"}}
    assert named(manifests([planned(job("pi"))], [pod, dict(pod)])) == ["PodGroup/pi", "MPIJob/pi", "Pod/", "Pod/"]


def test_a_group_that_is_there_already_comes_once(planned, job):
    data = job("pi")
    [group] = planned(data).plan.groups
    held = dict(group.data)
    assert named(manifests([planned(data, existing=[held])], [held])) == ["PodGroup/pi", "MPIJob/pi"]


def test_two_objects_of_one_name_are_refused(planned, job):
    with pytest.raises(InputError, match="ConfigMap conf is in the source 2 times"):
        manifests([planned(job("pi"))], [CONFIG, dict(CONFIG)])


def test_nothing_is_an_empty_text():
    assert manifests([], []) == ""
