"""Documents that fit a schema, drawn at random, and MPIJobs among them that mpi-operator would run."""

from typing import Any

from hypothesis import strategies as st

from gangform import schema
from gangform.kinds import mpijob
from gangform.schema.structure import item, member, resolve

EXACT = 2**53 - 1
NAMES = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
TEXTS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"), exclude_characters="$"), max_size=8)
QUANTITIES = st.one_of(
    st.integers(-9, 2**40), st.integers(0, 99).map(float),
    st.sampled_from(["1", "500m", "1.5Gi", "2e3", "2E-3", ".5", "5.", "+1k", "-1", "10u", "3Ei", "0"]))

# Words that some reader of YAML takes for a number, a truth value or nothing, and that some system takes for a device.
WORDS = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf", "e1", "x", "con", "aux", "nul",
         "kustomization", "references", "pi-patch", "a" * 50, "b" + "-" * 20 + "b", "abstract", "x0", "default"]
NUMBERS = ["1e3", "0x10", "123", "0o17", "1", "2001-01-01", "0777", "1-2", "12e03"]
JOB_NAMES = st.sampled_from(WORDS) | NAMES
NAMESPACES = st.none() | st.sampled_from(["default", *WORDS, *NUMBERS]) | NAMES
VALUES = st.sampled_from(["", "~", "=", "<<", ".5", "0b1", "1_000", "12:30:45", "- a", "a: b", "#", "'", '"', "{}", "*a",
                          *WORDS, *NUMBERS]) | TEXTS
MARKS = {"labels": "scheduling.x-k8s.io/pod-group", "annotations": "scheduling.k8s.io/group-name"}
# The CRD lets requests below zero through, for which no sum has a meaning.
AMOUNTS = st.none() | st.dictionaries(
    st.sampled_from(["cpu", "memory", "nvidia.com/gpu", "hugepages-2Mi"]),
    QUANTITIES.filter(lambda amount: not str(amount).startswith("-")), max_size=3)
EMPTY_FIELDS = st.sampled_from([{}, {"command": None, "env": None}, {"args": [], "env": [], "securityContext": {}}])
SCHEDULERS = st.sampled_from([None, "", "default-scheduler", "volcano", "scheduler-plugins-scheduler"])


def _scalars(node: dict[str, Any]) -> st.SearchStrategy[Any] | None:
    if "const" in node:
        return st.just(node["const"])
    if "enum" in node:
        return st.sampled_from(node["enum"])
    if "x-kubernetes-int-or-string" in node:
        return QUANTITIES if "pattern" in node else st.integers(-(2**31), 2**31 - 1) | TEXTS
    kind = node.get("type")
    if kind == "string" or kind == ["string", "null"]:
        return NAMES if "pattern" in node else TEXTS
    if kind == "integer":
        # Beyond these the API server takes no number with a point for a whole one.
        low, high = max(node.get("minimum", -EXACT), -EXACT), min(node.get("maximum", EXACT), EXACT)
        return st.integers(low, high) | st.integers(low, high).map(float)
    return st.booleans() if kind == "boolean" else None


def _grow(draw: st.DrawFn, node: dict[str, Any], root: dict[str, Any], depth: int) -> Any:
    scalars = _scalars(node)
    if scalars is not None:
        return draw(scalars)
    room = max(0, 4 - depth // 3)
    if node["type"] == "array":
        size = draw(st.integers(min(1, room), min(2, room)))
        return _unlike(node, root, [_grow(draw, item(node, root), root, depth + 1) for _ in range(size)])
    properties = node.get("properties", {})
    if not properties:
        keys = draw(st.lists(NAMES, min_size=1 if depth < 4 else 0, max_size=2, unique=True))
        return {key: _grow(draw, member(node, key, root), root, depth + 1) for key in keys} if (
            "additionalProperties" in node) else {}
    needed = {*node.get("required", ()), *(["name"] if "anyOf" in node else []), *(["spec"] if depth == 0 else [])}
    optional = sorted(properties.keys() - needed)
    chosen = draw(st.lists(st.sampled_from(optional), max_size=room, unique=True)) if optional else []
    return {key: _grow(draw, member(node, key, root), root, depth + 1) for key in sorted({*needed, *chosen})}


def _unlike(node: dict[str, Any], root: dict[str, Any], items: list[Any]) -> list[Any]:
    """Keep one of the items that a keyed list would call equal."""
    kind, keys = node.get("x-kubernetes-list-type"), node.get("x-kubernetes-list-map-keys", ())
    below = item(node, root)
    seen: dict[Any, Any] = {}
    for index, value in enumerate(items):
        identity = index if kind is None else value if kind == "set" else tuple(
            value.get(key, member(below, key, root).get("default")) for key in keys)
        seen.setdefault(identity, value)
    return list(seen.values())


@st.composite
def documents(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Draw an object that fits a schema."""
    root = schema.load(name)
    result: dict[str, Any] = _grow(draw, resolve(root, root), root, 0)
    return result


@st.composite
def jobs(draw: st.DrawFn) -> dict[str, Any]:
    """Draw an MPIJob that the API server and mpi-operator take, and whose gang can start."""
    data = draw(documents(mpijob.SCHEMA))
    data["metadata"]["name"] = draw(JOB_NAMES)
    data["metadata"].pop("namespace", None)
    namespace = draw(NAMESPACES)
    if namespace is not None:
        data["metadata"]["namespace"] = namespace
    workers = draw(st.integers(0, 20))
    spec = data["spec"]
    spec["mpiReplicaSpecs"] = {"Launcher": _replica_spec(draw, draw(st.sampled_from([1, 1.0, None])))}
    if workers:
        spec["mpiReplicaSpecs"]["Worker"] = _replica_spec(draw, draw(st.sampled_from([workers, float(workers)])))
    elif draw(st.booleans()):
        spec["mpiReplicaSpecs"]["Worker"] = None
    spec["launcherCreationPolicy"] = draw(st.sampled_from(["AtStartup", "WaitForWorkersReady", "WaitForWorkersReady", None]))
    waits = spec["launcherCreationPolicy"] == "WaitForWorkersReady" and workers > 0
    spec["runPolicy"] = draw(st.none() | _run_policies(workers + (not waits)))
    spec["slotsPerWorker"] = draw(st.sampled_from([1, 8, 2.0, None]))
    spec["runLauncherAsWorker"] = draw(st.sampled_from([True, False, None]))
    return data


def _replica_spec(draw: st.DrawFn, replicas: float | None) -> dict[str, Any]:
    root = schema.load(mpijob.SCHEMA)
    node = resolve(root, root)
    for key in ("spec", "mpiReplicaSpecs", "Launcher", "template"):
        node = member(node, key, root)
    template = _grow(draw, node, root, 4)
    spec = template.setdefault("spec", {})
    spec["containers"] = [{"name": "main", "image": draw(VALUES), **draw(EMPTY_FIELDS)}, *({**more, "name": "more"} for more in spec.get("containers", [])[:1])]
    for holder in (spec, *spec["containers"], *(spec.get("initContainers") or ())):
        holder["resources"] = draw(_resources())
    spec["overhead"] = draw(AMOUNTS)
    spec["schedulerName"] = draw(SCHEDULERS)
    template["metadata"] = draw(st.none() | st.just({}) | _metadata())
    return {"replicas": replicas, "restartPolicy": draw(st.sampled_from(["Never", "OnFailure", None])), "template": template}


@st.composite
def _metadata(draw: st.DrawFn) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    for holder, mark in MARKS.items():
        metadata[holder] = draw(st.none() | st.dictionaries(
            st.sampled_from(["app", "sidecar.istio.io/inject", "y", "1e3", *WORDS[:4]]), VALUES, max_size=3))
        if metadata[holder] is not None and draw(st.integers(0, 3)) == 0:
            metadata[holder][mark] = draw(NAMES)
    return metadata


@st.composite
def _resources(draw: st.DrawFn) -> dict[str, Any] | None:
    """Amounts that the API server takes: devices in whole numbers, and no request that differs from its limit."""
    requests, limits = draw(AMOUNTS), draw(AMOUNTS)
    if limits and "nvidia.com/gpu" in limits:
        limits["nvidia.com/gpu"] = draw(st.integers(0, 2**40) | st.sampled_from(["1", "2k", "3Ki", 8.0]))
    if requests:
        exact = {name: amount for name, amount in (limits or {}).items() if name in requests}
        requests = {name: amount for name, amount in requests.items() if name in {"cpu", "memory"}} | exact
    return draw(st.none() | st.just({"requests": requests, "limits": limits}))


@st.composite
def _run_policies(draw: st.DrawFn, together: int) -> dict[str, Any]:
    policy = {
        "minAvailable": draw(st.none() | st.integers(1, together)), "queue": draw(st.none() | st.sampled_from([*WORDS, "1e3", "123"])),
        "priorityClass": draw(st.none() | NAMES), "scheduleTimeoutSeconds": draw(st.none() | st.integers(0, 2**31 - 1)),
        "minResources": draw(st.sampled_from([None, {}, {"cpu": 0}, {"cpu": "0", "memory": "0"}])),
    }
    return {"cleanPodPolicy": draw(st.sampled_from(["None", "Running", "All", None])), "suspend": draw(st.booleans()),
            "schedulingPolicy": draw(st.none() | st.just(policy))}
