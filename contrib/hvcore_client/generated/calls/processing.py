"""
Calls of the API: Processing.

Written by hvcore_client_generator; do not change it by hand.
"""

from collections.abc import Mapping, Sequence

from hvcore_client.caller import Caller
from hvcore_client.generated import choices, models, operations


class ProcessingCalls(Caller):
    """Processing."""

    def process_video(
        self,
        *,
        gcs_path: str,
        video_quality: choices.Preset,
        allow_public_access: bool,
        video_name: str | None = None,
        max_edge_length: choices.MaxEdgeLength | None = None,
        max_frame_rate: int | None = None,
        pixel_format: choices.PixelFormat | None = None,
        rate_control_mode: choices.RateControl | None = None,
        two_pass_vbr_encoding: bool | None = None,
        compression_ratio: choices.Speed | None = None,
        audio_codec: choices.AudioCodec | None = None,
        generate_captions: Sequence[str] | None = None,
        description: str | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, str] | None = None,
        tags: Sequence[str] | None = None,
        allow_download: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.ProcessedVideo:
        """
        Make a video of uploaded bytes.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            gcs_path: The `bucketPath` of an upload.
            video_quality: Which renditions are made.
            allow_public_access: Whether it plays without a token.
            video_name: Name of the video; the file's without its ending if missing.
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
            description: Text about the video.
            external_id: What you call the video; no other one of the environment may
                have it.
            metadata: Keys and texts that are kept with the video; at most 4 KB.
            tags: Words by which lists are filtered.
            allow_download: Whether who may watch it may take it away, too. By default
                ``False``.
            idempotency_key: The same key gives the first answer again; by default a new
                one.
        """
        return self._call(
            operations.PROCESS_VIDEO,
            {
                "gcs_path": gcs_path,
                "video_quality": video_quality,
                "allow_public_access": allow_public_access,
                "video_name": video_name,
                "max_edge_length": max_edge_length,
                "max_frame_rate": max_frame_rate,
                "pixel_format": pixel_format,
                "rate_control_mode": rate_control_mode,
                "two_pass_vbr_encoding": two_pass_vbr_encoding,
                "compression_ratio": compression_ratio,
                "audio_codec": audio_codec,
                "generate_captions": generate_captions,
                "description": description,
                "external_id": external_id,
                "metadata": metadata,
                "tags": tags,
                "allow_download": allow_download,
                "idempotency_key": idempotency_key,
            },
        )
