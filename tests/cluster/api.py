"""The API server as a test talks to it: documents in, documents out, by kind and name."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import urllib3
from kubernetes import client, config, watch
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ApiException, NotFoundError
from kubernetes.dynamic.resource import Resource

Document = dict[str, Any]

# Where the API server keeps each kind. Not asked of its discovery, which lags behind CRDs that were just added.
NAMESPACED = {
    ("v1", "Pod"): "pods", ("v1", "Event"): "events", ("v1", "ResourceQuota"): "resourcequotas", ("v1", "Secret"): "secrets",
    ("v1", "ServiceAccount"): "serviceaccounts", ("v1", "Service"): "services", ("v1", "ConfigMap"): "configmaps",
    ("batch/v1", "Job"): "jobs", ("apps/v1", "Deployment"): "deployments",
    ("coordination.k8s.io/v1", "Lease"): "leases", ("rbac.authorization.k8s.io/v1", "Role"): "roles",
    ("rbac.authorization.k8s.io/v1", "RoleBinding"): "rolebindings",
    ("kubeflow.org/v2beta1", "MPIJob"): "mpijobs", ("scheduling.x-k8s.io/v1alpha1", "PodGroup"): "podgroups",
    ("scheduling.x-k8s.io/v1alpha1", "ElasticQuota"): "elasticquotas",
    ("scheduling.volcano.sh/v1beta1", "PodGroup"): "podgroups",
}
CLUSTER_WIDE = {
    ("v1", "Node"): "nodes", ("v1", "Namespace"): "namespaces", ("scheduling.k8s.io/v1", "PriorityClass"): "priorityclasses",
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): "customresourcedefinitions",
    ("rbac.authorization.k8s.io/v1", "ClusterRole"): "clusterroles",
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"): "clusterrolebindings",
    ("scheduling.volcano.sh/v1beta1", "Queue"): "queues",
    ("authorization.k8s.io/v1", "SubjectAccessReview"): "subjectaccessreviews",
}
VERSIONS = {kind: version for version, kind in reversed([*NAMESPACED, *CLUSTER_WIDE])}  # the first of a kind counts
FIELD_MANAGER = "cluster-test"


class Api:
    """Calls against one API server with one kubeconfig."""

    def __init__(self, kubeconfig: Path) -> None:
        self._client = config.new_client_from_config(str(kubeconfig))
        self._dynamic = DynamicClient(self._client, discoverer=lambda *_: None)

    @staticmethod
    def ready(kubeconfig: Path) -> bool:
        """Whether the API server says that it is ready."""
        settings = client.Configuration()
        config.load_kube_config(str(kubeconfig), client_configuration=settings)
        settings.retries = False  # whoever waits asks again
        connection = client.ApiClient(settings)
        try:
            client.VersionApi(connection).get_code(_request_timeout=2)
            answer = connection.call_api(*connection.param_serialize("GET", "/readyz", auth_settings=["BearerToken"]))
            answer.read()  # else its connection stays open
        except (client.ApiException, urllib3.exceptions.HTTPError):
            return False
        finally:
            connection.rest_client.close()
        return bool(answer.status == 200)

    def _resource(self, kind: str, version: str | None = None) -> Any:
        key = (version or VERSIONS[kind], kind)
        group, _, number = key[0].rpartition("/")
        return Resource(
            prefix="apis" if group else "api", group=group, api_version=number, kind=kind,
            namespaced=key not in CLUSTER_WIDE, verbs=[], client=self._dynamic,
            name=(NAMESPACED | CLUSTER_WIDE).get(key, f"{kind.lower()}s"),  # the API server says that it has none of those
        )

    @staticmethod
    def _read(response: Any) -> Document:
        return json.loads(response.data)

    def apply(self, document: Document, *, namespace: str | None = None, strict: bool = True, dry_run: bool = False,
              manager: str = FIELD_MANAGER) -> Document:
        """Server-side apply, as Argo CD and Flux do it.

        Raises:
            ApiException: the API server refuses.
        """
        resource = self._resource(document["kind"], document["apiVersion"])
        return self._read(self._dynamic.server_side_apply(
            resource, body=document, namespace=namespace or document["metadata"].get("namespace"), serialize=False,
            field_manager=manager, force_conflicts=True, **_query(strict=strict, dry_run=dry_run),
        ))

    def create(self, document: Document, *, namespace: str | None = None, strict: bool = True, dry_run: bool = False) -> Document:
        resource = self._resource(document["kind"], document["apiVersion"])
        return self._read(self._dynamic.create(
            resource, body=document, namespace=namespace or document["metadata"].get("namespace"), serialize=False,
            **_query(strict=strict, dry_run=dry_run),
        ))

    def get(self, kind: str, name: str, namespace: str | None = None, version: str | None = None) -> Document | None:
        """One object, or None where there is none."""
        try:
            resource = self._resource(kind, version)
            return self._read(self._dynamic.get(resource, name=name, namespace=namespace, serialize=False))
        except NotFoundError:
            return None

    def list(self, kind: str, namespace: str | None = None, version: str | None = None, labels: str | None = None) -> list[Document]:
        resource = self._resource(kind, version)
        return self._read(self._dynamic.get(
            resource, namespace=namespace, label_selector=labels, serialize=False,
        ))["items"]

    def patch(self, kind: str, name: str, patch: Mapping[str, Any], namespace: str | None = None, version: str | None = None,
              *, status: bool = False) -> Document:
        """A JSON merge patch of an object, or of its status."""
        resource = self._resource(kind, version)
        path = resource.path(name=name, namespace=namespace) + ("/status" if status else "")
        return self._read(self._dynamic.request(
            "patch", path, body=dict(patch), content_type="application/merge-patch+json", serialize=False,
        ))

    def bind(self, pod: str, node: str, namespace: str) -> None:
        """Give a pod a node, as a scheduler does."""
        path = self._resource("Pod", None).path(name=pod, namespace=namespace) + "/binding"
        self._dynamic.request("post", path, serialize=False, body={
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        })

    def delete(self, kind: str, name: str, namespace: str | None = None, version: str | None = None) -> None:
        """Delete an object and, in the background, all that it owns; none there is no fault."""
        try:
            self._dynamic.delete(
                self._resource(kind, version), name=name, namespace=namespace, propagation_policy="Background",
                body={"gracePeriodSeconds": 0},
            )
        except NotFoundError:
            return

    def token(self, account: str, namespace: str) -> str:
        """A token of a service account, as its pods get one."""
        path = self._resource("ServiceAccount").path(name=account, namespace=namespace) + "/token"
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
        return str(self._read(self._dynamic.request("post", path, body=body, serialize=False))["status"]["token"])

    def watch(
        self, kind: str, seconds: int, version: str | None = None, since: str | None = None,
    ) -> Iterator[tuple[str, Document]]:
        """Every change of every object of a kind, for so long; with a resourceVersion not what was there before."""
        resource = self._resource(kind, version)
        for event in self._dynamic.watch(resource, timeout=seconds, resource_version=since, watcher=watch.Watch()):
            yield event["type"], event["raw_object"]

    def serves(self, crd: str) -> bool:
        """Whether the objects of a CRD can be listed by now, which takes a little longer than its Established condition."""
        found = self.get("CustomResourceDefinition", crd)
        if found is None:
            return False
        spec = found["spec"]
        try:
            for version in spec["versions"]:
                self.list(spec["names"]["kind"], version=f"{spec['group']}/{version['name']}")
        except NotFoundError:
            return False
        return True


def _query(*, strict: bool, dry_run: bool) -> dict[str, Any]:
    return {
        "query_params": [("fieldValidation", "Strict" if strict else "Ignore")], "dry_run": "All" if dry_run else None,
    }


__all__ = ["Api", "ApiException", "Document"]
