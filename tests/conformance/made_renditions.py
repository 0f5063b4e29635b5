"""
Renditions with measured segments, as tests change them.
"""

from collections.abc import Sequence
from fractions import Fraction

import attrs

from hvcore.conformance.codecs.pictures import Picture
from hvcore.conformance.init_segments import TrackHeader
from hvcore.conformance.media_segments import SegmentHeader
from hvcore.conformance.playlists import Playlist, SegmentEntry
from hvcore.conformance.renditions import Examined, Rendition
from hvcore.conformance.report import CheckLog

SCALE = 1000
TRACK = TrackHeader(
    name="init",
    kind="vide",
    id=1,
    timescale=SCALE,
    codecs="avc1.42c01e",
    entry="avc1",
    defaults=(0, 0, 0),
    edit=None,
    is_cmf2=False,
    level=31,
)
SOUND = attrs.evolve(TRACK, kind="soun", codecs="mp4a.40.2", entry="mp4a", level=0)
ENTRY = SegmentEntry(
    line=1,
    name="0.m4s",
    duration_s=Fraction(2),
    range=None,
    init=None,
    is_after_break=False,
    is_encrypted=False,
    is_gap=False,
)


def playlist(
    durations_s: Sequence[float], name: str = "a.m3u8", target_s: int | None = 2
) -> Playlist:
    segments = [attrs.evolve(ENTRY, duration_s=Fraction(d)) for d in durations_s]
    return Playlist(
        name=name,
        version=7,
        tags={},
        needs={},
        target_s=target_s,
        type="VOD",
        segments=tuple(segments),
        variants=(),
        renditions=(),
        iframe_variants=(),
    )


def segment(
    start: int, duration: int = 2000, frames: tuple[int, int] = (40, 40), **more: object
) -> SegmentHeader:
    header = SegmentHeader(
        start=start,
        duration=duration,
        samples=duration // frames[1],
        durations=frames,
        longest=frames[1],
        last_sequence=1,
        first_offset=0,
    )
    return attrs.evolve(header, **more)


def rendition(
    segments: Sequence[SegmentHeader | None],
    *,
    track: TrackHeader | None = TRACK,
    sizes: Sequence[int | None] = (),
    name: str = "a.m3u8",
    **more: object,
) -> Rendition:
    durations = [one.duration / SCALE if one else 2 for one in segments]
    listed = playlist(durations, name)
    parts = [
        Examined(entry=entry, size_bytes=size, segment=one)
        for entry, one, size in zip(
            listed.segments, segments, sizes or [1000] * len(segments), strict=True
        )
    ]
    return Rendition(listed, track, parts, **more)  # type: ignore[arg-type]  # is_cut


def found(log: CheckLog) -> list[tuple[str, str]]:
    return [(one.rule.id, one.file) for one in log.report().findings]


def picture(width_px: int, height_px: int, transfer: int | None = 1) -> Picture:
    return Picture(
        width_px=width_px,
        height_px=height_px,
        coded_width_px=width_px,
        coded_height_px=height_px,
        transfer=transfer,
    )


def shown(width_px: int, height_px: int, **more: object) -> TrackHeader:
    pictures = (picture(width_px, height_px),)
    return attrs.evolve(TRACK, pictures=pictures, transfer=1, **more)
