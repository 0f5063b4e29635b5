"""Check the samples of tracks that a transcoder has made for a kit against their descriptions."""

from pathlib import Path
from typing import Final

from hvcore.conformance.boxes import Box, BoxError, inside
from hvcore.conformance.codecs.audio import read_esds
from hvcore.conformance.samples import read_runs
from hvcore.plugin_api import Segment, Track, TranscodeOrder
from hvcore.testing.transcoder.known_sources import HIDDEN
from hvcore.testing.transcoder.made_parts import Made

_ROUNDED_S: Final = 0.02
"""The rounding error of times in playlists and containers."""
_RATE_WITHIN: Final = 0.02
"""The relative error allowed in the rate of a rung: of 200 pictures one may be a tick late."""
_SOUND_WITHIN_S: Final = 0.3
"""The seconds by which sound may differ: segments end with a whole frame, and encoders add silence."""
_SIZE_AT: Final = 24
_SOUND_FIELDS: Final = 28
"""The size of the fields of an audio sample entry (ISO/IEC 14496-12, sections 12.1.3 and 12.2.3)."""
_JPEG: Final = b"\xff\xd8\xff"


def require_samples(folder: Path, track: Track) -> None:
    """Assert that a track's files have the size, rate, channels and durations that the track says."""
    try:
        init = Box("", (folder / track.name / "init.m4s").read_bytes())
        table = init.need("moov", "trak", "mdia", "minf", "stbl", "stsd")
        for entry in inside(table, skip=8):
            _require_entry(entry, track)
        made = [_measured(folder, track, one, init) for one in track.segments]
    except BoxError as exc:
        raise AssertionError(f"{track.name} cannot be read: {exc}") from exc
    lasts_s = sum(lasts_s for _, lasts_s in made)
    if track.rung is not None and lasts_s:
        rate = sum(samples for samples, _ in made) / lasts_s
        wanted = float(track.rung.frame_rate)
        assert abs(rate / wanted - 1) < _RATE_WITHIN, (
            f"{track.name} has {rate:.2f} pictures a second; Rung.frame_rate wants "
            f"{wanted:.2f}"
        )


def require_length_of_sound(order: TranscodeOrder, made: Made) -> None:
    """Assert that each audio rendition ends when the pictures of the video end."""
    for audio in order.ladder.audio:
        lasts_s = sum(
            segment.duration_s
            for _, part in made
            for track in part.tracks
            if track.name == audio.name
            for segment in track.segments
        )
        assert abs(lasts_s - order.source.duration_s) < _SOUND_WITHIN_S, (
            f"{audio.name} lasts {lasts_s:.2f} s, and the pictures "
            f"{order.source.duration_s:.2f} s; put silence where it is too short"
        )


def require_nothing_hidden(folder: Path) -> None:
    """Assert that no made file contains the title of the source."""
    for file in folder.rglob("*"):
        assert not file.is_file() or HIDDEN not in file.read_bytes(), (
            f"{file.relative_to(folder)} has the title or the comment of the source, "
            "which its owner did not publish"
        )


def require_picture(file: Path) -> None:
    """Assert that a poster or a still is a JPEG."""
    assert file.read_bytes().startswith(_JPEG), f"{file.name} is no JPEG"


def _require_entry(entry: Box, track: Track) -> None:
    if track.rung is not None:
        found = entry.numbers("HH", _SIZE_AT)
        wanted = track.rung.width_px, track.rung.height_px
        assert found == wanted, (
            f"{track.name} is {found[0]} x {found[1]} px; the rung is "
            f"{wanted[0]} x {wanted[1]}"
        )
    elif track.audio is not None:
        # What other codecs have is not in their sample entries.
        record = next(iter(entry.all("esds", skip=_SOUND_FIELDS)), None)
        channels = read_esds(record).channels if record else 0
        assert channels in {0, track.audio.channels}, (
            f"{track.name} has {channels} channels; AudioRendition.channels wants "
            f"{track.audio.channels}"
        )


def _measured(
    folder: Path, track: Track, segment: Segment, init: Box
) -> tuple[int, float]:
    """Return the number of samples in a segment, and their duration in seconds."""
    name = f"{track.name}/{segment.number}.m4s"
    data = (folder / name).read_bytes()
    extends = init.need("moov", "mvex", "trex")
    defaults = extends.number("I", 12), extends.number("I", 16), extends.number("I", 20)
    header = init.need("moov", "trak", "mdia", "mdhd")
    timescale = header.number("I", 20 if header.number("B") else 12)
    moofs = Box("", data).all("moof")
    runs = [read_runs(moof.need("traf"), defaults) for moof in moofs]
    if not runs:
        raise BoxError(f"{name} has no moof")
    lasts_s = sum(run.duration for run in runs) / timescale
    assert abs(lasts_s - segment.duration_s) < _ROUNDED_S, (
        f"{name}: Segment.duration_s is {segment.duration_s:.3f}; its samples last "
        f"{lasts_s:.3f} s"
    )
    said = segment.first_picture_bytes
    ends = data.index(b"mdat") + 4 + runs[0].first_size
    assert track.rung is None or said in {None, ends}, (
        f"{name}: Segment.first_picture_bytes is {said}; its first picture ends at {ends}"
    )
    return sum(run.samples for run in runs), lasts_s
