"""Routes of the pages of one video."""

from typing import Final

from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.access.roles import Role
from hvcore.domain.limits import MAX_PICTURE_BYTES
from hvcore.domain.videos.captions import MAX_CAPTION_BYTES, MAX_WRITTEN_BYTES
from hvcore.domain.videos.chapter_file import MAX_CHAPTER_FILE_BYTES
from hvcore_dashboard.pages.video import (
    analytics,
    caption_editor,
    caption_files,
    caption_jobs,
    captions,
    chapters,
    downloads,
    embed,
    events,
    explain,
    overview,
    picture,
    sharing,
)
from hvcore_dashboard.routing import VIDEO, PageRoute, SentFileRule

_PICTURE: Final = SentFileRule(
    max_bytes=MAX_PICTURE_BYTES,
    # 1.4 Mbit/s, as the API allows.
    within_s=60.0,
    slots=lambda services: services.custom_thumbnails.receiving,
)
_CAPTIONS: Final = SentFileRule(
    max_bytes=MAX_CAPTION_BYTES,
    # 560 kbit/s, likewise.
    within_s=30.0,
    slots=lambda services: services.captions.receiving,
)
_EDITED_CAPTIONS: Final = SentFileRule(
    # The text of a form, in which browsers end each line with two bytes.
    max_bytes=MAX_WRITTEN_BYTES,
    # 560 kbit/s for the longest text, likewise.
    within_s=60.0,
    slots=lambda services: services.captions.receiving,
)
_CHAPTERS: Final = SentFileRule(
    max_bytes=MAX_CHAPTER_FILE_BYTES,
    # 140 kbit/s, likewise.
    within_s=30.0,
    slots=lambda services: services.chapters.receiving,
)


def _shown(path: str, resource: type) -> PageRoute:
    return PageRoute("GET", f"{VIDEO}{path}", resource, needs=Role.VIEWER)


def _changed(
    path: str,
    resource: type,
    bucket: Bucket | None = Bucket.VIDEO_OPERATIONS,
    file: SentFileRule | None = None,
) -> PageRoute:
    return PageRoute(
        "POST",
        f"{VIDEO}{path}",
        resource,
        needs=Role.EDITOR,
        bucket=bucket,
        file=file,
    )


ROUTES: Final[tuple[PageRoute, ...]] = (
    _shown("", overview.VideoPageResource),
    _changed("", overview.VideoPageResource, bucket=None),
    _shown("/facts", overview.VideoFactsFragmentResource),
    PageRoute(
        "GET",
        f"{VIDEO}/player",
        overview.PlayerAddressResource,
        needs=Role.VIEWER,
        is_for_scripts=True,
    ),
    _changed("/retry", overview.VideoRetryPageResource),
    _changed("/delete", overview.VideoDeletionPageResource),
    _shown("/download/{name}", downloads.VideoDownloadResource),
    _shown("/chapters", chapters.ChaptersPageResource),
    _changed("/chapters", chapters.ChaptersPageResource, file=_CHAPTERS),
    _shown("/captions", captions.CaptionsPageResource),
    _changed("/captions", captions.CaptionsPageResource, file=_CAPTIONS),
    _changed("/captions/remove", captions.CaptionsRemovalResource),
    _shown("/captions/jobs", caption_jobs.CaptionJobsResource),
    _changed("/captions/generate", caption_jobs.CaptionOrderResource),
    _changed("/captions/cancel", caption_jobs.CaptionCancellationResource),
    _shown("/captions/{language}", captions.CaptionsPreviewFragmentResource),
    _shown("/captions/{language}/files/{form}", caption_files.CaptionDownloadResource),
    PageRoute(
        "GET",
        f"{VIDEO}/captions/{{language}}/edit",
        caption_editor.CaptionEditorResource,
        needs=Role.EDITOR,
    ),
    _changed(
        "/captions/{language}/edit",
        caption_editor.CaptionEditorResource,
        file=_EDITED_CAPTIONS,
    ),
    _shown("/picture", picture.PicturePageResource),
    _changed("/picture", picture.PicturePageResource, Bucket.THUMBNAILS, file=_PICTURE),
    _shown("/picture/now", picture.PictureFragmentResource),
    _shown("/sharing", sharing.SharingPageResource),
    _changed("/sharing", sharing.SharingPageResource),
    _changed("/sharing/revoke-share", sharing.ShareLinkRevocationResource),
    _changed("/sharing/mail-share", sharing.ShareLinkMailResource),
    _changed("/sharing/revoke-edge-key", sharing.EdgeKeyRevocationResource),
    _shown("/embed", embed.EmbedTabResource),
    _changed("/embed", embed.EmbedTabResource),
    _shown("/analytics", analytics.VideoAnalyticsTabResource),
    _shown("/analytics/file", analytics.VideoAnalyticsFileResource),
    _shown("/viewers", analytics.VideoViewersFragmentResource),
    _shown("/events", events.VideoEventsTabResource),
    _shown("/explain", explain.ExplainTabResource),
    # A question, but the address that it is about may hold a token.
    PageRoute(
        "POST", f"{VIDEO}/explain", explain.ExplainTabResource, needs=Role.VIEWER
    ),
)
