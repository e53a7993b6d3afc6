"""A whole control plane on this machine: the published programs on loopback, in one folder, gone when the test is.

Nothing here pretends, but for the nodes and what runs on them (kwok). Every program is started by the warden, a
process of its own that ends them all and deletes the folder when this process closes its pipe or dies.
"""

import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import trustme
import yaml
from tenacity import retry, retry_if_exception_type, retry_if_result, stop_after_delay, wait_fixed

from cluster.api import Api
from cluster.ports import free_port
from cluster.programs import built, environment, published_crds

HERE = Path(__file__).resolve().parent
START_SECONDS = 60

COSCHEDULER = "scheduler-plugins-scheduler"  # the profile's name in the chart of scheduler-plugins
PERMIT_SECONDS = 10  # permitWaitingTimeSeconds in the same chart

# The controllers that an MPIJob, its namespace, its quota and its nodes need; the others would only cost time.
CONTROLLERS = (
    "garbage-collector-controller", "job-controller", "namespace-controller", "node-lifecycle-controller",
    "resourcequota-controller", "serviceaccount-controller", "taint-eviction-controller",
    "ttl-after-finished-controller",
)


@dataclass(frozen=True)
class Program:
    """A program that was started: its process id, and where it writes what it has to say."""

    pid: int
    log: Path


@dataclass
class Plane:
    """One control plane. ``with Plane() as plane:`` starts the API server and its store; the rest is started by name."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="gangform-plane-")))
    programs: dict[str, Program] = field(default_factory=dict)
    port: int = field(default_factory=free_port)

    def __enter__(self) -> Self:
        self._warden = subprocess.Popen(
            [sys.executable, str(HERE / "warden.py"), str(self.folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True, env=environment(),
        )
        try:
            self._write_secrets()
            self._start_store()
            self.start_api_server()
            self.crds = self.add_crds(*published_crds())
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every program and delete the folder."""
        self._warden.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)  # what this process itself wrote meanwhile

    # --- programs ---------------------------------------------------------------------------------

    def _ask(self, verb: str, **words: Any) -> Any:
        assert self._warden.stdin is not None
        assert self._warden.stdout is not None
        self._warden.stdin.write(json.dumps({"verb": verb, **words}) + "\n")
        self._warden.stdin.flush()
        reply = json.loads(self._warden.stdout.readline())
        if "error" in reply:
            raise OSError(reply["error"])
        return reply["answer"]

    def start(self, name: str, argv: list[str]) -> Program:
        log = self.folder / f"{name}.log"
        program = Program(self._ask("start", argv=argv, log=str(log)), log)
        self.programs[name] = program
        return program

    def stop(self, name: str, *, kill: bool = False) -> None:
        """End one program; ``kill`` gives it no time to tidy up."""
        self._ask("stop", pid=self.programs.pop(name).pid, number=9 if kill else 15)

    def ended(self) -> dict[str, int]:
        """The programs that ended though nobody stopped them, with their exit status."""
        gone = self._ask("ended")
        return {name: gone[str(program.pid)] for name, program in self.programs.items() if str(program.pid) in gone}

    def logs(self) -> dict[str, str]:
        """What each program wrote so far, stopped ones too."""
        return {path.stem: path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log"))}

    def wait(self, what: str, ready: Callable[[], bool], seconds: float = START_SECONDS) -> None:
        """Wait until a program answers.

        Raises:
            AssertionError: it ended, or did not answer in time.
        """
        @retry(
            retry=retry_if_result(lambda done: not done) | retry_if_exception_type(OSError),
            stop=stop_after_delay(seconds), wait=wait_fixed(0.1), reraise=True,
        )
        def poll() -> bool:
            if gone := self.ended():
                raise AssertionError(f"ended while {what} was awaited: {gone}\n{self.tails()}")
            return ready()

        assert poll(), f"{what} is not ready after {seconds} s\n{self.tails()}"

    def tails(self, lines: int = 15) -> str:
        """The last lines of every log."""
        return "\n".join(
            f"--- {name}\n" + "\n".join(text.splitlines()[-lines:]) for name, text in self.logs().items()
        )

    # --- the API server and its store -------------------------------------------------------------

    def _write_secrets(self) -> None:
        authority = trustme.CA(key_type=trustme.KeyType.RSA)
        served = authority.issue_cert("127.0.0.1", "localhost", key_type=trustme.KeyType.RSA)
        authority.cert_pem.write_to_path(self.folder / "ca.crt")
        served.private_key_pem.write_to_path(self.folder / "server.key")
        served.cert_chain_pems[0].write_to_path(self.folder / "server.crt")
        self.token = f"{random.SystemRandom().getrandbits(128):032x}"
        (self.folder / "tokens.csv").write_text(f"{self.token},cluster-admin,cluster-admin,system:masters\n")
        self.kubeconfig = self.write_kubeconfig("admin", self.token)

    def write_kubeconfig(self, name: str, token: str) -> Path:
        """A kubeconfig of whoever holds a token."""
        path = self.folder / f"{name}.kubeconfig"
        path.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": name,
            "clusters": [{"name": "test", "cluster": {
                "server": f"https://127.0.0.1:{self.port}", "certificate-authority": str(self.folder / "ca.crt"),
            }}],
            "users": [{"name": name, "user": {"token": token}}],
            "contexts": [{"name": name, "context": {"cluster": "test", "user": name, "namespace": "default"}}],
        }))
        path.chmod(0o600)
        return path

    def _start_store(self) -> None:
        client, peer = free_port(), free_port()
        self.store = f"http://127.0.0.1:{client}"
        self.start("etcd", [
            built("etcd", "etcd"), "--data-dir", str(self.folder / "etcd"), "--unsafe-no-fsync", "--log-level", "warn",
            "--listen-client-urls", self.store, "--advertise-client-urls", self.store,
            "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
            "--initial-cluster", f"default=http://127.0.0.1:{peer}",
        ])

    def start_api_server(self, *more: str) -> None:
        """Start it, also again after it was stopped: its port, its store and its secrets stay the same."""
        key, certificate = str(self.folder / "server.key"), str(self.folder / "server.crt")
        self.start("kube-apiserver", [
            built("kubernetes", "kube-apiserver"), "--etcd-servers", self.store,
            "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1", "--secure-port", str(self.port),
            "--endpoint-reconciler-type", "none", "--service-cluster-ip-range", "10.0.0.0/24",
            "--tls-cert-file", certificate, "--tls-private-key-file", key,
            "--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", key,
            "--service-account-signing-key-file", key, "--authorization-mode", "RBAC",
            "--token-auth-file", str(self.folder / "tokens.csv"), "--disable-admission-plugins", "ServiceAccount",
            "--profiling=false", *more,
        ])
        self.wait("kube-apiserver", lambda: Api.ready(self.kubeconfig))
        if not hasattr(self, "api"):
            self.api = Api(self.kubeconfig)

    def add_crds(self, *paths: Path) -> list[str]:
        """Apply CRDs and wait until the API server serves them; answers their names."""
        crds = [crd for path in paths for crd in yaml.safe_load_all(path.read_text())]
        names = [self.api.apply(crd)["metadata"]["name"] for crd in crds]
        for name in names:
            self.wait(f"the CRD {name}", lambda name=name: self.api.serves(name))
        return names

    # --- what works on the API server ---------------------------------------------------------------

    def start_controllers(self) -> None:
        self.start("kube-controller-manager", [
            built("kubernetes", "kube-controller-manager"), "--kubeconfig", str(self.kubeconfig), "--leader-elect=false",
            "--secure-port", "0", "--controllers", ",".join(CONTROLLERS),
            "--service-account-private-key-file", str(self.folder / "server.key"),
            "--kube-api-qps", "500", "--kube-api-burst", "1000", "--resource-quota-sync-period", "5s",
        ])

    def start_default_scheduler(self) -> None:
        self.start("kube-scheduler", [
            built("kubernetes", "kube-scheduler"), "--config", self._scheduler_config("default", []), "--secure-port", "0",
        ])

    def start_coscheduling(self, *more: str) -> None:
        """The second scheduler and its controller, as the chart of scheduler-plugins starts them."""
        only = {"enabled": [{"name": "Coscheduling"}], "disabled": [{"name": "*"}]}
        profile = {
            "schedulerName": COSCHEDULER,
            "plugins": {"multiPoint": {"enabled": [{"name": "Coscheduling"}]}, "queueSort": only},
            "pluginConfig": [{"name": "Coscheduling", "args": {"permitWaitingTimeSeconds": PERMIT_SECONDS}}],
        }
        self.start("coscheduling", [
            built("scheduler-plugins", "scheduler"), "--config", self._scheduler_config("coscheduling", [profile]),
            "--secure-port", "0", *more,
        ])
        self.start("coscheduling-controller", [
            built("scheduler-plugins", "controller"), f"--kubeconfig={self.kubeconfig}",
            "--metricsAddr=0", "--probeAddr=0", "--qps=200", "--burst=400",
        ])

    def _scheduler_config(self, name: str, profiles: list[dict[str, Any]]) -> str:
        path = self.folder / f"{name}-scheduler.yaml"
        config: dict[str, Any] = {
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "leaderElection": {"leaderElect": False},
            "clientConnection": {"kubeconfig": str(self.kubeconfig), "qps": 500, "burst": 1000},
        }
        path.write_text(yaml.safe_dump(config | ({"profiles": profiles} if profiles else {})))
        return str(path)

    def start_operator(self, gang_scheduling: str = "") -> None:
        """mpi-operator; ``gang_scheduling`` is the value of its flag, and none leaves the flag off."""
        self.start("mpi-operator", [
            built("mpi-operator", "mpi-operator"), f"-kubeConfig={self.kubeconfig}", f"-gang-scheduling={gang_scheduling}",
            "-kube-api-qps=200", "-kube-api-burst=400", "-controller-queue-rate-limit=100", "-threadiness=4",
        ])

    def start_kwok(self) -> None:
        self.start("kwok", [
            built("kwok", "kwok"), "--kubeconfig", str(self.kubeconfig), "--manage-all-nodes",
            "--config", str(HERE / "stages.yaml"), "--node-ip", "127.0.0.1", "--node-lease-duration-seconds", "40",
        ])

    def start_everything(self) -> None:
        """All that runs an MPIJob as a gang: controllers, both schedulers, the operator without its flag, the nodes."""
        self.start_controllers()
        self.start_default_scheduler()
        self.start_coscheduling()
        self.start_operator()
        self.start_kwok()
