"""A cluster that cannot be asked is one clear message: no kubeconfig, nobody there, somebody else there, no credentials."""

import json
import socket
import ssl
import threading
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trustme
import yaml

from gangform.edges import cluster, kubeconfig
from gangform.edges.cluster import AbsentError, HiddenError, Place
from gangform.model.errors import GangformError, InputError, ProgramError

PODS = Place("v1", "Pod", "pods")

Answer = tuple[int, str]
Serve = Callable[[Callable[[str], Answer]], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server on loopback that answers a path as the test says; gives its address."""
    servers = []

    def start(answer: Callable[[str], Answer], context: ssl.SSLContext | None = None) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, text = answer(self.path)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http{'s' if context else ''}://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def config(tmp_path: Path) -> Callable[..., str]:
    """Write a kubeconfig; gives its path."""

    def write(server: str, *, user: dict[str, object] | None = None, **context: str) -> str:
        path = tmp_path / "config"
        path.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "here",
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "users": [{"name": "u", "user": user or {"token": "t"}}],
            "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", **context}},
                         {"name": "there", "context": {"cluster": "c", "user": "u", "namespace": "elsewhere"}}],
        }))
        return str(path)

    return write


def ask(path: str) -> list[str]:
    connection = kubeconfig.connect(path)
    return [one["metadata"]["name"] for page in cluster.pages(connection, PODS) for one in page.objects]


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_the_namespace_is_the_contexts(config) -> None:
    assert kubeconfig.connect(config("http://127.0.0.1:1")).namespace == "default"
    path = config("http://127.0.0.1:1", namespace="nlp")
    assert kubeconfig.connect(path).namespace == "nlp"
    assert kubeconfig.connect(path, "there").namespace == "elsewhere"


def test_kubeconfig_is_taken_from_the_environment(config, monkeypatch) -> None:
    monkeypatch.setenv("KUBECONFIG", config("http://127.0.0.1:1", namespace="nlp"))
    assert kubeconfig.connect().namespace == "nlp"


@pytest.mark.parametrize(("text", "says"), [
    ("", "cannot use the kubeconfig"), ("a: [", "cannot use the kubeconfig"), ("[]", "cannot use the kubeconfig"),
    ("{apiVersion: v1, kind: Config}", "cannot use the kubeconfig"),
])
def test_a_kubeconfig_that_is_none_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "config").write_text(text)
    with pytest.raises(InputError, match=says):
        kubeconfig.connect(str(tmp_path / "config"))


def test_a_context_that_is_not_there_is_refused_by_its_name(config) -> None:
    with pytest.raises(InputError, match="prod"):
        kubeconfig.connect(config("http://127.0.0.1:1"), "prod")


def test_a_kubeconfig_that_is_not_there_is_a_cluster_out_of_reach(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="does not exist"):
        kubeconfig.connect(str(tmp_path / "none"))


def test_credentials_that_a_plugin_does_not_give_are_told_with_what_it_said(config) -> None:
    plugin = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "no-such-plugin",
                       "interactiveMode": "Never"}}
    with pytest.raises(ProgramError, match="no-such-plugin") as refused:
        kubeconfig.connect(config("http://127.0.0.1:1", user=plugin))
    assert refused.value.hint == "log in anew as you do for kubectl"


@pytest.mark.parametrize("user", [
    {"token": "s3cr3t\n"}, {"token": "s3cr3t\u00e9"},
    {"auth-provider": {"name": "oidc", "config": {"client-secret": "s3cr3t"}}},
    {"exec": {"command": "x", "env": [{"name": "A", "value": "s3cr3t"}]}}, {"password": "s3cr3t", "token": None},
    {"exec": None, "token": None, "password": "s3cr3t"},
])
def test_no_secret_of_a_kubeconfig_is_told(config, user: dict[str, object]) -> None:
    with pytest.raises(GangformError) as refused:
        ask(config("http://127.0.0.1:1", user=user))
    assert "s3cr3t" not in refused.value.message + refused.value.hint
    assert "s3cr3t" not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize("server", ["127.0.0.1:6443", "", "ftp://127.0.0.1"])
def test_a_server_without_an_address_is_told_of_the_kubeconfig(config, server: str) -> None:
    with pytest.raises(InputError, match="is no address") as refused:
        kubeconfig.connect(config(server))
    assert "https://" in refused.value.hint


@pytest.mark.parametrize("text", ["hello", "[]", "{current-context: 1, contexts: 5}"])
def test_a_kubeconfig_of_another_form_is_told_in_words(tmp_path: Path, text: str) -> None:
    (tmp_path / "config").write_text(text)
    with pytest.raises(InputError, match="cannot use the kubeconfig") as refused:
        kubeconfig.connect(str(tmp_path / "config"))
    assert "object" not in refused.value.message.replace("Expected object with name", "")
    assert "indices" not in refused.value.message


def test_inside_a_pod_it_is_the_account_that_is_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "1")
    with pytest.raises(InputError, match="service account") as refused:
        kubeconfig.connect()
    assert str(tmp_path) not in refused.value.message


def test_a_proxy_that_is_not_there_is_told_as_a_proxy(config, monkeypatch) -> None:
    proxy = f"http://127.0.0.1:{closed_port()}"
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, proxy)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "")
    with pytest.raises(ProgramError, match=r"the proxy: .*refused") as refused:
        ask(config("https://10.0.0.1:6443"))
    assert refused.value.message[-1] not in "'\")"


def test_nobody_there(config) -> None:
    server = f"http://127.0.0.1:{closed_port()}"
    with pytest.raises(ProgramError, match="cannot reach the API server") as refused:
        ask(config(server))
    assert server in refused.value.message
    assert "refused" in refused.value.message
    assert "object at 0x" not in refused.value.message


def test_a_name_that_nobody_knows(config) -> None:
    with pytest.raises(ProgramError, match="cannot reach the API server"):
        ask(config("https://cluster.invalid:6443"))


def test_a_certificate_of_somebody_else(config, serve) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)
    with pytest.raises(ProgramError, match="cannot trust the API server") as refused:
        ask(config(serve(lambda _: (200, "{}"), context)))
    assert "certificate-authority" in refused.value.hint


@pytest.mark.parametrize("text", [
    "<html>sign in</html>", "[]", "", "null", '{"items": 5}', '{"items": "text"}', '{"items": {"a": 1}}',
    '{"items": [1, null]}', "[" * 100_000, '{"metadata": {"continue": "again"}}', "\x00", '{"items": [',
])
def test_what_answers_is_no_api_server(config, serve, text: str) -> None:
    with pytest.raises(ProgramError, match="does not answer as an API server does"):
        ask(config(serve(lambda _: (200, text))))


@pytest.mark.parametrize(("status", "error", "says"), [
    (401, ProgramError, "does not accept the credentials"), (403, HiddenError, "not yours"),
    (404, AbsentError, "not yours"), (500, ProgramError, "500 not yours"), (503, ProgramError, "503 not yours"),
])
def test_a_refusal_is_told_as_what_it_means(config, serve, status: int, error: type[Exception], says: str) -> None:
    body = json.dumps({"kind": "Status", "message": "not yours"})
    with pytest.raises(error, match=says):
        ask(config(serve(lambda _: (status, body))))


def test_pages_are_asked_for_until_there_is_none(config, serve) -> None:
    def answer(path: str) -> Answer:
        last = "continue=2" in path
        return 200, json.dumps({"metadata": {} if last else {"continue": "2"},
                                "items": [{"metadata": {"name": "b" if last else "a"}}]})

    assert ask(config(serve(answer))) == ["a", "b"]


def test_a_list_that_expires_goes_on_with_the_token_that_it_is_given(config, serve) -> None:
    def answer(path: str) -> Answer:
        if "continue=old" in path:
            return 410, json.dumps({"kind": "Status", "metadata": {"continue": "new"}})
        last = "continue=new" in path
        return 200, json.dumps({"metadata": {} if last else {"continue": "old"},
                                "items": [{"metadata": {"name": "b" if last else "a"}}]})

    assert ask(config(serve(answer))) == ["a", "b"]


def test_a_list_that_only_expires_ends(config, serve) -> None:
    with pytest.raises(GangformError, match="expired"):
        ask(config(serve(lambda _: (410, "{}"))))


def test_objects_of_a_list_say_what_they_are(config, serve) -> None:
    path = config(serve(lambda _: (200, json.dumps({"items": [{"metadata": {"name": "a"}}]}))))
    (page,) = cluster.pages(kubeconfig.connect(path), PODS)
    assert [(one["apiVersion"], one["kind"]) for one in page.objects] == [("v1", "Pod")]
