"""
Clients that are generated from the API's description compile, and work.
"""

import shutil
from pathlib import Path

import pytest

from tests.clients import generators
from tests.clients.conftest import LiveApi
from tests.clients.generators import CALLS, run

DONE = "20 calls\n"

pytestmark = [pytest.mark.long, pytest.mark.services, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def typescript(live_api: LiveApi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    Every client in TypeScript, and the calls, compiled.
    """
    folder = tmp_path_factory.mktemp("typescript")
    generators.typescript_clients(live_api.document, folder)
    generators.orval(live_api.document, folder, live_api.url)
    return generators.compile_typescript(folder)


@pytest.mark.parametrize(
    "client", ["typescript_fetch", "hey_api", "openapi_typescript", "orval"]
)
def test_a_client_in_typescript_makes_its_calls(
    live_api: LiveApi, typescript: Path, client: str
) -> None:
    node = shutil.which("node")
    assert node

    assert run([node, f"{client}.js"], typescript, live_api.environ()) == DONE


@pytest.mark.parametrize(
    ("client", "package"),
    [
        ("openapi_generator", "openapi_client"),
        ("openapi_python_client", "video_hosting_and_delivery_client"),
    ],
)
def test_a_client_in_python_makes_its_calls(
    live_api: LiveApi, tmp_path: Path, client: str, package: str
) -> None:
    write = {
        "openapi_generator": generators.openapi_generator_python,
        "openapi_python_client": generators.openapi_python_client,
    }[client]
    write(live_api.document, tmp_path / "client")
    python = generators.python() / "bin"
    here = {"PYTHONPATH": str(tmp_path / "client")}

    folder = tmp_path / "client"
    run([python / "mypy", "-p", package], folder)
    run([python / "mypy", CALLS / f"{client}.py"], folder, {"MYPYPATH": "."})
    done = run(
        [python / "python", CALLS / f"{client}.py"],
        tmp_path,
        {**live_api.environ(), **here},
    )

    assert done == DONE


def test_the_client_in_go_makes_its_calls(live_api: LiveApi, tmp_path: Path) -> None:
    program = generators.go_client(live_api.document, tmp_path)

    assert run([program], tmp_path, live_api.environ()) == DONE


def test_the_client_in_java_makes_its_calls(live_api: LiveApi, tmp_path: Path) -> None:
    command = generators.java_client(live_api.document, tmp_path)

    assert run(command, tmp_path, live_api.environ()) == DONE
