"""What the controller writes to a cluster, one request each: a condition, an event, an annotation."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

FIELD_MANAGER = "gangform"
TIMEOUT_SECONDS = (5, 15)
"""To connect, and to wait for the answer."""

Outcome = Literal["done", "gone", "refused", "failed"]
"""``gone``: there is nothing to write on any more; ``refused``: asking again gives the same answer."""

_PAGE = 1000
_LISTS = (".conditions", ".status")
"""Ends of fields that hold more than one condition."""
_PASSING = frozenset({
    HTTPStatus.UNAUTHORIZED, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS,
})


class Publisher:
    """Writes to one cluster; may be called from several threads at once, and never raises for what a server does."""

    def __init__(self, connection: "ApiClient") -> None:
        self._connection = connection

    def apply_status(self, resource: str, data: Mapping[str, Any]) -> tuple[Outcome, str]:
        """Apply fields of an object's status on the server, under our own name, and answer how that went.

        Other managers' fields stay as they are: where the CRD has a list in one piece, all of which we would take over,
        that is refused. With a resourceVersion the object must not have changed since: the
        API server looks at no uid here, and a job that was made anew under its name would be taken for the old one.

        Args:
            resource: plural name of the kind (``mpijobs``).
            data: apiVersion, kind, name, namespace and resourceVersion of the object, and the fields.
        """
        path = f"{_path(data['apiVersion'], resource, data['metadata']['namespace'])}/{data['metadata']['name']}/status"
        query = [("fieldManager", FIELD_MANAGER)]
        status, text = self._reach("PATCH", path, data, "application/apply-patch+yaml", query)
        fields = _contested(text) if status == HTTPStatus.CONFLICT else ()
        if any(field.endswith(_LISTS) for field in fields):
            return "refused", f"409 the CRD of {resource} has no x-kubernetes-list-type: map on {', '.join(fields)}"
        if fields:
            # Somebody has edited what is ours alone.
            status, text = self._reach("PATCH", path, data, "application/apply-patch+yaml", [*query, ("force", "true")])
        return _outcome(status, text)

    def create_event(self, data: Mapping[str, Any]) -> tuple[Outcome, str]:
        """Create an event; one of the same name is the same event, and that is fine."""
        path = _path(data["apiVersion"], "events", data["metadata"]["namespace"])
        outcome, why = self._send("POST", path, data, "application/json", [("fieldManager", FIELD_MANAGER)])
        return ("done", "") if why.startswith(f"{HTTPStatus.CONFLICT.value} ") else (outcome, why)

    def annotate(self, api: str, resource: str, namespace: str, name: str, key: str, value: str) -> tuple[Outcome, str]:
        """Set one annotation of an object.

        Args:
            api: its apiVersion.
            resource: plural name of its kind.
            namespace: where it is.
            name: of the object.
            key: of the annotation.
            value: of the annotation.
        """
        body = {"metadata": {"annotations": {key: value}}}
        path, query = f"{_path(api, resource, namespace)}/{name}", [("fieldManager", FIELD_MANAGER)]
        return self._send("PATCH", path, body, "application/merge-patch+json", query)

    def is_hidden(self, path: str) -> bool:
        """Whether the objects of a path of the API may not be listed.

        Raises:
            ProgramError: the API server does not answer.
        """
        from urllib3.exceptions import HTTPError

        from gangform.model.errors import ProgramError

        try:
            status, _ = self._ask("GET", path, None, {}, [("limit", "1")])
        except (HTTPError, OSError) as error:
            raise ProgramError(f"cannot reach the API server {self._connection.configuration.host}: {error}") from error
        if status == HTTPStatus.UNAUTHORIZED:
            raise ProgramError(f"the API server {self._connection.configuration.host} does not accept the credentials")
        return status == HTTPStatus.FORBIDDEN

    def count(self, path: str) -> int | None:
        """Return how many objects a path of the API has; None where there is no such kind, or no right to list it.

        Raises:
            OSError: the API server does not answer.
        """
        try:
            answer = self._list(path, {"limit": "1"}, "application/json")
        except PermissionError:
            return None
        if answer is None:
            return None
        return len(answer.get("items") or ()) + int((answer.get("metadata") or {}).get("remainingItemCount") or 0)

    def uids(self, path: str) -> frozenset[str]:
        """Return the uids of all objects of a path of the API, read in pages and without what the objects say.

        Raises:
            OSError: the API server does not answer, or they may not be listed.
        """
        found: set[str] = set()
        query = {"limit": str(_PAGE)}
        while True:
            answer = self._list(path, query, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1") or {}
            found.update(str(item["metadata"]["uid"]) for item in answer.get("items") or ())
            following = (answer.get("metadata") or {}).get("continue")
            if not following:
                return frozenset(found)
            query["continue"] = following

    def _list(self, path: str, query: Mapping[str, str], accept: str) -> dict[str, Any] | None:
        import json

        from urllib3.exceptions import HTTPError

        try:
            status, text = self._ask("GET", path, None, {"Accept": accept}, list(query.items()))
        except HTTPError as error:
            raise OSError(str(error)) from error
        if status == HTTPStatus.NOT_FOUND:
            return None
        if status == HTTPStatus.FORBIDDEN:
            raise PermissionError(_message(text))
        if status != HTTPStatus.OK:
            raise OSError(f"{status} {_message(text)}")
        answer: dict[str, Any] = json.loads(text)
        return answer

    def _send(
        self, method: str, path: str, body: Mapping[str, Any], content: str, query: list[tuple[str, str]],
    ) -> tuple[Outcome, str]:
        return _outcome(*self._reach(method, path, body, content, query))

    def _reach(
        self, method: str, path: str, body: Mapping[str, Any], content: str, query: list[tuple[str, str]],
    ) -> tuple[int, str]:
        """Send, and return status and text of the answer; 0 and the reason where there is none."""
        from urllib3.exceptions import HTTPError

        try:
            return self._ask(method, path, body, {"Content-Type": content}, query)
        except (HTTPError, OSError) as error:
            return 0, str(error)

    def _ask(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str],
        query: list[tuple[str, str]],
    ) -> tuple[int, str]:
        sent = self._connection.param_serialize(
            method, path, query_params=query, header_params={"Accept": "application/json", **headers}, body=body,
            auth_settings=["BearerToken"],
        )
        answer: Any = self._connection.call_api(*sent, _request_timeout=TIMEOUT_SECONDS)
        return int(answer.status), bytes(answer.read()).decode(errors="replace")


def _outcome(status: int, text: str) -> tuple[Outcome, str]:
    if not status:
        return "failed", text
    if status < HTTPStatus.MULTIPLE_CHOICES:
        return "done", ""
    why = f"{status} {_message(text)}"
    if status == HTTPStatus.NOT_FOUND:
        return "gone", why
    passing = status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return ("failed" if passing else "refused"), why


def _contested(text: str) -> tuple[str, ...]:
    """Return the fields that others hold and an apply would take; none for a conflict of another sort."""
    import json

    try:
        causes = json.loads(text)["details"]["causes"]
        return tuple(str(cause["field"]) for cause in causes if cause["reason"] == "FieldManagerConflict")
    except (ValueError, KeyError, TypeError):
        return ()


def _path(api: str, resource: str, namespace: str) -> str:
    return f"/{'apis' if '/' in api else 'api'}/{api}/namespaces/{namespace}/{resource}"


def _message(text: str) -> str:
    import json

    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return text[:200]
