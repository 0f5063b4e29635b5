"""
The JSON bodies of API requests: a class for each request, which declares its fields.

Source: the interface document, "Endpoints": one class per request table, its fields in the
table's order, and after them those that later decisions added.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import attrs

from hvcore.domain.limits import (
    MAX_DESCRIPTION_CHARS,
    MAX_FRAME_RATE_CAP,
    MAX_NAME_CHARS,
    MAX_UPLOAD_BYTES,
    MIN_FRAME_RATE_CAP,
)
from hvcore.domain.processing.encoding import (
    EDGE_LENGTHS,
    AudioCodec,
    EncodingSettings,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
)
from hvcore.domain.processing.transcoding import Capabilities
from hvcore.domain.uploads.content_types import DEFAULT_CONTENT_TYPE
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.deletion import DeletionReason
from hvcore.domain.videos.video import VideoWanted
from hvcore.errors import (
    InvalidFileSizeError,
    InvalidGcsPathError,
    InvalidQualityPresetError,
    UnsupportedFormatError,
)
from hvcore.wire.converter import Check, LateFieldError, group, optional, required
from hvcore.wire.kinds import NOT_READABLE, Cap, Flag, Integer, Text, member_of
from hvcore.wire.uploads.content_type import AnnouncedType
from hvcore.wire.videos.caption_wishes import CaptionsWanted
from hvcore.wire.videos.labels import LabelFields

NAME: Final = Text(max_chars=MAX_NAME_CHARS)
DESCRIPTION: Final = Text(min_chars=0, max_chars=MAX_DESCRIPTION_CHARS)
FILE_SIZE: Final = Integer(minimum=1, maximum=MAX_UPLOAD_BYTES)
CONTENT_TYPE: Final = AnnouncedType()
QUALITY: Final = member_of(Preset)
DOWNLOADS: Final = "Whether who may watch it may take it away, too."
GENERATE_CAPTIONS: Final = "generateCaptions"
PARTS: Final = "Whether it may be sent in parts, over 100 MiB and where the store can."


@attrs.frozen(kw_only=True)
class EncodingFields:
    """Declare the optional encoding fields of a process request."""

    max_edge_px: int | None = optional(
        "maxEdgeLength",
        Cap(
            name="MaxEdgeLength",
            allowed=EDGE_LENGTHS,
            described=f"one of {EDGE_LENGTHS}",
        ),
        None,
        about="Cap of the short edge in pixels.",
    )
    max_frame_rate: int | None = optional(
        "maxFrameRate",
        Cap(
            name="MaxFrameRate",
            allowed=range(MIN_FRAME_RATE_CAP, MAX_FRAME_RATE_CAP + 1),
            described=f"from {MIN_FRAME_RATE_CAP} to {MAX_FRAME_RATE_CAP}",
        ),
        None,
        about="Cap of the frames per second.",
    )
    pixel_format: PixelFormat = optional(
        "pixelFormat",
        member_of(PixelFormat),
        PixelFormat.YUV420P,
        about="Chroma sampling and bit depth.",
    )
    rate_control: RateControl = optional(
        "rateControlMode",
        member_of(RateControl),
        RateControl.VARIABLE,
        about="How the bitrate adapts to the content.",
    )
    two_pass: bool = optional(
        "twoPassVBREncoding",
        Flag(),
        default=False,
        about="Encode twice for a steadier quality.",
    )
    speed: Speed = optional(
        "compressionRatio",
        member_of(Speed),
        Speed.VERYFAST,
        about="Speed of the encoder; slower makes smaller files.",
    )
    audio_codec: AudioCodec = optional(
        "audioCodec",
        member_of(AudioCodec),
        AudioCodec.AAC,
        about="Codec of the sound.",
    )
    caption_languages: tuple[str, ...] | None = optional(
        GENERATE_CAPTIONS,
        CaptionsWanted(),
        None,
        about="Captions by machine: the spoken languages or auto; true is auto alone.",
    )

    def settings(self, preset: Preset) -> EncodingSettings:
        """Return the encoding settings that the request asks for; the preset gives what the request leaves out."""
        return EncodingSettings(
            preset=preset,
            max_edge_px=self.max_edge_px,
            max_frame_rate=self.max_frame_rate,
            pixel_format=self.pixel_format,
            rate_control=self.rate_control,
            two_pass=self.two_pass,
            speed=self.speed,
            audio_codec=self.audio_codec,
            caption_languages=self.caption_languages,
        )


@attrs.frozen(kw_only=True)
class UploadUrlRequest:
    """Declare the fields of an upload-url request, in endpoint family A."""

    file_name: str = required(
        "filename",
        NAME,
        about="Name of the file; shown, never part of a path.",
    )
    size_bytes: int = required(
        "fileSize",
        FILE_SIZE,
        error=InvalidFileSizeError,
        about="Bytes that will be sent; at most 5 GiB.",
    )
    content_type: str | None = optional(
        "contentType",
        CONTENT_TYPE,
        DEFAULT_CONTENT_TYPE,
        error=UnsupportedFormatError,
        about="Content type with which the file will be sent.",
    )
    description: str | None = optional(
        "description",
        DESCRIPTION,
        None,
        about="Text about the video.",
    )
    wants_parts: bool = optional("parts", Flag(), default=False, about=PARTS)

    def file_wanted(self) -> FileWanted:
        return FileWanted(
            file_name=self.file_name,
            content_type=self.content_type or DEFAULT_CONTENT_TYPE,
            size_bytes=self.size_bytes,
            description=self.description,
            wants_parts=self.wants_parts,
        )


@attrs.frozen(kw_only=True)
class NewVideoFields:
    """Declare the fields about a file and its new video in requests of endpoint family B."""

    is_public: bool = optional(
        "allowPublicAccess",
        Flag(),
        default=False,
        about="Whether it plays without a token.",
    )
    quality: Preset = optional(
        "videoQuality",
        QUALITY,
        Preset.STANDARD,
        error=InvalidQualityPresetError,
        about="Which renditions are made.",
    )
    size_bytes: int | None = optional(
        "fileSize",
        FILE_SIZE,
        None,
        error=InvalidFileSizeError,
        about="Bytes that the file must have; at most 5 GiB.",
    )
    content_type: str | None = optional(
        "contentType",
        CONTENT_TYPE,
        None,
        error=UnsupportedFormatError,
        about="Type of the file; recognised by its first bytes if missing.",
    )
    name: str | None = optional(
        "videoName",
        NAME,
        None,
        about="Name of the video; the file's without its ending if missing.",
    )
    description: str | None = optional(
        "description",
        DESCRIPTION,
        None,
        about="Text about the video.",
    )
    encoding: EncodingFields = group(EncodingFields)
    labels: LabelFields = group(LabelFields)
    allows_download: bool = optional(
        "allowDownload", Flag(), default=False, about=DOWNLOADS
    )

    def file_wanted(self, file_name: str) -> FileWanted:
        """Return the description of the file that the caller will upload."""
        return FileWanted(
            file_name=file_name,
            content_type=self.content_type,
            size_bytes=self.size_bytes,
        )

    def video_wanted(self) -> VideoWanted:
        return _video_wanted(self)


@attrs.frozen(kw_only=True)
class VideoUploadRequest:
    """Declare the fields of an upload-url request, in endpoint family B: the file and its video."""

    file_name: str = required(
        "fileName",
        NAME,
        about="Name of the file; shown, never part of a path.",
    )
    video: NewVideoFields = group(NewVideoFields)
    wants_parts: bool = optional("parts", Flag(), default=False, about=PARTS)

    def file_wanted(self) -> FileWanted:
        file = self.video.file_wanted(self.file_name)
        return attrs.evolve(file, wants_parts=self.wants_parts)


@attrs.frozen(kw_only=True)
class ProcessRequest:
    """Declare the fields of a process request, below ``/v1`` and ``/v1/api/{orgID}``."""

    path: str = required(
        "gcsPath",
        Text(max_chars=MAX_NAME_CHARS),
        error=InvalidGcsPathError,
        about="The `bucketPath` of an upload.",
    )
    quality: Preset = required(
        "videoQuality",
        QUALITY,
        error=InvalidQualityPresetError,
        about="Which renditions are made.",
    )
    is_public: bool = required(
        "allowPublicAccess",
        Flag(),
        about="Whether it plays without a token.",
    )
    name: str | None = optional(
        "videoName",
        NAME,
        None,
        about="Name of the video; the file's without its ending if missing.",
    )
    encoding: EncodingFields = group(EncodingFields)
    description: str | None = optional(
        "description",
        DESCRIPTION,
        None,
        about="Text about the video.",
    )
    labels: LabelFields = group(LabelFields)
    allows_download: bool = optional(
        "allowDownload", Flag(), default=False, about=DOWNLOADS
    )

    def video_wanted(self) -> VideoWanted:
        return _video_wanted(self)


@attrs.frozen(kw_only=True)
class DeleteRequest:
    """Declare the fields of a delete request, below ``/v1`` and ``/v1/api/{orgID}``; the body is optional."""

    reason: DeletionReason | None = optional(
        "reason",
        member_of(DeletionReason),
        None,
        about="Why it is deleted.",
    )


def possible_with(
    able: Capabilities, caption_refusal: Callable[[Sequence[str]], str]
) -> Check:
    """
    Return the check that refuses values which this deployment's encoder or transcriber lacks.

    Only values that the caller sent are refused: a missing default shows in
    ``/health``.

    Args:
        caption_refusal: Returns why captions in some languages cannot be made by machine, to
            follow the field's name; "" if they can.
    """
    abilities: Mapping[str, frozenset[object]] = {
        "pixelFormat": frozenset({*able.pixel_formats, PixelFormat.AUTO_DETECT}),
        "compressionRatio": frozenset(able.speeds),
        "audioCodec": frozenset(able.audio_codecs),
    }

    def check(given: Mapping[str, object]) -> Iterable[LateFieldError]:
        for name, possible in abilities.items():
            if name in given and given[name] not in possible:
                yield LateFieldError(
                    name=name,
                    rule=f"is not available here: the transcoder {able.name} lacks it",
                    status=NOT_READABLE,
                )
        wishes = given.get(GENERATE_CAPTIONS)
        if isinstance(wishes, tuple) and wishes:
            refusal = caption_refusal(wishes)
            if refusal:
                yield LateFieldError(
                    name=GENERATE_CAPTIONS, rule=refusal, status=NOT_READABLE
                )

    return check


def _video_wanted(fields: NewVideoFields | ProcessRequest) -> VideoWanted:
    return VideoWanted(
        settings=fields.encoding.settings(fields.quality),
        is_public=fields.is_public,
        name=fields.name,
        description=fields.description,
        labels=fields.labels.labels(),
        allows_download=fields.allows_download,
    )
