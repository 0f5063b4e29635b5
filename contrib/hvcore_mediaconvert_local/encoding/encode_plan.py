"""The outputs that a job makes, in groups."""

from enum import StrEnum
from fractions import Fraction
from typing import Final
from urllib.parse import urlsplit

import attrs

FRAME_CAPTURE: Final = "FRAME_CAPTURE"
"""The codec of single pictures."""


class GroupKind(StrEnum):
    """The groups of outputs that can be made; the values are MediaConvert's."""

    CMAF = "CMAF_GROUP_SETTINGS"
    HLS = "HLS_GROUP_SETTINGS"
    FILE = "FILE_GROUP_SETTINGS"

    @property
    def settings_name(self) -> str:
        """The member of ``outputGroupSettings`` that has its settings."""
        return _SETTINGS_NAMES[self]

    @property
    def event_name(self) -> str:
        """The name of a kind of output group in events."""
        return self.value.removesuffix("_SETTINGS")


_SETTINGS_NAMES: Final = {
    GroupKind.CMAF: "cmafGroupSettings",
    GroupKind.HLS: "hlsGroupSettings",
    GroupKind.FILE: "fileGroupSettings",
}


@attrs.frozen(kw_only=True)
class VideoPlan:
    """
    One video stream.

    Attributes:
        codec: ``H_264``, ``H_265`` or FRAME_CAPTURE.
        width_px: None: by the height, or the source's.
        rate_mode: ``QVBR``, ``VBR`` or ``CBR``.
        bitrate: Bits a second; None with QVBR.
        gop_size: In frames, or in seconds; None lets the encoder choose.
        frame_rate: None: the source's.
        profile: MediaConvert's name; empty lets the encoder choose.
        tag: Of HEVC in MP4 (``hvc1`` or ``hev1``).
        max_captures: The most pictures of a capture; 0: all.
        quality: Of the pictures of a capture, 1 to 100.
    """

    codec: str
    width_px: int | None
    height_px: int | None
    scaling: str
    rate_mode: str
    bitrate: int | None
    max_bitrate: int | None
    quality_level: float
    gop_size: float | None
    is_gop_in_seconds: bool
    frame_rate: Fraction | None
    b_frames: int | None
    has_scene_cuts: bool
    profile: str
    tag: str
    max_captures: int = 0
    quality: int = 80

    @property
    def is_capture(self) -> bool:
        """Whether an output is single pictures."""
        return self.codec == FRAME_CAPTURE


@attrs.frozen(kw_only=True)
class AudioPlan:
    """
    One audio stream.

    Attributes:
        track: Of the source, from 0.
        bitrate: Bits a second; None: the encoder's choice.
        language: Three letters, or empty.
        is_matched: It is padded or trimmed to the length of the picture.
    """

    track: int
    bitrate: int | None
    sample_rate_hz: int
    channels: int
    language: str
    name: str
    is_matched: bool = False


@attrs.frozen(kw_only=True)
class OutputPlan:
    """
    One file, or one rendition of a group.

    Attributes:
        container: ``MP4``, ``MOV``, ``M3U8``, ``CMFC``, and ``RAW`` of captures.
        segment_modifier: Stands before the number of a segment (HLS).
        audio_group: That the rendition is in; empty: ``program_audio_0``.
        audio_sets: The groups of audio that go with this video; empty: all.
    """

    name_modifier: str
    container: str
    extension: str
    segment_modifier: str
    audio_group: str
    audio_sets: tuple[str, ...]
    is_default_audio: bool
    video: VideoPlan | None
    audios: tuple[AudioPlan, ...]


@attrs.frozen(kw_only=True)
class Destination:
    """
    The bucket and prefix of the files of a group.

    Attributes:
        key: What their keys begin with; it ends in a folder's ``/`` or in a name.
    """

    bucket: str
    key: str

    @classmethod
    def parse(cls, address: str, source: str) -> "Destination":
        """
        Read ``s3://bucket/folder/`` or ``s3://bucket/folder/name``.

        Args:
            source: The input, whose name is used where the address has none.
        """
        parts = urlsplit(address.replace("?", "%3F").replace("#", "%23"))
        key = address.removeprefix(f"s3://{parts.netloc}").lstrip("/")
        if not key or key.endswith("/"):
            name = urlsplit(source).path.rpartition("/")[2]
            key += name.rpartition(".")[0] or name
        return cls(bucket=parts.netloc, key=key)

    @property
    def name(self) -> str:
        """The beginning of the names of an output group's files."""
        return self.key.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The folder of an output group's files, with a ``/`` at its end."""
        return self.key.removesuffix(self.name)


@attrs.frozen(kw_only=True)
class GroupPlan:
    """
    Outputs that belong together.

    Attributes:
        segment_s: 0 for files.
        is_single_file: Segments are ranges of one file.
    """

    kind: GroupKind
    destination: Destination
    segment_s: int
    is_single_file: bool
    writes_hls: bool
    writes_dash: bool
    outputs: tuple[OutputPlan, ...]


@attrs.frozen(kw_only=True)
class EncodePlan:
    """
    A whole job.

    Attributes:
        rotate: What the input's ``videoSelector.rotate`` says; empty: nothing.
    """

    source: str
    rotate: str
    groups: tuple[GroupPlan, ...]

    @property
    def has_matched_audio(self) -> bool:
        """Whether the length of the picture must be known before."""
        outputs = (output for group in self.groups for output in group.outputs)
        return any(audio.is_matched for output in outputs for audio in output.audios)
