"""Everything in deploy/ that is made of kinds this API server has: accepted as it stands, and granting what it says."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest
import yaml

import manifests
from cluster.api import ApiException, Document
from cluster.plane import Plane
from cluster.programs import built
from cluster.repositories import write

DEPLOY = manifests.REPOSITORY / "deploy"

HERE = {
    "ClusterRole", "ClusterRoleBinding", "ConfigMap", "Deployment", "Namespace", "Role", "RoleBinding", "Service",
    "ServiceAccount",
}
# Kinds whose CRDs are published apart from what runs here; tests/deploy and tests/ci hold their structure.
ELSEWHERE = {
    "Application", "ApplicationSet", "ConfigManagementPlugin", "GitRepository", "Kustomization", "OCIRepository",
    "PrometheusRule", "ServiceMonitor", "Task",
}
VARIANTS = [(), *[(name,) for name in manifests.COMPONENTS], manifests.COMPONENTS]
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")

ARGO_CD: list[Document] = [
    {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "argocd-repo-server"},
        "spec": {
            "selector": {"matchLabels": {"app": "argocd"}},
            "template": {"metadata": {"labels": {"app": "argocd"}}, "spec": {
                "containers": [{"name": "argocd-repo-server", "image": "argocd"}],
                "volumes": [{"name": "var-files", "emptyDir": {}}, {"name": "plugins", "emptyDir": {}}],
            }},
        },
    },
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm"}},
]


@pytest.fixture(scope="module")
def installed(empty_plane: Plane) -> Iterator[Plane]:
    """An API server with the controller's namespace, and another for Argo CD."""
    made = [yaml.safe_load((manifests.CONTROLLER / "namespace.yaml").read_text())]
    made.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "argocd"}})
    for namespace in made:
        empty_plane.api.apply(namespace)
    yield empty_plane
    for namespace in made:
        empty_plane.api.delete("Namespace", namespace["metadata"]["name"])


@pytest.fixture(params=VARIANTS, ids=lambda names: "+".join(names) or "base")
def objects(request: pytest.FixtureRequest, kustomize: str, tmp_path: Path) -> list[Document]:
    return manifests.build(kustomize, tmp_path, *request.param)


@pytest.fixture
def argocd(kustomize: str, tmp_path: Path) -> list[Document]:
    """A small Argo CD with both components."""
    for part in ("plugin", "health"):
        shutil.copytree(DEPLOY / "argocd" / part, tmp_path / part)
    write(tmp_path / "argocd.yaml", *ARGO_CD)
    write(tmp_path / "kustomization.yaml", {
        "namespace": "argocd", "resources": ["argocd.yaml"], "components": ["plugin", "health"],
    })
    done = subprocess.run([kustomize, "build", tmp_path], capture_output=True, text=True, check=True)
    return list(yaml.safe_load_all(done.stdout))


def test_the_api_server_accepts_the_controller_as_it_stands(installed: Plane, objects: list[Document]) -> None:
    for document in objects:
        if document["kind"] not in ELSEWHERE:
            installed.api.apply(document, dry_run=True)


def test_the_api_server_accepts_what_argo_cd_gets(installed: Plane, argocd: list[Document]) -> None:
    assert {document["kind"] for document in argocd} == {"ConfigMap", "Deployment"}
    for document in argocd:
        installed.api.apply(document, dry_run=True)


def test_a_field_that_does_not_exist_would_be_refused(installed: Plane, kustomize: str, tmp_path: Path) -> None:
    deployment = next(one for one in manifests.build(kustomize, tmp_path) if one["kind"] == "Deployment")
    deployment["spec"]["template"]["spec"]["containers"][0]["readOnlyRootFilesystem"] = True
    with pytest.raises(ApiException, match="readOnlyRootFilesystem"):
        installed.api.apply(deployment, dry_run=True)


def test_every_file_is_part_of_a_build_or_of_a_kind_from_elsewhere() -> None:
    kinds = {
        document["kind"]: path for path in DEPLOY.rglob("*.yaml") for document in yaml.safe_load_all(path.read_text())
        if "kind" in document
    }
    assert {kind: path for kind, path in kinds.items() if kind not in {"Component"} | HERE | ELSEWHERE} == {}


def test_kubeconform_accepts_all_of_it_with_the_schemas_of_the_api_server(
    installed: Plane, kubeconform: str, objects: list[Document], argocd: list[Document], tmp_path: Path
) -> None:
    write_schemas(installed, tmp_path / "schemas")
    write(tmp_path / "all.yaml", *objects, *argocd)
    done = subprocess.run(
        [kubeconform, "-strict", "-output", "json", "-summary", "-skip", ",".join(sorted(ELSEWHERE)),
         "-schema-location", str(tmp_path / "schemas" / "{{.ResourceKind}}_{{.ResourceAPIVersion}}.json"),
         str(tmp_path / "all.yaml")],
        capture_output=True, text=True, check=False, timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    known = [document for document in [*objects, *argocd] if document["kind"] not in ELSEWHERE]
    assert json.loads(done.stdout)["summary"]["valid"] == len(known)


def write_schemas(plane: Plane, folder: Path) -> None:
    """Write the API server's own schema of each kind of deploy/, closed against fields that it does not know."""
    asked = subprocess.run(
        [built("kubernetes", "kubectl"), "--kubeconfig", plane.kubeconfig, "get", "--raw", "/openapi/v2"],
        capture_output=True, text=True, check=True,
    )
    definitions = json.loads(asked.stdout)["definitions"]
    for definition in definitions.values():
        if "properties" in definition:
            definition["additionalProperties"] = False
    folder.mkdir()
    for name, definition in definitions.items():
        for kind in definition.get("x-kubernetes-group-version-kind", ()):
            if kind["kind"] in HERE:
                path = folder / f"{kind['kind'].lower()}_{kind['version']}.json"
                path.write_text(json.dumps({"$ref": f"#/definitions/{name}", "definitions": definitions}))


# --- what it may do -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pod(kustomize: str, tmp_path_factory: pytest.TempPathFactory) -> Document:
    """The controller's pod, as its Deployment would make it."""
    objects = manifests.build(kustomize, tmp_path_factory.mktemp("pod"))
    template = next(one for one in objects if one["kind"] == "Deployment")["spec"]["template"]
    return {"apiVersion": "v1", "kind": "Pod", **template,
            "metadata": {**template["metadata"], "name": "controller", "namespace": manifests.NAMESPACE}}


def test_its_namespace_takes_its_pod(installed: Plane, pod: Document) -> None:
    installed.api.create(pod, dry_run=True)


@pytest.mark.parametrize("restraint", ["allowPrivilegeEscalation", "capabilities"])
def test_its_namespace_takes_no_pod_with_less_restraint(installed: Plane, pod: Document, restraint: str) -> None:
    looser = deepcopy(pod)
    del looser["spec"]["containers"][0]["securityContext"][restraint]
    with pytest.raises(ApiException, match="violates PodSecurity"):
        installed.api.create(looser, dry_run=True)


@pytest.fixture(params=[(), ("wake-gangs",), ("no-condition",)], ids=lambda names: "+".join(names) or "base")
def granted(
    request: pytest.FixtureRequest, installed: Plane, kustomize: str, tmp_path: Path
) -> Iterator[frozenset[manifests.Right]]:
    """The rights that the document grants to this variant, whose roles the API server has."""
    roles = [one for one in manifests.build(kustomize, tmp_path, *request.param) if "Role" in one["kind"]]
    for role in roles:
        installed.api.apply(role)
    rights = manifests.rights(*request.param)
    installed.wait("the roles", lambda: all(allowed(installed, right) for right in rights))
    yield rights
    for role in roles:
        installed.api.delete(role["kind"], role["metadata"]["name"], role["metadata"].get("namespace"))
    installed.wait("the end of the roles", lambda: not any(allowed(installed, right) for right in rights))


def allowed(plane: Plane, right: manifests.Right) -> bool:
    """Ask the API server whether the controller's account may do this."""
    resource, _, part = right.resource.partition("/")
    answer = plane.api.create({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {},
        "spec": {"user": f"system:serviceaccount:{manifests.NAMESPACE}:{manifests.ACCOUNT}", "resourceAttributes": {
            "verb": right.verb, "group": right.group, "resource": resource, "subresource": part,
            "name": right.name, "namespace": right.namespace,
        }},
    })
    return bool(answer["status"]["allowed"])


def test_the_api_server_allows_each_line_of_the_document_and_nothing_beside_it(
    installed: Plane, granted: frozenset[manifests.Right]
) -> None:
    places = {(right.group, right.resource, right.name, right.namespace) for right in granted}
    places |= {
        ("", "pods", "", ""), ("", "pods/binding", "", ""), ("", "pods/eviction", "", ""), ("", "secrets", "", ""),
        ("", "configmaps", "", manifests.NAMESPACE), ("", "namespaces", "", ""),
        ("apps", "deployments", "", manifests.NAMESPACE),
        ("batch", "jobs", "", ""), ("kubeflow.org", "mpijobs", "", ""), ("kubeflow.org", "mpijobs/status", "", ""),
        ("kubeflow.org", "mpijobs/finalizers", "", ""), ("scheduling.volcano.sh", "queues", "", ""),
        ("scheduling.x-k8s.io", "podgroups/status", "", ""), ("coordination.k8s.io", "leases", "", "kube-system"),
        ("coordination.k8s.io", "leases", "other", manifests.NAMESPACE),
        ("rbac.authorization.k8s.io", "clusterroles", "", ""),
    }
    asked = {manifests.Right(verb, *place) for place in places for verb in VERBS}
    # Creating names no object yet: the right to create any lease is that to create this one.
    asked -= {right for right in asked if right.resource == "leases" and right.name and right.verb == "create"}
    assert {right for right in asked if allowed(installed, right)} == granted
