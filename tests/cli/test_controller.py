"""``gangform controller`` as far as it goes without a cluster."""

import sys
from pathlib import Path

import pytest

from gangform.cli.main import main


@pytest.mark.parametrize("missing", ["kopf", "prometheus_client", "aiohttp"])
def test_without_its_packages_one_line_says_how_to_install_them(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    for name in [name for name in sys.modules if name.startswith(("gangform.controller", missing))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)

    assert main(["controller"]) == 3

    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 2
    assert 'pip install "gangform[controller]"' in shown.err


@pytest.mark.parametrize("address", ["8080", "localhost", "host:port", ":99999", "host:-1"])
def test_an_address_that_is_none_is_refused(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["controller", "--listen", address]) == 2

    assert f"'{address}' is no address such as 0.0.0.0:8080" in capsys.readouterr().err


def test_an_api_server_that_cannot_be_reached_is_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kubeconfig = tmp_path / "config"
    kubeconfig.write_text(
        "{apiVersion: v1, kind: Config, current-context: a, users: [{name: a, user: {token: t}}],"
        " clusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}],"
        " contexts: [{name: a, context: {cluster: a, user: a}}]}")

    assert main(["controller", "--kubeconfig", str(kubeconfig), "--no-leader-election"]) == 3

    shown = capsys.readouterr()
    assert "cannot reach the API server http://127.0.0.1:1" in shown.err
    assert "Traceback" not in shown.err
