"""
The programs of the page on signing tokens run as they stand there, and their tokens play.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from hvcore.domain.playback.signing_keys import SigningAlgorithm
from hvcore.services.playback.signing.keys import SigningKeyCreated
from tests.conftest import SettableClock
from tests.support.http.cinema import Cinema
from tests.support.http.fixtures import Template, _template, settings_of
from tests.support.http.world import ORG
from tests.support.npm_packages import npm_packages

__all__ = ["_template"]

PAGE: Final = (
    Path(__file__).parents[3] / "docs" / "how-to" / "sign-tokens.md"
).read_text(encoding="utf-8")
JOSE: Final = "jose@6.1.0"
Signer = Callable[[Cinema, SigningKeyCreated], str]


def program(language: str) -> str:
    """
    Return the one program of the page in a language.
    """
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


@pytest.fixture
def cinema(_template: Template, tmp_path: Path) -> Iterator[Cinema]:
    # The programs ask the machine what time it is.
    clock = SettableClock(datetime.now(UTC))
    with _template.open(settings_of(tmp_path), clock) as world:
        yield Cinema(api=world)


@pytest.fixture(params=["python", "node"])
def sign(request: pytest.FixtureRequest, tmp_path: Path) -> Signer:
    """
    The program, called with a video, a private key or secret, its kid and algorithm.
    """
    command = _node(tmp_path) if request.param == "node" else _python(tmp_path)

    def call(cinema: Cinema, made: SigningKeyCreated) -> str:
        words = [cinema.video, made.private or "", made.key.id]
        done = subprocess.run(
            [*command, *words, made.key.algorithm.value],
            check=True,
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        return done.stdout.strip()

    return call


def _python(folder: Path) -> list[str]:
    (folder / "signing.py").write_text(program("python"))
    call = (
        "import sys, signing; video, key, kid, algorithm = sys.argv[1:];"
        "print(signing.token(video, key=key, kid=kid, algorithm=algorithm))"
    )
    return [sys.executable, "-c", call]


def _node(folder: Path) -> list[str]:
    node = shutil.which("node")
    assert node, "node is needed to run the page's program"
    (folder / "node_modules").symlink_to(npm_packages(JOSE))
    (folder / "signing.mjs").write_text(program("js"))
    (folder / "call.mjs").write_text(
        'import { token } from "./signing.mjs";\n'
        "const [video, key, kid, alg] = process.argv.slice(2);\n"
        "console.log(await token(video, { key, kid, alg }));\n"
    )
    return [node, "call.mjs"]


@pytest.mark.services
@pytest.mark.parametrize("algorithm", SigningAlgorithm)
def test_its_tokens_play(
    cinema: Cinema, sign: Signer, algorithm: SigningAlgorithm
) -> None:
    keys = cinema.api.services.signing_keys
    made = keys.create(ORG, name="site", algorithm=algorithm)

    token = sign(cinema, made)

    path = f"/v1/private/{cinema.video}/master.m3u8"
    answer = cinema.load(path, f"token={token}")
    assert answer.status_code == 200
    assert f"token={token}" in answer.text
    assert cinema.load(path, f"token={token[:-9]}AAAAAAAAA").status_code == 401
