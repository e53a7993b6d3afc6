"""What the parts that speak of gangs know of a scheduler; all else stays with its backend."""

from typing import NamedTuple

from gangform.contracts import Backend


class Service(NamedTuple):
    """What is to be known of a backend to speak of its gangs; ``contracts.Backend`` says the same at length.

    Attributes:
        api: apiVersion/kind of its group objects.
        resource: its group objects' resource, as kubectl takes it.
        mark: the key of the label or annotation that binds pods.
        sleeps: whether it looks at a waiting group again only when one of the group's own objects changes.
        writes: whether the scheduler itself writes the phase of its groups.
    """

    name: str
    title: str
    api: str = ""
    resource: str = "podgroups"
    mark: str = ""
    sleeps: bool = False
    writes: bool = False


def describe(backend: Backend) -> Service:
    """Return what is to be known of a backend."""
    return Service(backend.NAME, backend.TITLE, "/".join(backend.GROUP_API), backend.RESOURCE, backend.MARK.key,
                   "sleeps-until-event" in backend.TRAITS, "rewrites-groups" in backend.TRAITS)
