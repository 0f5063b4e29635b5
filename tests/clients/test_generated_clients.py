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
USUAL = ("typescript_fetch", "openapi_typescript")
FURTHER = ("hey_api", "orval")

pytestmark = [pytest.mark.services, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def generated(live_api: LiveApi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    The clients of openapi-generator.
    """
    folder = tmp_path_factory.mktemp("generated")
    return generators.openapi_generator(live_api.document, folder)


@pytest.fixture(scope="module")
def typescript(
    live_api: LiveApi, generated: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """
    Two clients in TypeScript, and the calls, compiled.
    """
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "node_modules").symlink_to(generators.npm())
    generators.typescript_clients(live_api.document, generated, folder)
    return generators.compile_typescript(folder, USUAL)


@pytest.fixture(scope="module")
def further_typescript(
    live_api: LiveApi, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """
    Two other clients in TypeScript, and the calls, compiled.
    """
    folder = tmp_path_factory.mktemp("further")
    (folder / "node_modules").symlink_to(generators.npm())
    generators.hey_api(live_api.document, folder)
    generators.orval(live_api.document, folder, live_api.url)
    return generators.compile_typescript(folder, FURTHER)


@pytest.fixture(scope="module")
def python_clients(
    live_api: LiveApi, generated: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """
    Both clients in Python, which are right in their types, and so are the calls.
    """
    folder = tmp_path_factory.mktemp("python")
    shutil.copytree(generated / "python", folder, dirs_exist_ok=True)
    generators.openapi_python_client(live_api.document, folder)
    generators.check_python(folder, *sorted(CALLS.glob("*.py")))
    return folder


@pytest.mark.parametrize("client", USUAL)
def test_a_client_in_typescript_makes_its_calls(
    live_api: LiveApi, typescript: Path, client: str
) -> None:
    node = shutil.which("node")
    assert node

    assert run([node, f"{client}.js"], typescript, live_api.environ()) == DONE


@pytest.mark.long
@pytest.mark.parametrize("client", FURTHER)
def test_a_further_client_in_typescript_makes_its_calls(
    live_api: LiveApi, further_typescript: Path, client: str
) -> None:
    node = shutil.which("node")
    assert node

    assert run([node, f"{client}.js"], further_typescript, live_api.environ()) == DONE


@pytest.mark.parametrize("client", ["openapi_generator", "openapi_python_client"])
def test_a_client_in_python_makes_its_calls(
    live_api: LiveApi, python_clients: Path, client: str
) -> None:
    environ = {**live_api.environ(), "PYTHONPATH": str(python_clients)}
    command = [generators.python() / "bin" / "python", CALLS / f"{client}.py"]

    assert run(command, python_clients, environ) == DONE


def test_the_client_in_go_makes_its_calls(
    live_api: LiveApi, generated: Path, tmp_path: Path
) -> None:
    program = generators.go_client(generated, tmp_path)

    assert run([program], tmp_path, live_api.environ()) == DONE


def test_the_client_in_java_makes_its_calls(
    live_api: LiveApi, generated: Path, tmp_path: Path
) -> None:
    command = generators.java_client(generated, tmp_path)

    assert run(command, tmp_path, live_api.environ()) == DONE
