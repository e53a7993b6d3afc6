"""Rendering Helm charts with helm, offline, without touching the charts."""

import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gangform.edges import disk, programs
from gangform.model.errors import InputError, ProgramError

CHOICE = "GANGFORM_HELM"
"""Environment variable that names the helm to use."""

TIMEOUT = 120.0
"""Seconds that one chart may take."""

_MESSAGE_LIMIT = 1200
_MISSING = re.compile(r"found in Chart\.yaml, but missing in charts/ directory: (?P<names>.+)")
_ADVICE = re.compile(r"\n*Use --debug flag to render out invalid YAML\s*\Z")
_RELEASE = re.compile(r"(?=.{1,53}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
"""helm, pkg/chartutil/validate_name.go, validName and maxReleaseNameLen (3.19)."""
_NAMESPACE = re.compile(r"(?=.{1,63}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_KUBE_VERSION = re.compile(r"v?[0-9]+(\.[0-9]+){1,2}([-+][0-9A-Za-z.+-]+)?")
_API_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*(/[A-Za-z0-9.-]+){0,2}")


class Release(NamedTuple):
    """What a chart is rendered for.

    Attributes:
        name: ``.Release.Name``.
        namespace: ``.Release.Namespace``.
        values: files, later ones win, as paths from the working folder.
        kube_version: ``.Capabilities.KubeVersion``, of two or three numbers; helm's own when empty.
        api_versions: further ``.Capabilities.APIVersions``.
    """

    name: str
    namespace: str
    values: tuple[str, ...] = ()
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()


def find() -> str | None:
    """Return the helm that the environment names, else the one on PATH, else None.

    Raises:
        ProgramError: the environment names a program that does not exist.
    """
    chosen = os.environ.get(CHOICE)
    if not chosen:
        return programs.find("helm")
    path = programs.find(chosen)
    if path is None:
        raise ProgramError(f"{CHOICE} names {chosen}, which is no program", "correct it or unset it")
    return path


def require(reason: str) -> str:
    """Return the program as ``find`` does; ``reason`` is the beginning of a sentence.

    Raises:
        ProgramError: there is none.
    """
    program = find()
    if program is None:
        raise ProgramError(f"{reason}, but helm is not on PATH", f"install helm, or name one in {CHOICE}")
    return program


def template(chart: str, release: Release, *, program: str) -> str:
    """Render a chart: templates, hooks and CRDs, each under its ``# Source:`` comment.

    Nothing is fetched: dependencies must lie in the chart's ``charts/``. Test hooks are left out, since
    no deployment runs them.

    Args:
        chart: a folder with a Chart.yaml.
        release: what it is rendered for.
        program: as found.

    Raises:
        InputError: helm refuses the chart, its dependencies are missing, or the release is wrong.
        ProgramError: helm cannot run, was killed or exceeded its time.
    """
    name = disk.show(chart)
    argv = [program, "template", "--include-crds", "--skip-tests", *_options(release, name), "--", release.name, "."]
    done = programs.run(argv, cwd=chart, timeout=TIMEOUT, what=f"helm template of {name}")
    if done.code != 0:
        raise _refused(name, done.stderr)
    return done.stdout.decode("utf-8", "replace")


def find_links(chart: str) -> Iterator[str]:
    """Yield the links of a chart, also those behind links to folders: helm follows them all.

    As in helm, pkg/chart/loader/directory.go and internal/sympath/walk.go (3.19). Whoever takes links one by
    one stops before anything behind an unwanted one is looked at.

    Raises:
        InputError: a folder cannot be read.
    """
    seen: set[str] = set()
    waiting = [chart]
    while waiting:
        folder = waiting.pop()
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        try:
            with os.scandir(folder) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    if entry.is_symlink():
                        yield disk.show(entry.path)
                    if entry.is_dir():
                        waiting.append(entry.path)
        except OSError as error:
            raise disk.unusable("read", folder, error) from error


def _options(release: Release, chart: str) -> Sequence[str]:
    """Spell the release as options; whatever could be read as something else is refused."""
    _require(_RELEASE, release.name, f"the release name of {chart}", "lower-case letters, digits, - and ., at most 53")
    _require(_NAMESPACE, release.namespace, f"the namespace of {chart}", "lower-case letters, digits and -, at most 63")
    if release.kube_version:
        _require(_KUBE_VERSION, release.kube_version, "the Kubernetes version", "numbers, as in 1.34.1")
    for version in release.api_versions:
        _require(_API_VERSION, version, "an API version", "a group and version, as in apps/v1")
    for path in release.values:
        if not os.path.isfile(path):
            raise InputError(f"there is no values file {disk.show(path)} for the chart {chart}",
                             "a values file of the settings is looked for in the chart's folder")
    return [
        f"--namespace={release.namespace}",
        *(f"--values={_quote(os.path.abspath(path))}" for path in release.values),
        *([f"--kube-version={_whole(release.kube_version)}"] if release.kube_version else []),
        *(f"--api-versions={version}" for version in release.api_versions),
    ]


def _require(form: re.Pattern[str], text: str, what: str, right: str) -> None:
    if not form.fullmatch(text):
        raise InputError(f"{what} is {text[:80]!r}", f"write {right}")


def _whole(version: str) -> str:
    """Spell a version such as 1.34 as clusters do: helm would hand it to templates as it stands."""
    return f"{version}.0" if re.fullmatch(r"v?[0-9]+\.[0-9]+", version) else version


def _quote(path: str) -> str:
    """Spell a path as one field of CSV, as helm reads these options."""
    return '"' + path.replace('"', '""') + '"' if any(sign in path for sign in ',"\n\r') else path


def _refused(chart: str, stderr: bytes) -> InputError:
    text = stderr.decode("utf-8", "replace").strip()
    if missing := _MISSING.search(text):
        names = missing["names"].strip()
        return InputError(f"{chart}/Chart.yaml names dependencies that are not in {chart}/charts: {names}",
                          f"run `helm dependency build {chart}` and commit what it writes; gangform fetches nothing")
    # Warnings come first; what stopped helm comes last.
    reason = _ADVICE.sub("", text).rpartition("Error: ")[2]
    reason = " ".join(reason.replace(os.path.join(os.getcwd(), ""), "").split()) or "it failed without a message"
    shown = reason if len(reason) <= _MESSAGE_LIMIT else reason[: _MESSAGE_LIMIT - 1] + "…"
    return InputError(f"helm cannot render {chart}: {shown}", f"see `helm template {chart}`")
