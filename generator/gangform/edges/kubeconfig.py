"""Which cluster is meant and who we are to it, from an ordinary kubeconfig or inside a pod.

The client is an extra of the package and is imported when a cluster is asked for.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from gangform.model.errors import InputError, ProgramError

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

INSTALL = 'pip install "gangform[cluster]"'

_ACCOUNT_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

_ENTRY = re.compile(r"\{'name': '?([^',}]*)'?.*\}")
"""An entry of a kubeconfig as the client's messages spell it: with its secrets."""


class Connection(NamedTuple):
    """An API server and who we are to it.

    Attributes:
        client: of the package kubernetes.
        server: its address, for messages.
        namespace: where whoever says nothing else works.
    """

    client: "ApiClient"
    server: str
    namespace: str


def connect(kubeconfig: str | None = None, context: str | None = None) -> Connection:
    """Read the kubeconfig, or inside a pod what its service account gives; nothing is asked of the server yet.

    Args:
        kubeconfig: path; else what KUBECONFIG names, else ``~/.kube/config``.
        context: name of a context in it; else its current one.

    Raises:
        ProgramError: the client is not installed, or there is nothing to connect to.
        InputError: the kubeconfig cannot be read, or has no such context.
    """
    try:
        from kubernetes import client, config
    except ImportError as error:
        raise ProgramError(f"the client for clusters is not installed: {INSTALL}") from error
    path = kubeconfig or os.environ.get("KUBECONFIG") or os.path.expanduser("~/.kube/config")
    found = any(os.path.exists(os.path.expanduser(part)) for part in path.split(os.pathsep) if part)
    inside = not found and not kubeconfig and not context and "KUBERNETES_SERVICE_HOST" in os.environ
    if not found and not inside:
        raise ProgramError(f"there is no kubeconfig: {path} does not exist",
                           "name one with --kubeconfig or KUBECONFIG")
    load: Any = config.load_incluster_config
    make: Any = config.new_client_from_config
    settings: Any = client.Configuration()
    with _collect_complaints() as complaints:
        try:
            if inside:
                load(client_configuration=settings)
            else:
                settings = make(path, context=context, persist_config=False).configuration
            namespace = _account_namespace() if inside else _context_namespace(path, context)
        except Exception as error:  # noqa: BLE001 - the client lets out whatever its readers of YAML, base64 and files raise
            # Not as its cause: what the client raised may hold secrets.
            what = "the pod's service account" if inside else f"the kubeconfig {path}"
            raise InputError(f"cannot use {what}: {_explain(error)}") from None
    settings.retries = False
    if complaints and not settings.api_key and not settings.cert_file:
        raise ProgramError(f"the credentials of the kubeconfig cannot be had: {'; '.join(complaints)}",
                           "log in anew as you do for kubectl")
    _check(settings, "the pod's service account" if inside else f"the kubeconfig {path}")
    return Connection(client.ApiClient(settings), str(settings.host), namespace)


def _account_namespace() -> str:
    with suppress(OSError), open(_ACCOUNT_NAMESPACE, encoding="utf-8") as stream:
        return stream.read().strip() or "default"
    return "default"


def _context_namespace(path: str, context: str | None) -> str:
    from kubernetes import config

    read: Any = config.list_kube_config_contexts
    contexts, active = read(path)
    chosen = next((one for one in contexts if one["name"] == context), active) if context else active
    return str((chosen.get("context") or {}).get("namespace") or "default")


@contextmanager
def _collect_complaints() -> Iterator[list[str]]:
    """Gather what the client logs while it reads a kubeconfig: a plug-in for credentials that failed, for one."""
    import logging

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            complaints.append(_redact(" ".join(record.getMessage().split())))

    complaints: list[str] = []
    handler = Listener(logging.WARNING)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield complaints
    finally:
        root.removeHandler(handler)


def _check(settings: Any, origin: str) -> None:
    """Refuse what no request can be made of.

    Raises:
        InputError: the server has no address, or the token cannot be sent.
    """
    if not str(settings.host).startswith(("https://", "http://")):
        raise InputError(f"cannot use {origin}: its server is {str(settings.host)!r}, which is no address",
                         "an address begins with https://")
    tokens = "".join(map(str, settings.api_key.values()))
    if not (tokens.isascii() and tokens.isprintable()):
        # Said without the token: what is wrong with it can be seen in its file.
        raise InputError(f"cannot use {origin}: its token holds characters that no token has, such as a line break",
                         "log in anew as you do for kubectl")


def _explain(error: Exception) -> str:
    if isinstance(error, TypeError | AttributeError | KeyError | IndexError):
        return "something in it is not what a kubeconfig has there"
    return _redact(_line(error))


def _redact(text: str) -> str:
    return _ENTRY.sub(r"\1", text)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
