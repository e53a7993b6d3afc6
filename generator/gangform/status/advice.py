"""The next thing to do, as a command where there is one. Resources are named in full: three APIs have PodGroups."""

from gangform.status.picture import OPERATOR, Member
from gangform.status.services import Service
from gangform.status.view import View

JOBS = "mpijobs.kubeflow.org"


def wake(view: View) -> str:
    """Touch the group, which makes its scheduler look."""
    return (f"kubectl annotate {view.service.resource} -n {view.job.key.namespace} {view.group_name} "
            "gangform.dev/woken=$(date +%s) --overwrite")


def delete_group(service: Service, namespace: str, name: str, owner: str) -> str:
    """Take a group away where its owner would not bring it back."""
    if owner.startswith(("Argo CD", "Flux")):
        return f"remove PodGroup {name} from Git; {owner} would bring it back"
    return f"kubectl delete {service.resource} -n {namespace} {name}"


def describe(view: View, pod: Member | None = None) -> str:
    """Look closer at a pod, or at the job."""
    if pod is not None:
        return f"kubectl describe pod -n {pod.key.namespace} {pod.name}"
    return f"kubectl describe {JOBS} -n {view.job.key.namespace} {view.job.key.name}"


def logs(view: View, *, ended: bool = False) -> str:
    """Read what the first pod of the job says; ``ended`` counts pods that have ended."""
    first = next(iter(view.job.desired), "")
    every = [pod for pod in (*view.others, *view.pods) if ended or not pod.over]
    pods = [pod for pod in every if pod.role == first] or [pod for pod in every if pod.role in view.job.together]
    if not pods:
        return ""
    return logs_of(max(pods, key=lambda pod: (pod.created, pod.name)))


def logs_of(pod: Member) -> str:
    """Read what one pod says, or said last."""
    return f"kubectl logs -n {pod.key.namespace} {pod.name} --tail 50"


def restart(view: View) -> str:
    """Make all pods of a job anew: suspending takes them away, resuming brings them back.

    In Git, or whoever syncs it sets the field back; and not at once, since its operator looks at what is.
    """
    name = view.job.key.name
    return f"in Git set spec.runPolicy.suspend of {name} to true, and to false again once its pods are gone"


def render(view: View) -> str:
    """Have the group written anew from the job."""
    if view.group is not None and view.group.owner == OPERATOR:
        implied = view.job.implied[view.backend].min_member
        return f"set spec.runPolicy.schedulingPolicy.minAvailable {implied} in {view.job.key.name}, and restart it"
    return f"run gangform render and merge what it writes for {view.job.key.name}"
