"""
One of the processes that serve with one folder keeps a flusher running.
"""

import errno
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from hvcore.spool import Spool
from hvcore_reference import flusher_keeper
from hvcore_reference.flusher_keeper import FlusherKeeper
from hvcore_reference.flushing import BEAT_FILE
from tests.support.live import until

# Most of their time they wait for processes: one interpreter only.
pytestmark = pytest.mark.matrix

WITHIN_S = 30
KILLS = 8
LONGEST_S = 20
LOOK_EVERY_S = 0.05
FLUSH_EVERY_S = 0.2


class Programs:
    """
    Flushers of a few words, which say in a folder that they run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()

    def that_stays(self) -> Sequence[str]:
        return self._shell("exec sleep 1000")

    def that_ends(self) -> Sequence[str]:
        return self._shell("exit 1")

    def that_hangs_after(self, beat: str) -> Sequence[str]:
        return self._shell(f"{beat}; exec sleep 1000")

    def that_crashes(self) -> Sequence[str]:
        return self._shell("kill -SEGV $$")

    def that_is_missing(self) -> Sequence[str]:
        return [str(self._folder / "missing")]

    def started(self) -> Sequence[int]:
        return [int(path.name) for path in self._folder.iterdir()]

    def has_started(self, times: int) -> bool:
        return len(self.started()) >= times

    def _shell(self, then: str) -> Sequence[str]:
        return ["/bin/sh", "-c", f"touch {self._folder}/$$; {then}"]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flusher_keeper, "LOOK_EVERY_S", LOOK_EVERY_S)
    monkeypatch.setattr(flusher_keeper, "FLUSH_EVERY_S", FLUSH_EVERY_S)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    spool = Spool(tmp_path / "spool")
    spool.write(b"to be counted\n", segments=1)
    spool.close()
    return tmp_path / "spool"


@pytest.fixture
def programs(tmp_path: Path, folder: Path) -> Iterator[Programs]:
    made = Programs(tmp_path / "started")
    yield made
    # With nothing to be counted, no keeper starts another one.
    for path in folder.glob("*.log"):
        path.unlink()
    for pid in made.started():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("way", [Programs.that_ends, Programs.that_crashes])
def test_a_keeper_whose_flusher_ends_gives_way_to_another(
    folder: Path,
    programs: Programs,
    tmp_path: Path,
    way: Callable[[Programs], Sequence[str]],
) -> None:
    unable = Programs(tmp_path / "unable")
    FlusherKeeper(folder, Spool(folder), partial(way, unable)).start()
    until(unable.started, within_s=WITHIN_S, what="a flusher that ends")

    FlusherKeeper(folder, Spool(folder), programs.that_stays).start()

    until(programs.started, within_s=WITHIN_S, what="the flusher of another")


def test_a_keeper_that_cannot_start_a_flusher_gives_way_to_another(
    folder: Path, programs: Programs, caplog: pytest.LogCaptureFixture
) -> None:
    FlusherKeeper(folder, Spool(folder), programs.that_is_missing).start()
    until(lambda: "no flusher can be started" in caplog.text, within_s=WITHIN_S)

    FlusherKeeper(folder, Spool(folder), programs.that_stays).start()

    until(programs.started, within_s=WITHIN_S, what="the flusher of another")


def test_a_spool_that_cannot_be_written_has_a_flusher(
    folder: Path, programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = Spool(folder)

    def refuse() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(spool, "write_owed", refuse)
    FlusherKeeper(folder, spool, programs.that_stays).start()

    until(programs.started, within_s=WITHIN_S, what="a flusher that makes room")


def test_a_flusher_that_hangs_is_replaced(
    folder: Path, programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flusher_keeper, "HANGS_AFTER_S", 0.5)
    FlusherKeeper(folder, Spool(folder), programs.that_stays).start()

    until(partial(programs.has_started, 2), within_s=WITHIN_S, what="another flusher")


def test_a_clock_that_was_set_back_hides_no_flusher_that_hangs(
    folder: Path, programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flusher_keeper, "HANGS_AFTER_S", 0.5)
    beat = f"touch -d 'now + 1 hour' {folder / BEAT_FILE}"
    command = partial(programs.that_hangs_after, beat)
    FlusherKeeper(folder, Spool(folder), command).start()

    until(partial(programs.has_started, 2), within_s=WITHIN_S, what="another flusher")


def test_a_folder_that_comes_anew_has_a_flusher(
    folder: Path, programs: Programs
) -> None:
    FlusherKeeper(folder, Spool(folder), programs.that_stays).start()
    until(programs.started, within_s=WITHIN_S, what="a flusher")

    (folder / BEAT_FILE).unlink()

    until(partial(programs.has_started, 2), within_s=WITHIN_S, what="another flusher")
    assert (folder / BEAT_FILE).exists()


def test_a_flusher_killed_again_and_again_is_back_at_once(
    folder: Path, programs: Programs
) -> None:
    FlusherKeeper(folder, Spool(folder), programs.that_stays).start()
    until(programs.started, within_s=WITHIN_S, what="a flusher")
    began = time.monotonic()
    for number in range(1, KILLS + 1):
        for pid in programs.started():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        until(partial(programs.has_started, number + 1), within_s=WITHIN_S)

    # With pauses that double it would take 51 s.
    assert time.monotonic() - began < LONGEST_S
