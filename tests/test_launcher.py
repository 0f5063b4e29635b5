"""The launcher ``hv`` of a checkout: what it installs, and what repairs it."""

import os
import random
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STARTS_S = 120


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)
    for name in ("hv", "requirements.lock", "pyproject.toml", "setup.py"):
        shutil.copy2(ROOT / name, folder / name)
    return folder


def start(checkout: Path, **environ: str) -> str:
    done = subprocess.run(
        [checkout / "hv", "--version"],
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=STARTS_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def break_off(checkout: Path, after_s: float) -> None:
    setup = subprocess.Popen([checkout / "hv", "setup"], start_new_session=True)
    try:
        setup.wait(after_s)
    except subprocess.TimeoutExpired:
        os.killpg(setup.pid, signal.SIGKILL)
        setup.wait()


@pytest.mark.long
def test_a_setup_that_was_killed_is_repaired_by_the_next_start(checkout: Path) -> None:
    chance = random.Random(55)  # noqa: S311 - not a secret
    for _ in range(20):
        shutil.rmtree(checkout / ".venv", ignore_errors=True)
        for vendored in checkout.glob("apps/*/static/vendor"):
            shutil.rmtree(vendored)
        break_off(checkout, chance.uniform(0, 3))
        start(checkout)


def test_a_checkout_killed_once_starts_and_then_needs_no_network(
    checkout: Path,
) -> None:
    break_off(checkout, 1.0)
    start(checkout)

    nowhere = "http://127.0.0.1:9"
    said = start(checkout, HTTPS_PROXY=nowhere, HTTP_PROXY=nowhere, UV_OFFLINE="1")

    assert said == ""
