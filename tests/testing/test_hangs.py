"""A test of a kit that hangs fails by its name."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from hvcore.testing import children, held_calls
from hvcore.testing.children import at_once
from hvcore.testing.held_calls import held_at

HANGING: Final = """
import signal, threading
from concurrent.futures import ThreadPoolExecutor
from hvcore.testing.kit import Kit

RELEASED = threading.Event()


class TestHanging(Kit):
    hangs_after_s = 0.3

    def test_it_waits(self):
        threading.Lock().acquire() and RELEASED.wait()

    def test_its_threads_wait(self, request):
        request.addfinalizer(RELEASED.set)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(RELEASED.wait).result()


class TestPatient(Kit):
    hangs_after_s = 0

    def test_it_has_no_alarm(self):
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


class TestLimited(Kit):
    def test_it_has_an_alarm(self):
        assert 290 < signal.getitimer(signal.ITIMER_REAL)[0] <= 300
"""


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """An event for which calls wait until the test is over."""
    made = threading.Event()
    yield made
    made.set()


def test_a_test_of_a_kit_that_hangs_is_told(tmp_path: Path) -> None:
    (tmp_path / "test_acme.py").write_text(HANGING, encoding="utf-8")

    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-rf", "--tb=line", "-p", "no:timeout"),
            *("-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "COLUMNS": "400"},
    )

    assert "2 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    assert "TestHanging::test_it_waits - Failed: It hangs" in done.stdout


def test_calls_at_once_that_hang_are_told(
    monkeypatch: pytest.MonkeyPatch, released: threading.Event
) -> None:
    monkeypatch.setattr(children, "AT_ONCE_TIMEOUT_S", 0.2)

    with pytest.raises(AssertionError, match="1 of 2 calls that began together"):
        at_once([lambda: _wait(released), lambda: None])


def test_a_call_that_hangs_beside_a_held_one_is_told(
    monkeypatch: pytest.MonkeyPatch, released: threading.Event
) -> None:
    monkeypatch.setattr(held_calls, "_HANGS_AFTER_S", 0.2)

    with (
        pytest.raises(AssertionError, match=r"held at .*the other call does not end"),
        held_at(1) as hold,
    ):
        hold(lambda: 1, released.wait)


def _wait(event: threading.Event) -> None:
    event.wait()
