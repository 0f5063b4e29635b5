"""The launcher ``hv`` of a checkout: what it installs, and what repairs it."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from importlib.metadata import distributions
from pathlib import Path

import pytest

from tests.support.stores.object_store import (
    environ_of_swift,
    new_swift_bucket,
    swift_server,
)

ROOT = Path(__file__).parents[2]
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


def forget_setup(checkout: Path) -> None:
    shutil.rmtree(checkout / ".venv")
    for vendored in checkout.glob("apps/*/static/vendor"):
        shutil.rmtree(vendored)


def missing_files(checkout: Path) -> list[Path]:
    site = next((checkout / ".venv" / "lib").glob("python*/site-packages"))
    installed = list(distributions(path=[str(site)]))
    assert len(installed) > 50
    named = (Path(f.locate()) for one in installed for f in one.files or ())
    return [path for path in named if not path.exists()]


@pytest.mark.long
def test_a_setup_that_was_killed_is_repaired_by_the_next_start(checkout: Path) -> None:
    chance = random.Random(55)  # noqa: S311 - not a secret
    start(checkout)
    forget_setup(checkout)
    began = time.monotonic()
    start(checkout)
    whole_s = time.monotonic() - began
    for _ in range(20):
        forget_setup(checkout)
        break_off(checkout, chance.uniform(0, whole_s))
        start(checkout)
        assert missing_files(checkout) == []


def test_a_checkout_killed_once_starts_and_then_needs_no_network(
    checkout: Path,
) -> None:
    break_off(checkout, 1.0)
    start(checkout)

    nowhere = "http://127.0.0.1:9"
    said = start(checkout, HTTPS_PROXY=nowhere, HTTP_PROXY=nowhere, UV_OFFLINE="1")

    assert said == ""


@pytest.mark.long
def test_a_clone_with_the_extra_s3_stores_in_a_bucket(checkout: Path) -> None:
    subprocess.run([checkout / "hv", "setup", "--extra", "s3"], check=True)

    with swift_server() as endpoint:
        bucket = environ_of_swift(endpoint, new_swift_bucket(endpoint))
        tried = subprocess.run(
            [checkout / "hv", "doctor", "storage", "--json"],
            cwd=checkout,
            env={**os.environ, **bucket},
            capture_output=True,
            text=True,
            check=False,
        )

    found = {
        line["check"]: line["state"] for line in json.loads(tried.stdout)["checks"]
    }
    assert (found["objects"], found["signed-writes"]) == ("ok", "ok"), tried.stdout
