"""Who writes: the holder of a lease. The official client elects; what it leaves open is put right here."""

import logging
import os
import socket
import threading
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

LEASE = "gangform-controller"
LEASE_SECONDS, RENEW_SECONDS, RETRY_SECONDS = 15, 10, 2
_TIMEOUT_SECONDS = 5


def elect(
    connection: "ApiClient", namespace: str, *, won: Callable[[], object], lost: Callable[[], object],
) -> None:
    """Take part in the election from now on, in a thread of its own.

    Args:
        connection: to the cluster.
        namespace: where the lease is.
        won: called once in that thread, when the lease is ours.
        lost: called in that thread, when it could not be renewed, or when the election itself has broken.
    """
    from kubernetes.leaderelection import electionconfig, leaderelection

    # It says every two seconds that all is well.
    logging.getLogger("leaderelection").setLevel(logging.WARNING)
    configure: Any = electionconfig.Config
    take_part: Any = leaderelection.LeaderElection
    config = configure(
        _lock(connection, namespace, f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"),
        lease_duration=LEASE_SECONDS, renew_deadline=RENEW_SECONDS, retry_period=RETRY_SECONDS,
        onstarted_leading=won, onstopped_leading=lost,
    )

    def run() -> None:
        try:
            take_part(config).run()
        finally:
            lost()

    threading.Thread(target=run, name="election", daemon=True).start()


def _lock(connection: "ApiClient", namespace: str, identity: str) -> Any:
    from kubernetes.client import ApiException, CoordinationV1Api
    from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock
    from urllib3.exceptions import HTTPError

    class Bounded(CoordinationV1Api):
        """Answers in time or not at all, and says of a server that cannot be reached what the election understands."""

        def _call(self, call: Callable[..., Any], *words: Any, **named: Any) -> Any:
            try:
                return call(*words, **named, _request_timeout=_TIMEOUT_SECONDS)
            except HTTPError as error:
                raise ApiException(status=0, reason=str(error)) from error

        def read_namespaced_lease(self, *words: Any, **named: Any) -> Any:
            return self._call(super().read_namespaced_lease, *words, **named)

        def create_namespaced_lease(self, *words: Any, **named: Any) -> Any:
            return self._call(super().create_namespaced_lease, *words, **named)

        def replace_namespaced_lease(self, *words: Any, **named: Any) -> Any:
            return self._call(super().replace_namespaced_lease, *words, **named)

    make: Any = LeaseLock
    lock = make(LEASE, namespace, identity)
    lock.api_instance = Bounded(connection)
    return lock
