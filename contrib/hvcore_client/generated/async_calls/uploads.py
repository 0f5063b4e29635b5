"""
Calls of the API: Uploads.

Written by hvcore_client_generator; do not change it by hand.
"""

from collections.abc import Mapping, Sequence

from hvcore_client.async_caller import AsyncCaller
from hvcore_client.generated import choices, models, operations


class AsyncUploadsCalls(AsyncCaller):
    """Uploads."""

    async def create_upload_url(
        self,
        *,
        file_name: str,
        allow_public_access: bool | None = None,
        video_quality: choices.Preset | None = None,
        file_size: int | None = None,
        content_type: choices.ContentType | None = None,
        video_name: str | None = None,
        description: str | None = None,
        max_edge_length: choices.MaxEdgeLength | None = None,
        max_frame_rate: int | None = None,
        pixel_format: choices.PixelFormat | None = None,
        rate_control_mode: choices.RateControl | None = None,
        two_pass_vbr_encoding: bool | None = None,
        compression_ratio: choices.Speed | None = None,
        audio_codec: choices.AudioCodec | None = None,
        generate_captions: Sequence[str] | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, str] | None = None,
        tags: Sequence[str] | None = None,
        allow_download: bool | None = None,
        parts: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.VideoUploadGrant:
        """
        Get an address to send a file to, which is processed on arrival.

        Needs the permission `videos:write`. Counts under the limit `upload-url`.

        Args:
            file_name: Name of the file; shown, never part of a path.
            allow_public_access: Whether it plays without a token. By default ``False``.
            video_quality: Which renditions are made. By default ``standard``.
            file_size: Bytes that the file must have; at most 5 GiB.
            content_type: Type of the file; recognised by its first bytes if missing.
            video_name: Name of the video; the file's without its ending if missing.
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
            parts: Whether it may be sent in parts, over 100 MiB and where the store
                can. By default ``False``.
            idempotency_key: The same key gives the first answer again; by default a new
                one.
        """
        return await self._call(
            operations.CREATE_UPLOAD_URL,
            {
                "file_name": file_name,
                "allow_public_access": allow_public_access,
                "video_quality": video_quality,
                "file_size": file_size,
                "content_type": content_type,
                "video_name": video_name,
                "description": description,
                "max_edge_length": max_edge_length,
                "max_frame_rate": max_frame_rate,
                "pixel_format": pixel_format,
                "rate_control_mode": rate_control_mode,
                "two_pass_vbr_encoding": two_pass_vbr_encoding,
                "compression_ratio": compression_ratio,
                "audio_codec": audio_codec,
                "generate_captions": generate_captions,
                "external_id": external_id,
                "metadata": metadata,
                "tags": tags,
                "allow_download": allow_download,
                "parts": parts,
                "idempotency_key": idempotency_key,
            },
        )

    async def complete_upload(self, video_id: str) -> models.ProcessedVideo:
        """
        Process an upload at once that was sent straight to the store.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            video_id: The video.
        """
        return await self._call(operations.COMPLETE_UPLOAD, {"video_id": video_id})

    async def create_video_from_url(
        self,
        *,
        file_name: str,
        video_url: str,
        allow_public_access: bool | None = None,
        video_quality: choices.Preset | None = None,
        file_size: int | None = None,
        content_type: choices.ContentType | None = None,
        video_name: str | None = None,
        description: str | None = None,
        max_edge_length: choices.MaxEdgeLength | None = None,
        max_frame_rate: int | None = None,
        pixel_format: choices.PixelFormat | None = None,
        rate_control_mode: choices.RateControl | None = None,
        two_pass_vbr_encoding: bool | None = None,
        compression_ratio: choices.Speed | None = None,
        audio_codec: choices.AudioCodec | None = None,
        generate_captions: Sequence[str] | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, str] | None = None,
        tags: Sequence[str] | None = None,
        allow_download: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.FetchedVideo:
        """
        Make a video of the file at an address.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            file_name: Name of the file; shown, never part of a path.
            video_url: https address from which the service fetches the file.
            allow_public_access: Whether it plays without a token. By default ``False``.
            video_quality: Which renditions are made. By default ``standard``.
            file_size: Bytes that the file must have; at most 5 GiB.
            content_type: Type of the file; recognised by its first bytes if missing.
            video_name: Name of the video; the file's without its ending if missing.
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
            idempotency_key: The same key gives the first answer again; by default a new
                one.
        """
        return await self._call(
            operations.CREATE_VIDEO_FROM_URL,
            {
                "file_name": file_name,
                "video_url": video_url,
                "allow_public_access": allow_public_access,
                "video_quality": video_quality,
                "file_size": file_size,
                "content_type": content_type,
                "video_name": video_name,
                "description": description,
                "max_edge_length": max_edge_length,
                "max_frame_rate": max_frame_rate,
                "pixel_format": pixel_format,
                "rate_control_mode": rate_control_mode,
                "two_pass_vbr_encoding": two_pass_vbr_encoding,
                "compression_ratio": compression_ratio,
                "audio_codec": audio_codec,
                "generate_captions": generate_captions,
                "external_id": external_id,
                "metadata": metadata,
                "tags": tags,
                "allow_download": allow_download,
                "idempotency_key": idempotency_key,
            },
        )

    async def download_file(
        self, *, source_url: str, idempotency_key: str | None = None
    ) -> models.FetchedFile:
        """
        Fetch the file at an address, to be processed.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            source_url: https address from which the service fetches the file.
            idempotency_key: The same key gives the first answer again; by default a new
                one.
        """
        return await self._call(
            operations.DOWNLOAD_FILE,
            {"source_url": source_url, "idempotency_key": idempotency_key},
        )

    async def create_resumable_upload(
        self,
        *,
        upload_length: int,
        upload_metadata: str,
        idempotency_key: str | None = None,
    ) -> models.ResumableUpload:
        """
        Create a resumable upload (tus 1.0), which is processed on arrival.

        Needs the permission `videos:write`. Counts under the limit `upload-url`.

        Args:
            idempotency_key: The same key gives the first answer again; by default a new
                one.
        """
        return await self._call(
            operations.CREATE_RESUMABLE_UPLOAD,
            {
                "upload_length": upload_length,
                "upload_metadata": upload_metadata,
                "idempotency_key": idempotency_key,
            },
        )

    async def get_resumable_upload_options(self) -> None:
        """
        Ask what resumable uploads can do.

        Needs no key.
        """
        return await self._call(operations.GET_RESUMABLE_UPLOAD_OPTIONS, {})
