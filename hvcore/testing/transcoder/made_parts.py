"""Check the files of the parts that a transcoder has made for a kit."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import attrs

from hvcore.plugin_api import (
    MediaFile,
    Part,
    PartDone,
    Rung,
    Segment,
    Track,
    TranscodeOrder,
    Transcoder,
    Workspace,
)

Made: TypeAlias = Sequence[tuple[Path, PartDone]]
"""The made parts of a plan, each with its folder."""
_ROUNDED_S: Final = 0.02
"""The rounding error of times in playlists and containers."""


def planned(transcoder: Transcoder, order: TranscodeOrder) -> Sequence[Part]:
    """Return the parts of the transcoder's plan; fail if there are none."""
    parts = transcoder.plan(order)
    assert parts, "plan returned no parts; a video is made in one part at least"
    return parts


def parts_made(
    transcoder: Transcoder, order: TranscodeOrder, workspace: Workspace, root: Path
) -> Iterator[tuple[Path, PartDone]]:
    """Make every part of a plan in a folder of its own below ``root``; yield folder and result."""
    for part in planned(transcoder, order):
        folder = root / f"p{part.index}"
        folder.mkdir(parents=True)
        done = transcoder.run(part, attrs.evolve(workspace, folder=folder))
        assert isinstance(done, PartDone), "parts elsewhere have a kit of their own"
        beside = {one.name for one in root.iterdir() if not _is_part(one.name)}
        assert not beside, (
            f"{', '.join(sorted(beside))} was written beside workspace.folder, which alone "
            "is the attempt's"
        )
        yield folder, done


def require_planned(part: Part, done: PartDone) -> None:
    """Assert that a part made pictures and sound exactly if it was planned to."""
    ladder = part.order.ladder
    rungs = [track.name for track in done.tracks if track.name.startswith("video/")]
    sounds = [track.name for track in done.tracks if track.name not in rungs]
    for flag, is_planned, wanted, made in (
        ("has_pictures", part.has_pictures, ladder.rungs, rungs),
        ("has_sound", part.has_sound, ladder.audio, sounds),
    ):
        assert bool(made) == bool(is_planned and wanted), (
            f"part {part.index} was planned with {flag}={is_planned}, and made "
            f"{', '.join(made) or 'none of these tracks'}"
        )


def require_cuts(rung: Rung, length_s: int, made: Made) -> None:
    """Assert that the segments of a rung begin at multiples of the segment length."""
    name, late_s = f"video/{rung.key}", float(1 / rung.frame_rate) + _ROUNDED_S
    begins_s = 0.0
    for count, (_, segment) in enumerate(_segments_of(name, made)):
        planned_s, file = count * length_s, f"{name}/{segment.number}.m4s"
        assert -_ROUNDED_S <= begins_s - planned_s <= late_s, (
            f"{file} begins at {begins_s:.3f} s; it is to begin at {planned_s} s, or "
            "with the first picture after that, and key frames are to be there"
        )
        begins_s += segment.duration_s
        assert begins_s <= planned_s + length_s + late_s, (
            f"{file} lasts {segment.duration_s:.3f} s; segments are to last {length_s} s "
            "(order.segment_s), and key frames are to be at the multiples of that"
        )


def require_starts(rung: Rung, parts: Sequence[Part], made: Made) -> None:
    """Assert that the first segment of each part begins at the part's start."""
    name = f"video/{rung.key}"
    firsts = dict[int, int]()
    for place, segment in _segments_of(name, made):
        firsts.setdefault(place, segment.number)
    for place, number in firsts.items():
        part = parts[place]
        start_s = number * part.order.segment_s
        assert start_s == part.start_s, (
            f"part {place} begins at {part.start_s} s, and its first segment, "
            f"{name}/{number}.m4s, at {start_s} s"
        )


def require_files(folder: Path, track: Track) -> None:
    """Assert that a track's folder has the named files with their sizes and hashes, and no others."""
    at, told = folder / track.name, _files(track)
    assert at.is_dir(), f"there is no folder {track.name} in workspace.folder"
    there = {path.name for path in at.iterdir()}
    lacks, besides = sorted(told.keys() - there), sorted(there - told.keys())
    assert not lacks, f"{track.name} lacks {', '.join(lacks)}, which Track names"
    assert not besides, (
        f"{track.name} has {', '.join(besides)}, which Track does not name"
    )
    for name, file in told.items():
        is_file = _measured((at / name).read_bytes())
        for what in ("size_bytes", "sha256"):
            said, found = getattr(file, what), getattr(is_file, what)
            assert said == found, (
                f"{track.name}/{name}: MediaFile.{what} is {said}, that of the file "
                f"is {found}"
            )


def _is_part(name: str) -> bool:
    return name[:1] == "p" and name[1:].isdecimal()


def _segments_of(name: str, made: Made) -> Iterator[tuple[int, Segment]]:
    """Yield the segments of a track, each with the index of its part in the plan."""
    for place, (_, part) in enumerate(made):
        for track in part.tracks:
            if track.name == name:
                yield from ((place, segment) for segment in track.segments)


def _files(track: Track) -> dict[str, MediaFile]:
    named = {f"{segment.number}.m4s": segment.file for segment in track.segments}
    return {"init.m4s": track.init, **named}


def _measured(data: bytes) -> MediaFile:
    return MediaFile(size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
