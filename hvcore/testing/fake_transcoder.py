"""A transcoder without an encoder: every source becomes a grey film that can be played."""

from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Final

import attrs

from hvcore.domain.limits import SEGMENT_S
from hvcore.domain.processing.encoding import AudioCodec, PixelFormat, Speed
from hvcore.domain.processing.source_info import SourceInfo, VideoTrackInfo
from hvcore.domain.processing.transcoding import (
    Capabilities,
    MediaFile,
    Part,
    PartDone,
    Rung,
    Segment,
    Track,
    TranscodeOrder,
)
from hvcore.ports.transcoder import Transcoder, Workspace
from hvcore.testing import grey_film

_POSTER: Final = "poster.jpg"


@attrs.define(kw_only=True)
class FakeTranscoder(Transcoder):
    """
    A transcoder that takes every source for the same film, and makes it in milliseconds.

    The film has no sound. Its segments pass the check of published videos, and players
    show it.

    Attributes:
        width_px: The width of every source, from which the ladder follows.
        height_px: The height of every source, from which the ladder follows.
        duration_s: The duration of every source.
    """

    width_px: int = 426
    height_px: int = 240
    duration_s: int = SEGMENT_S

    def capabilities(self) -> Capabilities:
        """Return capabilities that include every codec and format."""
        return Capabilities(
            name="fake",
            pixel_formats=frozenset(PixelFormat),
            audio_codecs=frozenset(AudioCodec),
            speeds=frozenset(Speed),
        )

    def probe(self, workspace: Workspace) -> SourceInfo:
        """Return the facts of the grey film, whatever the source is."""
        return SourceInfo(
            duration_s=float(self.duration_s),
            size_bytes=workspace.source.stat().st_size,
            container="mov",
            video=VideoTrackInfo(
                stream_index=0,
                width_px=self.width_px,
                height_px=self.height_px,
                frame_rate=Fraction(grey_film.PICTURES_PER_S),
                pixel_format=PixelFormat.YUV420P,
            ),
        )

    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        """Return a plan that makes the whole video in one part."""
        return (Part(index=0, order=order),)

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        """Write the segments of every rung of the ladder, and a poster."""
        workspace.check()
        order = part.order
        tracks = tuple(
            _rung(one, order, workspace.folder) for one in order.ladder.rungs
        )
        (workspace.folder / _POSTER).write_bytes(grey_film.JPEG)
        workspace.report(1.0)
        return PartDone(tracks=tracks, poster=_POSTER)

    def still(self, workspace: Workspace, at_s: float) -> Path:
        """Return a grey picture for any moment of a video."""
        del at_s  # all are alike
        picture = workspace.folder / "still.jpg"
        picture.write_bytes(grey_film.JPEG)
        return picture


def _rung(rung: Rung, order: TranscodeOrder, folder: Path) -> Track:
    name = f"video/{rung.key}"
    (folder / name).mkdir(parents=True)
    size = {"width_px": rung.width_px, "height_px": rung.height_px}
    init, segments = grey_film.init_segment(**size), []
    (folder / name / "init.m4s").write_bytes(init)
    whole_s = round(order.source.duration_s)
    for number, starts_s in enumerate(range(0, whole_s, order.segment_s)):
        duration_s = min(order.segment_s, whole_s - starts_s)
        data, first = grey_film.media_segment(
            number, **size, starts_s=starts_s, duration_s=duration_s
        )
        (folder / name / f"{number}.m4s").write_bytes(data)
        segments.append(
            Segment(
                number=number,
                duration_s=float(duration_s),
                file=_file(data),
                first_picture_bytes=first,
            )
        )
    return Track(
        name=name,
        codecs=grey_film.CODECS,
        init=_file(init),
        segments=tuple(segments),
        rung=rung,
    )


def _file(data: bytes) -> MediaFile:
    return MediaFile(size_bytes=len(data), sha256=sha256(data).hexdigest())
