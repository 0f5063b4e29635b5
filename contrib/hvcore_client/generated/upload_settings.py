"""
What can be said of a video when its file is uploaded.

Written by hvcore_client_generator; do not change it by hand.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict

from hvcore_client.generated import choices


class UploadSettings(TypedDict, total=False):
    """
    Settings of the video that an upload becomes; all may be left out.

    Attributes:
        file_name: Name of the file; shown, never part of a path.
        allow_public_access: Whether it plays without a token. By default ``False``.
        video_quality: Which renditions are made. By default ``standard``.
        content_type: Type of the file; recognised by its first bytes if missing.
        name: Name of the video; the file's without its ending if missing.
        description: Text about the video.
        max_edge_length: Cap of the short edge in pixels. By default ``-1``.
        max_frame_rate: Cap of the frames per second. By default ``-1``.
        pixel_format: Chroma sampling and bit depth. By default ``yuv420p``.
        rate_control_mode: How the bitrate adapts to the content. By default
            ``variableBitrate``.
        two_pass_vbr_encoding: Encode twice for a steadier quality. By default
            ``False``.
        compression_ratio: Speed of the encoder; slower makes smaller files. By
            default ``veryfast``.
        audio_codec: Codec of the sound. By default ``aac``.
        generate_captions: Captions by machine: the spoken languages or auto; true
            is auto alone.
        external_id: What you call the video; no other one of the environment may
            have it.
        metadata: Keys and texts that are kept with the video; at most 4 KB.
        tags: Words by which lists are filtered.
        allow_download: Whether who may watch it may take it away, too. By default
            ``False``.
    """

    file_name: str
    allow_public_access: bool | None
    video_quality: choices.Preset | None
    content_type: choices.ContentType | None
    name: str | None
    description: str | None
    max_edge_length: choices.MaxEdgeLength | None
    max_frame_rate: int | None
    pixel_format: choices.PixelFormat | None
    rate_control_mode: choices.RateControl | None
    two_pass_vbr_encoding: bool | None
    compression_ratio: choices.Speed | None
    audio_codec: choices.AudioCodec | None
    generate_captions: Sequence[str] | None
    external_id: str | None
    metadata: Mapping[str, str] | None
    tags: Sequence[str] | None
    allow_download: bool | None


SENT_AS: Final[Mapping[str, str]] = {
    "file_name": "fileName",
    "allow_public_access": "allowPublicAccess",
    "video_quality": "videoQuality",
    "content_type": "contentType",
    "name": "videoName",
    "description": "description",
    "max_edge_length": "maxEdgeLength",
    "max_frame_rate": "maxFrameRate",
    "pixel_format": "pixelFormat",
    "rate_control_mode": "rateControlMode",
    "two_pass_vbr_encoding": "twoPassVBREncoding",
    "compression_ratio": "compressionRatio",
    "audio_codec": "audioCodec",
    "generate_captions": "generateCaptions",
    "external_id": "externalID",
    "metadata": "metadata",
    "tags": "tags",
    "allow_download": "allowDownload",
}
"""Names of members by those of settings."""
