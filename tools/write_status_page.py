"""Writes docs/status.md: how to ask for the state of gangs, and the page of each state, as ``gangform explain`` has it.

Usage: ``python tools/write_status_page.py FILE``.
"""

import sys
from pathlib import Path

from gangform.status import pages

INTRODUCTION = """\
# Why does this gang wait?

`gangform status` says of every gang in a cluster why it does not run, or that it does. It tells that from pods and
PodGroups, and never from the job's own condition Running, which can stand there while half of the pods wait.

```sh
gangform status                       # the namespace of your context, as kubectl does
gangform status -A --problems         # in all namespaces, those that need somebody
gangform status bert-worker-3 -n nlp  # one gang, by the name of its job, of a pod or of its PodGroup
gangform status -w                    # goes on, and shows what changes
```

Somebody's Monday, from a [dump](dumps/monday.json):

```console run
$ gangform status --from docs/dumps/monday.json --problems
note: ages are counted to 2026-12-01T13:26:00Z, a moment after the newest time in the dump
NAMESPACE  JOB        STATE         SINCE  PODS  BOUND  WHY
…
cv         yolo       QuotaRefused  52s    3/5   0/5    ResourceQuota cv-cpu: 3 of 3 requests.cpu used, a pod wants 1
rl         ppo        Ungrouped     55s    3/3   3/3    no mark on its pods: not a gang; 3 of 3 pods bound
…
$ echo $?
1
$ gangform status --from docs/dumps/monday.json -n cv yolo-worker-1
note: ages are counted to 2026-12-01T13:26:00Z, a moment after the newest time in the dump
cv/yolo: QuotaRefused. 3 of 5 pods exist, 0 bound, 0 ready, 5 must start together (coscheduling).
  ResourceQuota cv-cpu: 3 of 3 requests.cpu used, a pod wants 1
  since 2026-12-01T13:25:08Z (52s)
Do:   kubectl describe resourcequota -n cv cv-cpu
POD            STATUS   NODE  RESTARTS  WHY
yolo-worker-0  Pending  -     0
yolo-worker-1  Pending  -     0
yolo-worker-2  Pending  -     0
…
Explain: gangform explain quota-refused
$ echo $?
1
```

The last line counts the gangs by state, and says what is free of the cluster.

The exit code is 1 when a gang that is shown is in an alarming state, 0 when none is, 2 for wrong usage, and 3 when
the API server is out of reach. `-o json` and `-o yaml` are for programs, `-o wide` has more columns, `-o name` is
for kubectl.

## Install it

```sh
pipx install ".[cluster]"  # in a checkout
```

It is installed as `kubectl-gang`, too, so that `kubectl gang status` works. `make zipapp` builds
`dist/gangform.pyz`, one file with everything in it, for machines without pip; under the name `kubectl-gang` on PATH
it is kubectl's plugin there. They need a Python of the version that built it, 3.11 or newer. On its first run it
unpacks itself into a cache: where HOME cannot be written, into a temporary folder, or into the one that `PEX_ROOT`
names.

## Rights

It takes your ordinary kubeconfig and reads only: get, list and watch on mpijobs, pods, podgroups, nodes, events and
priorityclasses. With fewer rights it says on stderr what it cannot see, and what that costs:

| without the right to list | you do not learn |
|---|---|
| mpijobs | anything |
| nodes, or pods of all namespaces | what is free, whether a gang fits ([NeverFits](#neverfits), [Asleep](#asleep)) |
| pods | whether gangs hold nodes |
| podgroups | whether PodGroups are missing, stale or left over |
| events | what a quota has refused |

## Without access

Somebody who has access can save what it needs, and you answer from that. No client for clusters is needed then.

```sh
kubectl get mpijobs,pods,podgroups.scheduling.x-k8s.io,podgroups.scheduling.volcano.sh,nodes,priorityclasses,events \\
  -A -o json > dump.json
gangform status --from dump.json -n nlp bert-large
```

Leave out what the cluster does not have. Several dumps may stand in one file, or be named one by one. Ages are
counted to the newest time in the dump.

## States

The first that holds is told. Those that are alarming do not go away by waiting. `gangform explain STATE` prints the
same pages without a network.

| state | | |
|---|---|---|
"""


def write() -> str:
    """Return the text of the page."""
    rows = "".join(f"| [{state}](#{state.lower()}) | {pages.weight(state)} | {pages.summary(state)} |\n"
                   for state in pages.PAGES)
    sections = (f"\n### {state}\n\n{pages.write(state)}" for state in pages.PAGES)
    return INTRODUCTION + rows + "".join(sections)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(write(), encoding="utf-8", newline="\n")
