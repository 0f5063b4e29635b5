"""Take the frames of moments out of published segments, with this machine's transcoder."""

import logging
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs

from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.processing.transcoding import FrameSpan, TranscodeError
from hvcore.domain.videos.moments import TENTHS, Animation, Moment
from hvcore.errors import (
    ConfigError,
    NotFoundError,
    PluginError,
    UnavailableError,
    UnsupportedFormatError,
    VideoNotFoundError,
)
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.ports.transcoder import (
    SupportsFrames,
    SupportsStill,
    Transcoder,
    Workspace,
)
from hvcore.services.playback.moments.stills import StillLocation, locate_covering
from hvcore.services.playback.playable import Playable

FRAMES_PER_S: Final = 8
"""Of an animation; each frame takes 15 ms of a core at the largest size."""
FRAME_MS: Final = 1000 // FRAMES_PER_S
NICENESS: Final = 12
"""As that of thumbnails in unusual sizes: encodes come first, which have 10."""
MOST_S: Final = 60.0
"""Then ffmpeg is ended. A frame takes half a second of a core; on a machine with 22 processes
that wanted two cores, and were not nice, that was 28 s."""
RETRY_AFTER_S: Final = 60
ABANDONED_AFTER_S: Final = 600.0
"""The age of a work folder whose process was killed."""
_NOT_IMPLEMENTED: Final = 501
_FOLDER: Final = "moments"

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class FrameMaker:
    """
    Takes frames out of the published segments of videos; thread-safe.

    Attributes:
        transcoder: Returns this machine's transcoder, which is made when it is first needed.
        work_dir: The folder for temporary files.
    """

    storage: Storage
    transcoder: Callable[[], Transcoder]
    work_dir: Path

    def still(
        self, video: Playable, moment: Moment, size_px: tuple[int, int]
    ) -> Sequence[bytes]:
        """
        Return the frame at a moment as a JPEG, of a rung that covers a size.

        Raises:
            UnsupportedFormatError: 501: this machine makes no such pictures.
            NotFoundError: The video has no frames that can be read.
            VideoNotFoundError: The files of the video are gone.
            UnavailableError: This attempt failed.
        """
        transcoder = self._usable()
        if not isinstance(transcoder, SupportsStill):
            raise _not_here()
        with _failures(video):
            found = locate_covering(
                video.media, moment.at_s, moment.at_s, size_px=size_px
            )
            with self._workspace(video, found) as workspace:
                return [transcoder.still(workspace, found.at_s).read_bytes()]

    def frames(self, video: Playable, animation: Animation) -> Sequence[bytes]:
        """
        Return the frames of an animation as JPEGs.

        Raises:
            UnsupportedFormatError: 501: this machine makes no such pictures.
            NotFoundError: The video has no frames that can be read.
            VideoNotFoundError: The files of the video are gone.
            UnavailableError: This attempt failed.
        """
        transcoder = self._usable()
        if not isinstance(transcoder, SupportsFrames):
            raise _not_here()
        with _failures(video):
            if not any(one.track.rung for one in video.media.tracks):
                raise UnusableSourceError("The video has no picture.")
            width_px, height_px = animation.size_px(video.size_px)
            start_s = animation.start_tenths / TENTHS
            length_s = (animation.end_tenths - animation.start_tenths) / TENTHS
            found = locate_covering(
                video.media,
                start_s,
                start_s + length_s,
                size_px=(width_px, height_px),
            )
            span = FrameSpan(
                start_s=found.at_s,
                count=max(1, round(length_s * FRAMES_PER_S)),
                frames_per_s=FRAMES_PER_S,
                width_px=width_px,
                height_px=height_px,
            )
            with self._workspace(video, found) as workspace:
                made = transcoder.frames(workspace, span)
                return [path.read_bytes() for path in made]

    def _usable(self) -> Transcoder:
        try:
            transcoder = self.transcoder()
        except (ConfigError, PluginError) as exc:
            # Hosts of delivery alone need no encoder.
            raise _not_here() from exc
        if not transcoder.capabilities().usable:
            raise _not_here()
        return transcoder

    @contextmanager
    def _workspace(self, video: Playable, found: StillLocation) -> Iterator[Workspace]:
        parent = self.work_dir / _FOLDER
        parent.mkdir(parents=True, exist_ok=True)
        _sweep(parent)
        base = Path(tempfile.mkdtemp(dir=parent))
        folder = base / "out"
        folder.mkdir()
        source = base / "segments.mp4"
        ends_at_s = time.monotonic() + MOST_S

        def check() -> None:
            if time.monotonic() > ends_at_s:
                raise TranscodeError("It takes too long.")

        try:
            with source.open("wb") as copy:
                for one in found.files:
                    with self.storage.open(f"{video.media_root}/{one.path}") as file:
                        shutil.copyfileobj(file, copy)
            yield Workspace(
                source=source,
                folder=folder,
                report=lambda _: None,
                check=check,
                niceness=NICENESS,
            )
        finally:
            shutil.rmtree(base, ignore_errors=True)


@contextmanager
def _failures(video: Playable) -> Iterator[None]:
    try:
        yield
    except ObjectNotFoundError as exc:
        raise VideoNotFoundError(rule=PlaybackRule.FILES_MISSING) from exc
    except UnusableSourceError as exc:
        raise NotFoundError(
            "The video has no picture at this moment.", rule=PlaybackRule.NO_PICTURE
        ) from exc
    except TranscodeError as exc:
        _log.warning(
            "picture at a moment not made",
            extra={"hv_video": video.id, "hv_error": exc.reason, "hv_log": exc.log},
        )
        raise UnavailableError(
            "The picture could not be made; try again later.",
            retry_after_s=RETRY_AFTER_S,
        ) from exc


def _not_here() -> UnsupportedFormatError:
    return UnsupportedFormatError(
        "Pictures at a moment are not available here.",
        status=_NOT_IMPLEMENTED,
        rule=PlaybackRule.NO_FRAMES_HERE,
    )


def _sweep(parent: Path) -> None:
    """Remove the folders that killed processes have left."""
    oldest = time.time() - ABANDONED_AFTER_S
    for folder in parent.iterdir():
        try:
            is_abandoned = folder.stat().st_mtime < oldest
        except FileNotFoundError:
            # Of a picture that was finished at this moment.
            continue
        if is_abandoned:
            shutil.rmtree(folder, ignore_errors=True)
