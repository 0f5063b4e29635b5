"""
Calls of the API: Videos by organization.

Written by hvcore_client_generator; do not change it by hand.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Literal, overload

from hvcore_client.caller import Caller
from hvcore_client.generated import choices, models, operations
from hvcore_client.operation import NOT_SENT, NotSent


class VideosByOrganizationCalls(Caller):
    """Videos by organization."""

    def list_videos_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        page: int | None = None,
        page_size: int | None = None,
        sort_by: choices.SortBy | None = None,
        sort_dir: choices.SortDir | None = None,
        status: choices.VideoStatus | None = None,
        search: str | None = None,
        from_: date | str | None = None,
        to: date | str | None = None,
        external_id: str | None = None,
        tag: str | None = None,
        metadata: str | Sequence[str] | None = None,
        allow_public_access: bool | None = None,
        spoken: str | None = None,
    ) -> models.VideoList:
        """
        List an environment's videos.

        Needs the permission `videos:read`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            page: Number of the page, from 1. By default ``1``.
            page_size: Videos on a page. By default ``20``.
            sort_by: What to sort by. By default ``created_at``.
            sort_dir: Rising or falling. By default ``desc``.
            status: Only those in this state.
            search: Only those whose name contains this, in upper or lower case.
            from_: Only those created on this UTC day or later.
            to: Only those created on this UTC day or earlier.
            external_id: Only the one that has this external ID.
            tag: Only those with this tag.
            metadata: Only those whose metadata has this key with this value, such as
                `order:4711`; of several, all must hold.
            allow_public_access: Only those that play without a token, or only those
                that need one.
            spoken: Only those in which all of these words are said, by their captions
                in one language; each has `spokenHits`.
        """
        return self._call(
            operations.LIST_VIDEOS_IN_ENVIRONMENT,
            {
                "org_id": org_id,
                "env_id": env_id,
                "page": page,
                "page_size": page_size,
                "sort_by": sort_by,
                "sort_dir": sort_dir,
                "status": status,
                "search": search,
                "from_": from_,
                "to": to,
                "external_id": external_id,
                "tag": tag,
                "metadata": metadata,
                "allow_public_access": allow_public_access,
                "spoken": spoken,
            },
        )

    def iterate_videos_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        page_size: int | None = None,
        sort_by: choices.SortBy | None = None,
        sort_dir: choices.SortDir | None = None,
        status: choices.VideoStatus | None = None,
        search: str | None = None,
        from_: date | str | None = None,
        to: date | str | None = None,
        external_id: str | None = None,
        tag: str | None = None,
        metadata: str | Sequence[str] | None = None,
        allow_public_access: bool | None = None,
        spoken: str | None = None,
    ) -> Iterator[models.VideoSummary]:
        """
        Go through all videos of list_videos_in_environment, page by page.

        Needs the permission `videos:read`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            page_size: Videos on a page. By default ``20``.
            sort_by: What to sort by. By default ``created_at``.
            sort_dir: Rising or falling. By default ``desc``.
            status: Only those in this state.
            search: Only those whose name contains this, in upper or lower case.
            from_: Only those created on this UTC day or later.
            to: Only those created on this UTC day or earlier.
            external_id: Only the one that has this external ID.
            tag: Only those with this tag.
            metadata: Only those whose metadata has this key with this value, such as
                `order:4711`; of several, all must hold.
            allow_public_access: Only those that play without a token, or only those
                that need one.
            spoken: Only those in which all of these words are said, by their captions
                in one language; each has `spokenHits`.
        """
        return self._iterate(
            operations.LIST_VIDEOS_IN_ENVIRONMENT,
            {
                "org_id": org_id,
                "env_id": env_id,
                "page_size": page_size,
                "sort_by": sort_by,
                "sort_dir": sort_dir,
                "status": status,
                "search": search,
                "from_": from_,
                "to": to,
                "external_id": external_id,
                "tag": tag,
                "metadata": metadata,
                "allow_public_access": allow_public_access,
                "spoken": spoken,
            },
        )

    def get_video_details_in_organization(
        self, org_id: str, video_id: str
    ) -> models.VideoDetails:
        """
        Describe a video.

        Needs the permission `videos:read`.

        Args:
            org_id: The organization.
            video_id: The video.
        """
        return self._call(
            operations.GET_VIDEO_DETAILS_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id},
        )

    def get_video_conformance_in_organization(
        self, org_id: str, video_id: str
    ) -> models.ConformanceReport:
        """
        Get the findings of the check of a finished video.

        Needs the permission `videos:read`.

        Args:
            org_id: The organization.
            video_id: The video.
        """
        return self._call(
            operations.GET_VIDEO_CONFORMANCE_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id},
        )

    def delete_video_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        keep_hours: int | None = None,
        reason: choices.DeletionReason | None = None,
    ) -> models.Deletion:
        """
        Delete a video, for good or so that it can be restored for some hours.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
            keep_hours: How many hours the video can be restored; 0: its files are
                removed at once. By default ``0``.
            reason: Why it is deleted.
        """
        return self._call(
            operations.DELETE_VIDEO_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "keep_hours": keep_hours,
                "reason": reason,
            },
        )

    def update_video_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        if_match: str | None = None,
        video_name: str | NotSent | None = NOT_SENT,
        description: str | NotSent | None = NOT_SENT,
        allow_public_access: bool | NotSent | None = NOT_SENT,
        external_id: str | NotSent | None = NOT_SENT,
        metadata: Mapping[str, str | None] | NotSent | None = NOT_SENT,
        tags: Sequence[str] | NotSent | None = NOT_SENT,
        allow_download: bool | NotSent | None = NOT_SENT,
    ) -> models.VideoDetails:
        """
        Change a video's name, description, visibility or labels.

        Needs the permission `videos:write`.

        Args:
            org_id: The organization.
            video_id: The video.
            if_match: The `ETag` of the details that the change was made for: if one of
                their members was changed since, nothing is changed (412). Several may
                be sent, separated by commas.
            description: null removes it.
            external_id: null removes it.
            metadata: Keys that are not named stay; null removes a key, or all of them.
            tags: In place of all tags; null removes them.
            allow_download: Whether who may watch it may take it away, too.
        """
        return self._call(
            operations.UPDATE_VIDEO_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "if_match": if_match,
                "video_name": video_name,
                "description": description,
                "allow_public_access": allow_public_access,
                "external_id": external_id,
                "metadata": metadata,
                "tags": tags,
                "allow_download": allow_download,
            },
        )

    def list_deleted_videos_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        page: int | None = None,
        page_size: int | None = None,
    ) -> models.DeletedVideoList:
        """
        List the deleted videos that can be restored, the last deleted first.

        Needs the permission `videos:read`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            page: Number of the page, from 1. By default ``1``.
            page_size: Videos on a page. By default ``20``.
        """
        return self._call(
            operations.LIST_DELETED_VIDEOS_IN_ENVIRONMENT,
            {"org_id": org_id, "env_id": env_id, "page": page, "page_size": page_size},
        )

    def iterate_deleted_videos_in_environment(
        self, org_id: str, env_id: str, *, page_size: int | None = None
    ) -> Iterator[models.DeletedVideo]:
        """
        Go through all videos of list_deleted_videos_in_environment, page by page.

        Needs the permission `videos:read`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            page_size: Videos on a page. By default ``20``.
        """
        return self._iterate(
            operations.LIST_DELETED_VIDEOS_IN_ENVIRONMENT,
            {"org_id": org_id, "env_id": env_id, "page_size": page_size},
        )

    def restore_video_in_organization(
        self, org_id: str, video_id: str
    ) -> models.VideoDetails:
        """
        Restore a deleted video, with everything that it had.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
        """
        return self._call(
            operations.RESTORE_VIDEO_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id},
        )

    def retry_video_in_organization(
        self, org_id: str, video_id: str
    ) -> models.ProcessedVideo:
        """
        Process a failed video again, with the same settings.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
        """
        return self._call(
            operations.RETRY_VIDEO_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id},
        )

    def set_thumbnail_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        timestamp_seconds: float | None = None,
        content: str | bytes | None = None,
        content_type: str | None = None,
    ) -> models.Thumbnail:
        """
        Choose a video's picture: a moment of it, or one that is sent.

        Needs the permission `videos:write`. Counts under the limit `thumbnails`.

        Args:
            org_id: The organization.
            video_id: The video.
            timestamp_seconds: Where in the video the picture is taken.
            content: What is sent, instead of timestamp_seconds.
            content_type: One of image/jpeg, image/png; by default by its first bytes.
        """
        return self._call(
            operations.SET_THUMBNAIL_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "timestamp_seconds": timestamp_seconds,
                "content": content,
                "content_type": content_type,
            },
        )

    def get_caption_defaults_in_environment(
        self, org_id: str, env_id: str
    ) -> models.CaptionDefault:
        """
        Get which captions a machine makes of new videos.

        Needs the permission `videos:read`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
        """
        return self._call(
            operations.GET_CAPTION_DEFAULTS_IN_ENVIRONMENT,
            {"org_id": org_id, "env_id": env_id},
        )

    def set_caption_defaults_in_environment(
        self, org_id: str, env_id: str, *, languages: Sequence[str] | None = None
    ) -> models.CaptionDefault:
        """
        Set which captions a machine makes of new videos.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            languages: The languages that are spoken, auto for any; empty for no
                captions, null as the service does.
        """
        return self._call(
            operations.SET_CAPTION_DEFAULTS_IN_ENVIRONMENT,
            {"org_id": org_id, "env_id": env_id, "languages": languages},
        )

    def list_captions_in_organization(
        self, org_id: str, video_id: str
    ) -> models.CaptionList:
        """
        List a video's captions.

        Needs the permission `videos:read`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
        """
        return self._call(
            operations.LIST_CAPTIONS_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id},
        )

    def generate_captions_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        languages: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.CaptionList:
        """
        Order captions of a video by machine.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
            languages: The languages that are spoken; auto for any, which is the
                default.
            idempotency_key: The same key gives the first answer again; by default a new
                one.
        """
        return self._call(
            operations.GENERATE_CAPTIONS_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "languages": languages,
                "idempotency_key": idempotency_key,
            },
        )

    def cancel_captions_in_organization(
        self, org_id: str, video_id: str
    ) -> models.CaptionList:
        """
        Cancel captions by machine that are being made.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
        """
        return self._call(
            operations.CANCEL_CAPTIONS_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id},
        )

    @overload
    def get_transcript_in_organization(
        self, org_id: str, video_id: str, language: str, *, format: None = None
    ) -> models.Transcript: ...

    @overload
    def get_transcript_in_organization(
        self,
        org_id: str,
        video_id: str,
        language: str,
        *,
        format: Literal["text", "vtt", "srt"],
    ) -> str: ...

    def get_transcript_in_organization(
        self,
        org_id: str,
        video_id: str,
        language: str,
        *,
        format: Literal["text", "vtt", "srt"] | None = None,
    ) -> models.Transcript | str:
        """
        Get what is said in a video: JSON with words, text, WebVTT or SubRip.

        Needs the permission `videos:read`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
            language: A language tag, such as `en` or `pt-BR`.
            format: The format; by default that of the header Accept, or JSON.
        """
        return self._call(
            operations.GET_TRANSCRIPT_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "language": language,
                "format": format,
            },
        )

    def set_captions_in_organization(
        self,
        org_id: str,
        video_id: str,
        language: str,
        *,
        label: str | None = None,
        content: str | bytes,
        content_type: str | None = None,
    ) -> models.CaptionList:
        """
        Set a video's captions in a language: WebVTT or SubRip.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
            language: A language tag, such as `en` or `pt-BR`.
            label: The name that viewers see; by default the language's tag.
            content: What is sent.
            content_type: One of text/vtt, application/x-subrip, text/plain,
                application/octet-stream; by default by its first bytes.
        """
        return self._call(
            operations.SET_CAPTIONS_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "language": language,
                "label": label,
                "content": content,
                "content_type": content_type,
            },
        )

    def remove_captions_in_organization(
        self, org_id: str, video_id: str, language: str
    ) -> models.CaptionList:
        """
        Remove a video's captions in a language.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
            language: A language tag, such as `en` or `pt-BR`.
        """
        return self._call(
            operations.REMOVE_CAPTIONS_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id, "language": language},
        )

    def list_chapters_in_organization(
        self, org_id: str, video_id: str
    ) -> models.ChapterList:
        """
        List a video's chapters.

        Needs the permission `videos:read`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
        """
        return self._call(
            operations.LIST_CHAPTERS_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id},
        )

    def set_chapters_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        content: str | bytes,
        content_type: str | None = None,
    ) -> models.ChapterList:
        """
        Set a video's chapters: a WebVTT file, a cue for each.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
            content: What is sent.
            content_type: One of text/vtt, text/plain, application/octet-stream; by
                default by its first bytes.
        """
        return self._call(
            operations.SET_CHAPTERS_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "content": content,
                "content_type": content_type,
            },
        )

    def remove_chapters_in_organization(
        self, org_id: str, video_id: str
    ) -> models.ChapterList:
        """
        Remove a video's chapters.

        Needs the permission `videos:write`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
        """
        return self._call(
            operations.REMOVE_CHAPTERS_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id},
        )
