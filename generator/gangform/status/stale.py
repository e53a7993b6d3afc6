"""Whether a group object says what its job implies now."""

from gangform.sizing import readable
from gangform.status import capacity, wording
from gangform.status.picture import OPERATOR
from gangform.status.view import View


def drift(view: View) -> str:
    """Say how the group differs from what the job implies; empty where it does not, or where nothing tells."""
    implied = view.job.implied.get(view.backend)
    if view.group is None or implied is None:
        return ""
    there, wanted = view.group.gang.min_member, implied.min_member
    if there and wanted and there != wanted:
        return f"it has minMember {there}, the job implies {wanted}"
    if view.group.owner == OPERATOR or not view.group.gang.min_resources:
        return ""
    # A resource that the job does not ask for cannot be compared: admission may add it to every pod.
    most = readable(implied.min_resources)
    held = {name: amount for name, amount in readable(view.group.gang.min_resources).items() if name in most}
    more = capacity.lack(held, most)
    if not more:
        return ""
    return (f"its minResources are {wording.amounts({name: held[name] for name in more})}, "
            f"the job implies {wording.amounts({name: most[name] for name in more})}")
