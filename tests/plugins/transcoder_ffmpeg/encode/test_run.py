"""
Nothing goes on that nobody wants any more.
"""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from hvcore.plugin_api import (
    Speed,
    TranscodeError,
    Transcoder,
    UnavailableError,
    UnusableSourceError,
)
from hvcore_transcoder_ffmpeg.encode.run import ProgressCount, ProgressWatch, judge
from hvcore_transcoder_ffmpeg.sandbox.process import ExitStatus
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern
from tests.plugins.transcoder_ffmpeg.conftest import make_order, make_workspace

pytestmark = pytest.mark.services

_DEADLINE_S = 30.0
_GONE_S = 2.0
NO_SPACE = "av_interleaved_write_frame(): No space left on device"

_WORKER = """
import sys
from pathlib import Path
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.plugin import build
from hvcore.plugin_api import Speed
from tests.plugins.transcoder_ffmpeg.conftest import *
source, folder, level = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
transcoder = build(FfmpegOptions(sandbox=level), make_context(folder))
workspace = make_workspace(source, folder / "job")
order = make_order(transcoder.probe(workspace), speed=Speed.ULTRASLOW)
transcoder.run(transcoder.plan(order)[0], workspace)
"""


class TaskStopped(Exception):  # noqa: N818 - as the core calls it
    """
    The core does not want the work any more.
    """


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    A source that takes far longer than any test.
    """
    path = tmp_path_factory.mktemp("endless") / "source.mp4"
    ffmpeg(
        *pattern("1280x720", "25", 20), "-c:v", "libx264", "-preset", "ultrafast", path
    )
    return path


def _users_of(folder: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            words = (entry / "cmdline").read_bytes()
            current = (entry / "cwd").readlink()
        except OSError:
            continue
        if b"ffmpeg" in words and (current == folder or bytes(folder) in words):
            found.append(int(entry.name))
    return found


def _wait_until(holds: Callable[[], bool], deadline_s: float) -> None:
    end = time.monotonic() + deadline_s
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def test_an_unwanted_job_ends_with_everything_it_started(
    endless: Path, tmp_path: Path, transcoder: Transcoder
) -> None:
    folder = tmp_path / "job"
    stopped_at: list[float] = []

    def stop_once_it_runs() -> None:
        if list(folder.glob("video/*/*")) or list(folder.glob("*.jpg")):
            stopped_at.append(time.monotonic())
            raise TaskStopped

    workspace = make_workspace(endless, folder)
    order = make_order(transcoder.probe(workspace), speed=Speed.ULTRASLOW)
    part = next(part for part in transcoder.plan(order) if part.has_pictures)

    with pytest.raises(TaskStopped):
        transcoder.run(part, make_workspace(endless, folder, check=stop_once_it_runs))

    assert time.monotonic() - stopped_at[0] < _GONE_S
    assert _users_of(folder) == []


@pytest.mark.cases(1)
@pytest.mark.parametrize("level", ["bwrap", "rlimits"])
def test_a_killed_worker_takes_ffmpeg_along(
    level: str, endless: Path, tmp_path: Path
) -> None:
    job = tmp_path / "job"
    with subprocess.Popen(
        [sys.executable, "-c", _WORKER, endless, tmp_path, level]
    ) as worker:
        _wait_until(lambda: bool(list(job.glob("video/*/*"))), _DEADLINE_S)
        running = _users_of(job)
        worker.send_signal(signal.SIGKILL)

        _wait_until(lambda: not _users_of(job), _GONE_S)

    assert running


def test_a_core_that_asks_is_asked_twice_a_second(
    endless: Path, tmp_path: Path, transcoder: Transcoder
) -> None:
    asked: list[float] = []

    def count() -> None:
        asked.append(time.monotonic())
        if len(asked) > 8:
            raise TaskStopped

    workspace = make_workspace(endless, tmp_path / "job")
    order = make_order(transcoder.probe(workspace), speed=Speed.ULTRASLOW)
    with pytest.raises(TaskStopped):
        transcoder.run(
            transcoder.plan(order)[0],
            make_workspace(endless, tmp_path / "job", check=count),
        )

    pauses = [after - before for before, after in pairwise(asked)]
    assert max(pauses) < 0.5


class _Watched:
    """
    A watch over a folder, with a clock that the test moves.
    """

    def __init__(self, folder: Path, *, max_bytes: int = 1000) -> None:
        self.now_s = 0.0
        self.folder = folder
        self.watch = ProgressWatch(
            make_workspace(folder / "source", folder),
            counted=ProgressCount.FRAMES,
            whole=100,
            first_share=0.0,
            last_share=1.0,
            max_bytes=max_bytes,
            now=lambda: self.now_s,
        )

    def after(self, seconds: float) -> None:
        self.now_s += seconds
        self.watch.tick()


def test_talk_without_growth_is_a_stall(tmp_path: Path) -> None:
    watched = _Watched(tmp_path)
    watched.watch.take_output(b"frame=1\nprogress=continue\n")

    watched.after(119)
    watched.watch.take_output(b"frame=1\nprogress=continue\n")

    with pytest.raises(TranscodeError) as stopped:
        watched.after(6)

    assert stopped.value.log == "no growth for 120 s"


def test_frames_are_growth(tmp_path: Path) -> None:
    watched = _Watched(tmp_path)

    watched.after(119)
    watched.watch.take_output(b"frame=2\n")

    watched.after(6)


def test_bytes_are_growth(tmp_path: Path) -> None:
    watched = _Watched(tmp_path)

    (tmp_path / "0.m4s").write_bytes(b"x")
    watched.after(119)

    watched.after(119)


def test_writing_without_end_is_stopped(tmp_path: Path) -> None:
    watched = _Watched(tmp_path, max_bytes=10)
    (tmp_path / "0.m4s").write_bytes(bytes(11))

    with pytest.raises(TranscodeError) as stopped:
        watched.after(6)

    assert stopped.value.log == "11 bytes written"


@pytest.mark.parametrize(
    ("status", "killer", "log", "error"),
    [
        (1, None, "Invalid data found when processing input", UnusableSourceError),
        (137, signal.SIGKILL, "Invalid data found", TranscodeError),
        # It has taken SIGXCPU or SIGTERM for a wish.
        (255, None, "Invalid data found", TranscodeError),
        (123, None, "Invalid data found", TranscodeError),
        # A text of the source, on a disk with room.
        (1, None, f"{NO_SPACE}\nInvalid data found", TranscodeError),
        (1, None, "", TranscodeError),
    ],
)
def test_only_the_sources_own_fault_is_final(
    status: int,
    killer: signal.Signals | None,
    log: str,
    error: type[Exception],
    tmp_path: Path,
) -> None:
    with pytest.raises(error):
        judge(ExitStatus(status=status, signal=killer, log=log), tmp_path)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_costs_no_attempt(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "posix_fallocate", refuse)

    with pytest.raises(UnavailableError, match="disk of this worker is full") as raised:
        judge(ExitStatus(status=1, signal=None, log=NO_SPACE), tmp_path)
    # By which the worker sees that others may do the task.
    assert isinstance(raised.value.__cause__, OSError)
    assert raised.value.__cause__.errno == errno.ENOSPC
