"""A ResourceList in, the same with its jobs as gangs out, and what is said of them in its results."""

from typing import NamedTuple

from gangform.edges.spooling import Opener, Spool
from gangform.hosts import krm
from gangform.model.errors import InputError
from gangform.model.source import Document
from gangform.settings import Settings
from gangform.text import reading
from gangform.workflows import configuration
from gangform.workflows.marking import Aim
from gangform.workflows.outcome import Outcome
from gangform.workflows.standing import Intake, Section
from gangform.workflows.transform import run


class Answered(NamedTuple):
    """The answer of a function; the text is whole even when it failed, with its items unchanged then.

    Attributes:
        text: the ResourceList.
        code: the exit code.
        error: what stood in the way of everything.
    """

    text: str
    outcome: Outcome = Outcome()
    code: int = 0
    error: InputError | None = None


def serve(open_input: Opener) -> Answered:
    """Do what the ResourceList on standard input asks for.

    Raises:
        InputError: there is none.
        ProgramError: the system has no room for temporary files.
    """
    spool = Spool()
    section = Section(open_input("-", spool), 0, spool.size)
    document = _read(section.name, spool.read(0, spool.size))
    try:
        krm.require_items(document.data)
        request = krm.read(document.data)
        settings = configuration.load(None)
        aim = _aim(settings, request)
    except InputError as error:
        return Answered(krm.answer(document, krm.failure(error)), code=error.exit_code, error=error)
    done = run(Intake(spool, [section]), settings, aim)
    told = krm.results(done.outcome.findings, [item for item in document.data.get("items") or ()
                                               if isinstance(item, dict)])
    if done.result is None:
        return Answered(krm.answer(document, told), done.outcome, 1)
    changed = _read(section.name, b"".join(done.result.blocks()))
    return Answered(krm.answer(changed, told), done.outcome)


def _read(name: str, data: bytes) -> Document:
    found = reading.read(name, data, flatten=False)
    if len(found.documents) != 1 or not krm.is_resource_list(found.documents[0].data):
        why = found.findings[0].message if found.findings else "it is something else"
        raise InputError(f"standard input holds no {krm.KIND} of config.kubernetes.io/v1: {why}",
                         "gangform krm is started by kustomize or kpt; for plain manifests use gangform transform")
    return found.documents[0]


def _aim(settings: Settings, request: krm.Request) -> Aim:
    if request.cluster and request.backend:
        raise InputError("functionConfig: cluster and backend exclude each other",
                         "a cluster of gangform.yaml already names its backend")
    if request.options and not (request.cluster or request.backend):
        raise InputError("functionConfig: options are given for no scheduler", "give backend or cluster, too")
    cluster = configuration.select(
        settings, request.cluster or None, request.backend or None, request.options, request.groups)
    if cluster is None and not request.remove:
        raise InputError("functionConfig: nothing says for which scheduler the jobs are",
                         "write spec: {backend: volcano}, or cluster with a name of gangform.yaml")
    return Aim(cluster, request.remove, request.force)
