"""What the rules say of a gang's objects as they stand in the cluster. Asked only of gangs that are not whole."""

from collections.abc import Iterable, Iterator

from gangform import pipeline
from gangform.contracts import Catalog, Groups
from gangform.model.finding import Severity
from gangform.settings import Cluster
from gangform.status.jobs import Packed, document, unpack
from gangform.status.ledger import Gang, Ledger
from gangform.status.picture import OPERATOR, Group, Job, Key, Member
from gangform.status.ties import GroupId

Faults = tuple[tuple[str, str], ...]

PLAIN_SCHEDULER = "default-scheduler"
OTHERS_LIMIT = 20
"""Other jobs of one group that are looked at."""


def worth(job: Job, group: Group | None, members: tuple[Member, ...]) -> bool:
    """Whether a rule's error could tell why a gang does not run."""
    if job.finished or job.suspended or job.faults:
        return False
    needed = (group.gang.min_member if group else None) or sum(job.desired.get(role, 0) for role in job.together)
    return sum(pod.bound and pod.role in job.together for pod in members) < needed


def of(
    gang: Gang, identity: GroupId | None, members: tuple[Member, ...], ledger: Ledger, catalog: Catalog, *, whole: bool
) -> Faults:
    """Return (rule id, message) of each rule's error on a gang's own objects; the last answer where all is the same.

    Args:
        gang: the job.
        identity: its group, whether it is there or not.
        members: its pods.
        ledger: whatever else is known.
        catalog: every plug-in.
        whole: whether a group that is not at hand is not there.
    """
    held = ledger.groups.get(identity) if identity else None
    operators = held is not None and held.group.owner == OPERATOR
    texts = [*([gang.reading.packed] if gang.reading else ()), *([held.text] if held and not operators else ()),
             *_others(gang.job.key if gang.job else None, identity, ledger)]
    schedulers = tuple(_trusted(gang, identity, members, ledger, catalog))
    asked = (tuple(text.digest for text in texts), schedulers, identity, whole)
    if gang.faults[0] != asked:
        names = {gang.job.key.name} if gang.job else set()
        names |= {identity.name} if identity else set()
        cluster = _cluster(identity, schedulers, "operator" if operators else "git")
        gang.faults = (asked, _judge(texts, catalog, cluster, names, whole=whole))
    return gang.faults[1]


def _others(key: Key | None, identity: GroupId | None, ledger: Ledger) -> Iterator[Packed]:
    """Yield the other jobs that name the same group."""
    keys = sorted(ledger.owners(identity)) if identity else []
    for other in keys[:OTHERS_LIMIT]:
        reading = ledger.gangs[other].reading
        if other != key and reading is not None:
            yield reading.packed


def _trusted(
    gang: Gang, identity: GroupId | None, members: tuple[Member, ...], ledger: Ledger, catalog: Catalog
) -> Iterator[str]:
    """Yield the job's schedulerName unless it is seen to be the plain scheduler, which knows no gangs.

    A name that nobody serves is told from what was seen, and a name of one's own says nothing: clusters call their
    schedulers as they like.
    """
    words = catalog.backends[identity.backend].WORDS if identity else ()
    said = any(word in pod.verdict.message for pod in members if pod.verdict for word in words)
    for name in gang.job.schedulers if gang.job else ():
        if name != PLAIN_SCHEDULER or said or name not in ledger.served:
            yield name


def _cluster(identity: GroupId | None, schedulers: tuple[str, ...], groups: Groups) -> Cluster | None:
    options = {"schedulerName": schedulers[0]} if schedulers else {}
    return Cluster("", identity.backend, groups, options) if identity else None


def _judge(
    texts: Iterable[Packed], catalog: Catalog, cluster: Cluster | None, names: set[str], *, whole: bool
) -> Faults:
    inspection = pipeline.inspect(tuple(document(unpack(text)) for text in texts), catalog)
    scene = pipeline.assemble(inspection, catalog, whole=whole, cluster=cluster)
    counted = catalog._replace(rules={name: rule for name, rule in catalog.rules.items() if name not in catalog.off})
    return tuple(dict.fromkeys(
        (said.rule, said.problem.message) for said in pipeline.judge(inspection, scene, counted)
        if said.severity is Severity.ERROR and said.ref.name in names))
