"""Take the sound of one window out of a video's published segments, and cut it where it is quiet."""

import shutil
import wave
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Final

import attrs

from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.speech import SOUND_RATE_HZ, SoundFile
from hvcore.domain.processing.transcoding import SoundSpan, Track, TranscodeError
from hvcore.domain.videos.caption_jobs import WINDOW_MS
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.ports.transcoder import SupportsSound, Transcoder, Workspace
from hvcore.services.playback.published_files import (
    INIT,
    PublishedMedia,
    find_published,
)
from hvcore.services.tasks.leases import TaskRun

QUIET_MS: Final = 200
"""The length of the quiet place at which a window is cut: a pause between two words."""
SEARCHED_PART: Final = 10
"""The last tenth of a window is searched for a quiet place: half a minute, in which speakers breathe."""
NICENESS: Final = 15
"""Videos come first: encodes have 10."""
_STEP_MS: Final = 20
_NOT_MADE: Final = "not-made.wav"
_NO_SOUND: Final = "The sound of the video could not be read."


@attrs.frozen(kw_only=True)
class WindowSound:
    """
    The sound of one window of a video, as a local file.

    Attributes:
        end_ms: The milliseconds from the start of the video to the end of the window.
    """

    sound: SoundFile
    end_ms: int


@attrs.frozen(kw_only=True)
class WindowSounds:
    """
    Take the sound of windows out of published segments, with this machine's transcoder.

    Attributes:
        work_dir: The folder for temporary files of this process.
        window_ms: The length of a window; the last one may be a fifth longer.
    """

    storage: Storage
    transcoder: Transcoder
    work_dir: Path
    window_ms: int = WINDOW_MS

    @property
    def is_possible(self) -> bool:
        """Return whether this machine's transcoder can take sound out of videos."""
        return isinstance(self.transcoder, SupportsSound)

    def planned(self, *, start_ms: int, ends_ms: int) -> SoundFile:
        """
        Return the sound of the window that starts at a moment, before it is made; it gets no longer.

        Args:
            ends_ms: The length of the video.
        """
        left_ms = ends_ms - start_ms
        length_ms = left_ms if self._is_last(left_ms) else self.window_ms
        return SoundFile(path=self.work_dir / _NOT_MADE, duration_ms=length_ms)

    @contextmanager
    def window(
        self, run: TaskRun, video: Video, track: Track, *, start_ms: int, ends_ms: int
    ) -> Iterator[WindowSound]:
        """
        Make the sound of the window that starts at a moment of a video.

        The window ends at a quiet place near its usual length, or at the end of the video.

        Args:
            ends_ms: The length of the video.

        Raises:
            UnusableSourceError: The sound cannot be decoded.
            TranscodeError: This attempt failed.
            UnavailableError: The storage does not answer, or this machine takes no sound.
            TaskStopped: The work is not wanted any more.
        """
        if not isinstance(self.transcoder, SupportsSound):
            raise UnavailableError("This worker's transcoder takes no sound.")
        is_last = self._is_last(ends_ms - start_ms)
        length_ms = self.planned(start_ms=start_ms, ends_ms=ends_ms).duration_ms
        base = self.work_dir / f"{run.task.id}a{run.task.fence}"
        folder = base / "out"
        folder.mkdir(parents=True)
        try:
            source = base / "segments.mp4"
            first_s = self._fetch(
                run, video, track, source, (start_ms, start_ms + length_ms)
            )
            workspace = Workspace(
                source=source,
                folder=folder,
                report=lambda _: None,
                check=run.check,
                niceness=NICENESS,
            )
            span = SoundSpan(
                start_s=max(0.0, start_ms / 1000 - first_s), duration_s=length_ms / 1000
            )
            path = self.transcoder.sound(workspace, span)
            samples = _samples(path)
            if not is_last:
                samples = samples[: quietest(samples)]
                length_ms = len(samples) * 1000 // SOUND_RATE_HZ or length_ms
                _write(path, samples)
            sound_ms = min(length_ms, len(samples) * 1000 // SOUND_RATE_HZ)
            yield WindowSound(
                sound=SoundFile(path=path, duration_ms=sound_ms),
                end_ms=start_ms + length_ms,
            )
        finally:
            shutil.rmtree(base, ignore_errors=True)

    def _is_last(self, left_ms: int) -> bool:
        return left_ms <= self.window_ms * 6 // 5

    def _fetch(
        self,
        run: TaskRun,
        video: Video,
        track: Track,
        source: Path,
        span_ms: tuple[int, int],
    ) -> float:
        """Write the segments of a window into a file; return the moment with which they begin."""
        ends_s = list(accumulate(one.duration_s for one in track.segments))
        last = len(ends_s) - 1
        first, final = (
            min(bisect_right(ends_s, at_ms / 1000), last) for at_ms in span_ms
        )
        chosen = track.segments[first : final + 1]
        names = [f"{track.name}/{INIT}"]
        names += [f"{track.name}/{one.number}.m4s" for one in chosen]
        try:
            with source.open("wb") as copy:
                for path in _paths(video, names):
                    run.check()
                    with self.storage.open(path) as file:
                        shutil.copyfileobj(file, copy)
        except ObjectNotFoundError as exc:
            # Replaced at this moment by a repair; another attempt reads the new files.
            raise TranscodeError(_NO_SOUND, log=f"{exc}") from exc
        return ends_s[first] - chosen[0].duration_s


def sound_track(media: MediaIndex, language: str | None) -> Track | None:
    """Return the audio track in a language, else the default one; None if there is no sound."""
    tracks = [one.track for one in media.tracks if one.track.audio is not None]
    spoken = [
        track
        for track in tracks
        if track.audio and language and _primary(track.audio.language) == language
    ]
    return next(iter(spoken or tracks), None)


def quietest(samples: "array[int]") -> int:
    """Return the number of samples before the quietest place in the last tenth of a sound."""
    step = SOUND_RATE_HZ * _STEP_MS // 1000
    begins = len(samples) - len(samples) // SEARCHED_PART
    levels = [
        sum(map(abs, samples[at : at + step]))
        for at in range(begins, len(samples) - step + 1, step)
    ]
    width = QUIET_MS // _STEP_MS
    if len(levels) <= width:
        return len(samples)
    sums = [sum(levels[at : at + width]) for at in range(len(levels) - width + 1)]
    # Of several equal ones the last: the window is as long as it may be.
    place = len(sums) - 1 - min(range(len(sums)), key=lambda at: (sums[-1 - at], at))
    return begins + (place + width // 2) * step


def _primary(tag: str) -> str:
    return tag.partition("-")[0].lower()


def _paths(video: Video, names: Sequence[str]) -> Iterator[str]:
    assert video.media is not None  # noqa: S101 - asked for before
    for name in names:
        found = find_published(video.media, name)
        if isinstance(found, PublishedMedia):
            yield f"{video.media_root}/{found.path}"


def _samples(path: Path) -> "array[int]":
    try:
        with wave.open(str(path), "rb") as sound:
            # In the byte order of this machine: the module turns what the file has.
            return array("h", sound.readframes(sound.getnframes()))
    except (OSError, EOFError, wave.Error, ValueError) as exc:
        raise TranscodeError(_NO_SOUND, log=f"{exc}") from exc


def _write(path: Path, samples: "array[int]") -> None:
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(SOUND_RATE_HZ)
        sound.writeframes(samples.tobytes())
