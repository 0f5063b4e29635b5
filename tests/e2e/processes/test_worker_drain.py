"""
``hv worker --drain``: workers of a folder leave, within a bounded time.
"""

import os
import threading
from pathlib import Path

import pytest

from hvcore_worker.presence import present, workers_here
from hvcore_worker.stopping import Stopping
from tests.e2e.processes.test_alone import alone
from tests.support.hv_processes import run_hv
from tests.support.live import until


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    own_environ = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    made = {
        **own_environ,
        "HV_DATA": str(tmp_path / "data"),
        "HV_QUEUE__BACKEND": "sql",
    }
    assert run_hv("migrate", environ=made).returncode == 0
    return made


def drain(environ: dict[str, str], *words: str) -> tuple[int, str]:
    done = run_hv("worker", "--drain", *words, environ=environ)
    return done.returncode, done.stderr


def test_the_workers_of_a_folder_end_with_0(environ: dict[str, str]) -> None:
    data = Path(environ["HV_DATA"])
    with (
        alone(environ, "worker", "--lane", "light") as light,
        alone(environ, "worker", "--lane", "encode") as encode,
    ):
        until(lambda: len(workers_here(data)) == 2, within_s=60)

        status, said = drain(environ)

        assert (status, "All of them have ended" in said) == (0, True)
        assert [one.wait(timeout=10) for one in (light, encode)] == [0, 0]
    assert workers_here(data) == []
    assert drain(environ)[0] == 0


def test_workers_that_hv_up_keeps_are_left_to_it(tmp_path: Path) -> None:
    environ = {**os.environ, "HV_DATA": str(tmp_path)}
    with Stopping() as stopping, present(tmp_path, stopping, name="x", is_kept=True):
        status, said = drain(environ)

    assert (status, "Stop hv up instead" in said) == (1, True)
    assert not stopping.is_leaving()


def test_who_leaves_may_finish_before_it_hands_back(tmp_path: Path) -> None:
    with Stopping() as stopping, present(tmp_path, stopping, name="x", is_kept=False):
        (worker,) = workers_here(tmp_path)

        worker.tell_to_leave(hands_back_after_s=0.5)
        until(stopping.is_leaving, within_s=10)
        may_finish = not stopping()
        until(stopping, within_s=10)

        assert may_finish
        assert worker.is_here()
    assert not worker.is_here()
    assert list((tmp_path / "run").iterdir()) == []
    assert "presence" not in {thread.name for thread in threading.enumerate()}
