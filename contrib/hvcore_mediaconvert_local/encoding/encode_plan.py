"""Describe the outputs that a job makes, by output group."""

from enum import StrEnum
from fractions import Fraction
from typing import Final
from urllib.parse import urlsplit

import attrs

FRAME_CAPTURE: Final = "FRAME_CAPTURE"
"""MediaConvert's name of the codec of outputs that are single pictures."""


class GroupKind(StrEnum):
    """Name the kinds of output groups that can be made, by MediaConvert's values."""

    CMAF = "CMAF_GROUP_SETTINGS"
    HLS = "HLS_GROUP_SETTINGS"
    FILE = "FILE_GROUP_SETTINGS"

    @property
    def settings_name(self) -> str:
        """The member of ``outputGroupSettings`` with the settings of this kind of group."""
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
    Describe the video stream of an output.

    Attributes:
        codec: ``H_264``, ``H_265`` or FRAME_CAPTURE.
        width_px: The width; None to follow the height, or the source.
        rate_mode: The rate control: ``QVBR``, ``VBR`` or ``CBR``.
        bitrate: The bitrate in bit/s; None with QVBR.
        gop_size: The distance of key frames, in frames or in seconds; None to let the
            encoder choose.
        frame_rate: The frame rate; None for the source's.
        profile: MediaConvert's name of the profile; "" to let the encoder choose.
        tag: The sample entry of HEVC in MP4: ``hvc1`` or ``hev1``.
        max_captures: The most pictures of a FRAME_CAPTURE; 0 for all.
        quality: The quality of the pictures of a FRAME_CAPTURE, 1 to 100.
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
        """Whether the output is single pictures instead of a video."""
        return self.codec == FRAME_CAPTURE


@attrs.frozen(kw_only=True)
class AudioPlan:
    """
    Describe an audio stream of an output.

    Attributes:
        track: The number of the source's audio track, from 0.
        bitrate: The bitrate in bit/s; None to let the encoder choose.
        language: The language code of three letters; "" if none is given.
        is_matched: Whether the audio is padded or trimmed to the length of the pictures.
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
    Describe an output of a group: one file, or one rendition.

    Attributes:
        name_modifier: The text that follows the group's name in the output's file names.
        container: ``MP4``, ``MOV``, ``M3U8``, ``CMFC``, or ``RAW`` for single pictures.
        segment_modifier: The text before the number in the names of HLS segments.
        audio_group: The group of audio renditions that this rendition belongs to; "" for
            ``program_audio_0``.
        audio_sets: The groups of audio renditions that go with this video; empty for all.
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
    Hold the bucket and the prefix of the files of an output group.

    Attributes:
        key: The beginning of the files' keys: a folder and the beginning of the names.
    """

    bucket: str
    key: str

    @classmethod
    def parse(cls, address: str, source: str) -> "Destination":
        """
        Read ``s3://bucket/folder/`` or ``s3://bucket/folder/name``.

        Args:
            source: The address of the input, whose file name is used if the destination
                ends with a folder.
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
    Describe an output group.

    Attributes:
        segment_s: The length of a segment; 0 for groups of files.
        is_single_file: Whether the segments of a rendition are ranges of one file.
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
    Describe the input and all output groups of a job.

    Attributes:
        source: The address of the input.
        rotate: The value of the input's ``videoSelector.rotate``; "" if there is none.
    """

    source: str
    rotate: str
    groups: tuple[GroupPlan, ...]

    @property
    def has_matched_audio(self) -> bool:
        """Whether any audio is matched, so that the pictures' length must be known first."""
        outputs = (output for group in self.groups for output in group.outputs)
        return any(audio.is_matched for output in outputs for audio in output.audios)
