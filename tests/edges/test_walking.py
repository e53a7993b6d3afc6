"""What a folder and those below it hold."""

import pytest

from gangform.edges import disk, walking
from gangform.model.errors import InputError


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def make(folder, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def test_walk_lists_manifests_and_kustomizations_apart_and_sorted(here):
    make(here, "b/job.yaml", "b/kustomization.yaml", "a.yml", "c.json", "notes.md", "d/Kustomization",
         "d/kustomization.yml", "B/x.yaml", "e/readme")
    assert walking.walk(".") == (
        ("B/x.yaml", "a.yml", "b/job.yaml", "c.json"),
        ("b/kustomization.yaml", "d/kustomization.yml"), (),
    )


def test_walk_names_the_folders_of_charts_those_inside_others_too(here):
    make(here, "c/Chart.yaml", "c/templates/job.yaml", "c/charts/sub/Chart.yaml", "chart.yaml")
    assert walking.walk(".").charts == ("c", "c/charts/sub")
    assert (disk.is_chart("c"), disk.is_chart("c/templates"), disk.is_chart("missing")) == (True, False, False)


def test_walk_names_paths_relative_to_the_working_folder(here):
    make(here, "base/job.yaml")
    make(here.parent, "outside/job.yaml")
    assert walking.walk(str(here / "base")).files == ("base/job.yaml",)
    assert walking.walk("./base//").files == ("base/job.yaml",)
    assert walking.walk("../outside").files == ("../outside/job.yaml",)
    assert walking.walk(str(here.parent / "outside")).files == (f"{here.parent}/outside/job.yaml",)


def test_walk_leaves_hidden_files_and_folders_out(here):
    make(here, ".git/a.yaml", ".ci.yaml", "x/.cache/b.yaml", "x/c.yaml")
    assert walking.walk(".").files == ("x/c.yaml",)


def test_walk_of_a_hidden_folder_that_was_named_lists_it(here):
    make(here, ".kube/a.yaml")
    assert walking.walk(".kube").files == (".kube/a.yaml",)


def test_walk_survives_links_and_lists_each_file_once(here):
    make(here, "a/job.yaml", "..data/mounted.yaml", "../far/lost.yaml")
    (here / "a" / "up").symlink_to("..")
    (here / "same.yaml").symlink_to("a/job.yaml")
    (here / "mounted.yaml").symlink_to("..data/mounted.yaml")
    (here / "z-mounted.yaml").symlink_to("..data/mounted.yaml")
    (here / "gone.yaml").symlink_to("nowhere")
    (here / "far").symlink_to("../far")
    assert walking.walk(".").files == ("a/job.yaml", "mounted.yaml")


def test_walk_of_a_file_lists_it_whatever_its_name(here):
    make(here, "job.txt", "k/Kustomization")
    assert walking.walk("job.txt") == (("job.txt",), (), ())
    assert walking.walk("k/Kustomization") == ((), ("k/Kustomization",), ())


def test_walk_of_nothing_is_an_error():
    with pytest.raises(InputError, match="there is no file or folder nothing"):
        walking.walk("nothing")
