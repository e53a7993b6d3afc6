"""What every test shares: a clean environment, the real programs, the shared manifests, golden files.

Two switches make CI honest. ``GANGFORM_REQUIRE_TOOLS=1`` fails what would be skipped because a
program is missing, ``GANGFORM_REQUIRE_SHARED=1`` what would be skipped because ``../shared`` is.
"""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parent.parent
TOOLS = REPOSITORY / ".tools"
SHARED = REPOSITORY.parent / "shared"

# Whatever the caller's terminal, locale and cluster are, the suite sees the same.
LEFT_OUT = (
    "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "FORCE_COLOR", "GANGFORM_HELM", "GANGFORM_KUSTOMIZE", "GITHUB_ACTIONS",
    "GITLAB_CI", "KUBECONFIG", "LANG", "LANGUAGE", "LINES", "NO_COLOR", "PYTHONPATH", "PYTHONWARNINGS", "TERM",
)
FIXED = {"COLUMNS": "100", "LC_ALL": "C.UTF-8"}

settings.register_profile(
    "fixed", derandomize=True, deadline=None, print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # says more about the machine than about the code
)
settings.register_profile("explore", settings.get_profile("fixed"), derandomize=False, max_examples=1000)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bless", action="store_true", default=False,
        help="rewrite the expected files of golden tests and print what changed",
    )


def pytest_configure() -> None:
    for name in LEFT_OUT:
        os.environ.pop(name, None)
    os.environ.update(FIXED)
    for name in ("NO_PROXY", "no_proxy"):  # what tests start listens here
        os.environ[name] = ",".join(filter(None, [os.environ.get(name), "127.0.0.1", "localhost"]))
    os.environ["PATH"] = os.pathsep.join([str(TOOLS), os.environ.get("PATH", os.defpath)])
    settings.load_profile(os.environ.get("GANGFORM_HYPOTHESIS", "fixed"))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # In the background of a script an interrupt is ignored, also by whatever is started there.
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _miss(reason: str, switch: str) -> None:
    """Skip, or fail where the switch says that nothing may be skipped."""
    if os.environ.get(switch) == "1":
        pytest.fail(f"{reason} ({switch}=1)", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout under test."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real manifests and CRDs beside the repository."""
    if not SHARED.is_dir():
        _miss("no folder ../shared beside the repository", "GANGFORM_REQUIRE_SHARED")
    return SHARED


@pytest.fixture(scope="session")
def tool() -> Callable[[str], str]:
    """Find a real program by name: ``tool("kustomize")`` answers its path."""

    def find(name: str) -> str:
        found = shutil.which(name)
        if found is None:
            _miss(f"no program {name} on PATH or in .tools", "GANGFORM_REQUIRE_TOOLS")
        return str(found)

    return find


@pytest.fixture(scope="session")
def kustomize(tool: Callable[[str], str]) -> str:
    return tool("kustomize")


@pytest.fixture(scope="session")
def kubeconform(tool: Callable[[str], str]) -> str:
    return tool("kubeconform")


@pytest.fixture(scope="session")
def helm(tool: Callable[[str], str]) -> str:
    """helm 3, which the tests' module builds under a name of its own."""
    return tool("helm3")


@pytest.fixture(scope="session")
def wheels() -> Path:
    """The folder of wheels that gangform is built from and runs on."""
    if not (TOOLS / "wheels" / "stamp").exists():
        _miss("no wheels in .tools/wheels: make wheels", "GANGFORM_REQUIRE_TOOLS")
    return TOOLS / "wheels"


@pytest.fixture(scope="session")
def pip(wheels: Path) -> dict[str, str]:
    """Variables that let pip take packages from the wheels alone, and leave compiling to whoever imports them."""
    # pip reads the second kind of switch upside down: "no" turns --no-compile on.
    return {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_NO_COMPILE": "no"}
