"""What an API server holds: raw objects page by page, and their changes. Every trouble is one message."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import Any, Literal, NamedTuple

from gangform.edges.kubeconfig import Connection
from gangform.model.errors import ProgramError

Change = Literal["ADDED", "MODIFIED", "DELETED"]

PAGE = 500
"""Objects that are asked for at a time."""

TIMEOUT_SECONDS = (5, 60)
"""To connect, and to wait for an answer."""

WATCH_SECONDS = 600
"""How long one watch lasts; then the objects are listed anew."""

class Place(NamedTuple):
    """Where an API server keeps the objects of a kind."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool = True

    @property
    def name(self) -> str:
        """The kind as kubectl tells it from others: ``podgroups.scheduling.volcano.sh``."""
        group = self.api_version.rpartition("/")[0]
        return f"{self.plural}.{group}" if group else self.plural


class Page(NamedTuple):
    """Some of the objects of a kind.

    Attributes:
        objects: as the API server sent them; apiVersion and kind are filled in.
        version: the resourceVersion from which a watch goes on.
    """

    objects: tuple[Mapping[str, Any], ...]
    version: str


class HiddenError(Exception):
    """These objects may not be listed by whoever asks."""


class AbsentError(Exception):
    """The API server knows no such kind."""


class ExpiredError(Exception):
    """A list or a watch must begin anew."""


def pages(connection: Connection, place: Place, namespace: str = "", *, fields: str = "") -> Iterator[Page]:
    """Yield all objects of a kind, ``PAGE`` at a time.

    Args:
        connection: the API server.
        place: the kind.
        namespace: the only one that is wanted; all when empty.
        fields: a field selector.

    Raises:
        HiddenError: they may not be listed.
        AbsentError: there is no such kind.
        ProgramError: the API server is out of reach, or does not know us.
    """
    token: str | None = None
    while True:
        try:
            answer = _get(connection, place, namespace, fields, token)
        except ExpiredError as expired:
            # The list took longer than the server keeps its version; the token in its answer goes on with a newer one.
            if token is None or not expired.args[0]:
                raise ProgramError(f"{connection.server} cannot list {place.name}: the list expired") from expired
            token = expired.args[0]
            continue
        except HiddenError:
            # Rights are looked at before anybody looks whether the kind is there.
            if _is_served(connection, place):
                raise
            raise AbsentError(place.name) from None
        yield _page(connection, place, answer)
        before, token = token, _continuation(answer) or None
        if token is None:
            return
        if token == before:
            raise _strange(connection, "the list has no end")


def _page(connection: Connection, place: Place, answer: Mapping[str, Any]) -> Page:
    items = answer.get("items") or ()
    if not isinstance(items, list | tuple) or not all(isinstance(item, dict) for item in items):
        raise _strange(connection, "the list holds no objects")
    metadata = answer.get("metadata")
    version = metadata.get("resourceVersion") if isinstance(metadata, dict) else None
    return Page(tuple({"apiVersion": place.api_version, "kind": place.kind, **item} for item in items),
                str(version or ""))


def changes(
    connection: Connection, place: Place, namespace: str, version: str, *, fields: str = "",
) -> Iterator[tuple[Change, Mapping[str, Any]]]:
    """Yield (change, object) of a kind until the watch ends, which it does by itself.

    Args:
        connection: the API server.
        place: the kind.
        namespace: the only one that is wanted; all when empty.
        version: where to begin, as a Page tells it.
        fields: a field selector.

    Raises:
        ExpiredError: the version is too old; list anew.
        ProgramError: the API server is out of reach.
    """
    dynamic, resource = _resource(connection, place)
    with _translate(connection, place):
        for event in dynamic.watch(
            resource, namespace=namespace or None, resource_version=version, timeout=WATCH_SECONDS,
            field_selector=fields or None,
        ):
            if event["type"] in {"ADDED", "MODIFIED", "DELETED"}:
                yield event["type"], {"apiVersion": place.api_version, "kind": place.kind, **event["raw_object"]}


def _resource(connection: Connection, place: Place) -> tuple[Any, Any]:
    from kubernetes.dynamic import DynamicClient
    from kubernetes.dynamic.resource import Resource

    make_client: Any = DynamicClient
    make_resource: Any = Resource
    # Not asked of the discovery: a list says at once whether the kind is there, and may be read.
    dynamic = make_client(connection.client, discoverer=lambda *_: None)
    group, _, version = place.api_version.rpartition("/")
    return dynamic, make_resource(
        prefix="apis" if group else "api", group=group, api_version=version, kind=place.kind, name=place.plural,
        namespaced=place.namespaced, verbs=[], client=dynamic)


def _get(
    connection: Connection, place: Place, namespace: str, fields: str, token: str | None,
) -> Mapping[str, Any]:
    import json

    dynamic, resource = _resource(connection, place)
    with _translate(connection, place):
        answer = dynamic.get(
            resource, namespace=namespace or None, field_selector=fields or None, limit=PAGE, _continue=token,
            serialize=False, _request_timeout=TIMEOUT_SECONDS)
        data = json.loads(answer.data)
    if not isinstance(data, dict):
        raise _strange(connection, "no list")
    return data


def _is_served(connection: Connection, place: Place) -> bool:
    """Whether the API server has the kind's API group and version, which everybody may know."""
    dynamic, _ = _resource(connection, place)
    if "/" not in place.api_version:
        return True
    try:
        with _translate(connection, place):
            dynamic.request("get", f"/apis/{place.api_version}", serialize=False, _request_timeout=TIMEOUT_SECONDS)
    except AbsentError:
        return False
    except HiddenError:
        return True
    return True


@contextmanager
def _translate(connection: Connection, place: Place) -> Iterator[None]:
    """Turn what the client raises into what it means."""
    import urllib3
    from kubernetes.client.exceptions import ApiException

    try:
        yield
    except ApiException as error:
        if not error.status:
            # The client wraps what went wrong with TLS, and nothing else of what happens on the way.
            raise _unreachable(connection, str(error.reason or "")) from None
        raise _refused(connection, place, int(error.status), error.body, str(error.reason or "")) from None
    except urllib3.exceptions.HTTPError as error:
        raise _unreachable(connection, _unwrap(error)) from None
    except RecursionError:
        raise _strange(connection, "lists inside lists without end") from None
    except ValueError as error:
        raise _strange(connection, _line(error)) from None
    except OSError as error:
        raise _unreachable(connection, _line(error)) from None


def _strange(connection: Connection, what: str) -> ProgramError:
    return ProgramError(f"{connection.server} does not answer as an API server does: {what}")


def _unreachable(connection: Connection, reason: str) -> ProgramError:
    said = " ".join(reason.split())
    if "certificate" in said.lower() or "ssl" in said.lower():
        return ProgramError(f"cannot trust the API server {connection.server}: {said}",
                            "see certificate-authority in the kubeconfig")
    return ProgramError(f"cannot reach the API server {connection.server}: {said}",
                        "is the network up, and the right --context chosen?")


def _refused(connection: Connection, place: Place, status: int, body: Any, reason: str) -> Exception:
    message = _message(body) or reason
    if status == HTTPStatus.FORBIDDEN:
        return HiddenError(message)
    if status == HTTPStatus.NOT_FOUND:
        return AbsentError(message)
    if status == HTTPStatus.GONE:
        return ExpiredError(_continuation(_decode(body)))
    if status == HTTPStatus.UNAUTHORIZED:
        return ProgramError(f"the API server {connection.server} does not accept the credentials of the kubeconfig",
                            "log in anew as you do for kubectl")
    return ProgramError(f"the API server {connection.server} cannot list {place.name}: {status} {message}".rstrip())


def _message(body: Any) -> str:
    found = _decode(body).get("message")
    return " ".join(found.split())[:300] if isinstance(found, str) else ""


def _continuation(answer: Mapping[str, Any]) -> str:
    metadata = answer.get("metadata")
    found = metadata.get("continue") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) else ""


def _decode(body: Any) -> Mapping[str, Any]:
    import json

    with suppress(ValueError, TypeError, RecursionError):
        data = json.loads(body)
        if isinstance(data, dict):
            return data
    return {}


def _unwrap(error: BaseException) -> str:
    """The innermost reason, without the client's own objects in it."""
    inner = getattr(error, "reason", None)
    if isinstance(inner, BaseException):
        return _unwrap(inner)
    original = getattr(error, "original_error", None)
    if isinstance(original, BaseException):
        return f"the proxy: {_unwrap(original)}"
    text = _line(error)
    return text.rpartition(">: ")[2] if ">: " in text else text.rpartition("): ")[2] or text


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
