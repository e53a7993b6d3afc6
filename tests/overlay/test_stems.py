"""How files are named."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gangform.model.workload import Ref
from gangform.overlay.stems import choose, for_jobs, for_others


def job(name, namespace=""):
    return Ref("kubeflow.org/v2beta1", "MPIJob", namespace, name)


def stems(*refs, taken=()):
    return list(choose(for_jobs(refs), taken).values())


def test_a_file_is_called_after_its_job():
    assert stems(job("pi", "hpc"), job("resnet-50")) == ["pi", "resnet-50"]


def test_one_name_in_two_namespaces_brings_the_namespaces_in():
    assert stems(job("pi", "a"), job("pi", "b"), job("other", "a")) == ["a.pi", "b.pi", "other"]


def test_a_name_with_a_namespace_never_meets_another_jobs_name():
    found = stems(job("pi", "a"), job("pi", "b"), job("a.pi", "c"))
    assert len(set(found)) == 3


def test_names_that_differ_in_case_alone_get_files_of_their_own():
    assert len({stem.lower() for stem in stems(job("pi"), job("PI"))}) == 2


def test_two_apis_of_one_name_get_files_of_their_own():
    refs = [Ref("a/v1", "PodGroup", "n", "pi"), Ref("b/v1", "PodGroup", "n", "pi")]
    assert len(set(choose(for_others(refs)).values())) == 2


@pytest.mark.parametrize("name", ["con", "NUL", "com1", "aux.log", "lpt9.x.y"])
def test_no_file_is_called_like_a_device_of_windows(name):
    for namespace in ("", "con"):
        (stem,) = stems(job(name, namespace))
        assert stem.split(".")[0] not in {"con", "nul", "com1", "aux", "lpt9"}


def test_a_taken_name_is_left_alone():
    assert stems(job("kustomization", "hpc"), taken=("kustomization",)) == ["hpc.kustomization"]
    assert stems(job("kustomization"), taken=("kustomization",))[0].startswith("kustomization-")


def test_another_kind_brings_its_kind_in_lower_case():
    refs = [Ref("v1", "ConfigMap", "", "env"), Ref("rbac.authorization.k8s.io/v1", "ClusterRole", "", "system:node")]
    assert list(choose(for_others(refs)).values()) == ["configmap.env", "clusterrole.system-node"]


NAMES = st.text(st.characters(), max_size=300) | st.sampled_from(
    ["..", "../../etc/passwd", "a/b", "C:\\x", "pi", "PI", "p.i", "con", "-", "\ud800", "kustomization"])


@given(st.sets(st.tuples(NAMES, NAMES), min_size=1, max_size=8), st.randoms())
def test_whatever_the_names_files_stay_in_the_folder_and_apart_in_any_order(names, shuffle: random.Random):
    refs = [job(name, namespace) for name, namespace in names]
    found = choose(for_jobs(refs), taken=("kustomization",))
    shuffle.shuffle(refs)
    assert choose(for_jobs(refs), taken=("kustomization",)) == found
    assert len(set(found.values())) == len(refs)
    for stem in found.values():
        assert 0 < len(stem) < 200
        assert set(stem) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-")
        assert stem[0] not in ".-"
        assert stem != "kustomization"
