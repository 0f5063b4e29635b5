"""
The programs that the dashboard offers to receivers do what the page says.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from hvcore.domain.webhooks.endpoints import new_secret
from hvcore_dashboard.pages.webhooks.resources import RECIPES
from tests.support.live import free_ports, until
from tests.support.npm_packages import npm_packages

STANDARDWEBHOOKS: Final = "standardwebhooks@1.1.1"


@pytest.fixture(scope="module")
def node_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    A folder in which the receiver of Node.js finds its library.
    """
    folder = tmp_path_factory.mktemp("npm")
    (folder / "node_modules").symlink_to(npm_packages(STANDARDWEBHOOKS))
    (folder / "receiver.mjs").write_text(RECIPES["node"])
    return folder


@contextmanager
def running(command: list[str], environ: Mapping[str, str]) -> Iterator[None]:
    receiver = subprocess.Popen(command, env=dict(environ), stdout=subprocess.DEVNULL)
    try:
        until(lambda: answers(int(environ["PORT"])), within_s=30)
        yield
    finally:
        receiver.terminate()
        receiver.wait(timeout=20)


def answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def sent_by_curl(environ: Mapping[str, str]) -> str:
    """
    Run the commands of the recipe; return the status line of the answer.
    """
    ran = subprocess.run(
        ["sh", "-c", RECIPES["curl"]],
        env=dict(environ),
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return ran.stdout.splitlines()[0]


@pytest.mark.parametrize("language", ["python", "node"])
def test_a_receiver_takes_what_is_signed_and_nothing_else(
    request: pytest.FixtureRequest, tmp_path: Path, language: str
) -> None:
    if language == "node":
        folder: Path = request.getfixturevalue("node_folder")
        command = ["node", str(folder / "receiver.mjs")]
    else:
        program = tmp_path / "receiver.py"
        program.write_text(RECIPES["python"])
        command = [sys.executable, str(program)]
    environ = {
        **os.environ,
        "PORT": str(free_ports()),
        "WEBHOOK_SECRET": new_secret().value,
    }

    with running(command, environ):
        taken = sent_by_curl(environ)
        forged = sent_by_curl({**environ, "WEBHOOK_SECRET": new_secret().value})

    assert " 204" in taken
    assert " 400" in forged
