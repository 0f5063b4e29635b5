"""
Short videos with unusual properties, and the facts that probing must find in them.

An author's own video rarely has such properties. In these videos, pictures are rotated
or have wide pixels; sound ends early, late or has six channels; rate and length are no
whole numbers.
"""

import shutil
from fractions import Fraction
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import AudioTrackInfo, SourceInfo, VideoTrackInfo, Workspace

HIDDEN: Final = b"Hidden title of the owner"
"""A title in the metadata of each video, which must not be published."""
SOUND_ALONE: Final = "sound.m4a"
_FOLDER: Final = Path(__file__).parent / "sources"
_RATE_WITHIN: Final = 0.005
"""The error allowed in a probed rate of 29.97, because times are rounded."""
_LENGTH_WITHIN_S: Final = 0.1


@attrs.frozen(kw_only=True)
class KnownSource:
    """
    A video of the kit, and the facts that probing it must find.

    Attributes:
        languages: The languages of the audio tracks by ISO 639-2; "" where there is
            none.
    """

    file: str
    duration_s: float
    stream_index: int
    size_px: tuple[int, int]
    frame_rate: Fraction
    sound_indices: tuple[int, ...]
    channels: tuple[int, ...]
    sample_rates_hz: tuple[int, ...]
    languages: tuple[str, ...]


TURNED: Final = KnownSource(
    file="turned.mp4",
    duration_s=7.2072,
    stream_index=0,
    # 96 x 64, and shown upright.
    size_px=(64, 96),
    frame_rate=Fraction(30_000, 1001),
    sound_indices=(1,),
    channels=(1,),
    sample_rates_hz=(44_100,),
    languages=("deu",),
)
WIDE: Final = KnownSource(
    file="wide.mp4",
    # The sound goes on until 8.4.
    duration_s=6.6,
    stream_index=1,
    # 64 x 96, of pixels that are twice as wide as high.
    size_px=(128, 96),
    frame_rate=Fraction(25),
    # The second track is the default one.
    sound_indices=(2, 0),
    channels=(1, 6),
    sample_rates_hz=(22_050, 48_000),
    languages=("fra", "eng"),
)
KNOWN: Final = (TURNED, WIDE)


def workspace_with(workspace: Workspace, file: str, folder: Path) -> Workspace:
    """Return a workspace in a new folder whose source is a copy of a video of the kit."""
    work = folder / "work"
    work.mkdir(parents=True)
    source = folder / file
    shutil.copyfile(_FOLDER / file, source)
    return attrs.evolve(workspace, source=source, folder=work)


def require_unchanged(source: Path) -> None:
    """Assert that a source is unchanged and that no file was written beside it."""
    assert source.read_bytes() == (_FOLDER / source.name).read_bytes(), (
        "the source was changed; it is to be read only"
    )
    beside = {one.name for one in source.parent.iterdir()} - {source.name, "work"}
    assert not beside, (
        f"{', '.join(sorted(beside))} was written beside the source; write into "
        "workspace.folder"
    )


def require_facts(found: SourceInfo, known: KnownSource) -> None:
    """Assert that probing has found the known facts of a source."""
    off_s = abs(found.duration_s - known.duration_s)
    assert off_s < _LENGTH_WITHIN_S, (
        f"SourceInfo.duration_s of {known.file} is {found.duration_s}; its pictures "
        f"last {known.duration_s} s"
    )
    size_bytes = (_FOLDER / known.file).stat().st_size
    assert found.size_bytes == size_bytes, (
        f"SourceInfo.size_bytes is {found.size_bytes}, and the file has {size_bytes}"
    )
    _require_pictures(found.video, known)
    for what, is_known, is_found in (
        ("stream_index", known.sound_indices, _each(found, "stream_index")),
        ("channels", known.channels, _each(found, "channels")),
        ("sample_rate_hz", known.sample_rates_hz, _each(found, "sample_rate_hz")),
    ):
        assert is_found == is_known, (
            f"AudioTrackInfo.{what} of {known.file}, the default track first, is "
            f"{is_known}; found: {is_found}"
        )
    for track, language in zip(found.audio, known.languages, strict=True):
        _require_language(track, language, known)


def _require_pictures(video: VideoTrackInfo, known: KnownSource) -> None:
    size_px = video.width_px, video.height_px
    assert size_px == known.size_px, (
        f"the pictures of {known.file} are {size_px[0]} x {size_px[1]} px; viewers see "
        f"{known.size_px[0]} x {known.size_px[1]}, turned and with square pixels"
    )
    assert video.stream_index == known.stream_index, (
        f"VideoTrackInfo.stream_index of {known.file} is {video.stream_index}; counted "
        f"over all streams it is {known.stream_index}"
    )
    off = abs(float(video.frame_rate) - float(known.frame_rate))
    assert off < _RATE_WITHIN, (
        f"VideoTrackInfo.frame_rate of {known.file} is {video.frame_rate}; it is "
        f"{known.frame_rate}"
    )


def _require_language(track: AudioTrackInfo, language: str, known: KnownSource) -> None:
    # Two letters are the same language (ISO 639-1), and it need not be told.
    said = track.language
    assert not said or said[:2] == language[:2], (
        f"AudioTrackInfo.language of {known.file} is {said!r}; it is {language!r}"
    )


def _each(found: SourceInfo, what: str) -> tuple[int, ...]:
    return tuple(getattr(track, what) for track in found.audio)
