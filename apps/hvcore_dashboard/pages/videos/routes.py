"""Routes of the list of videos."""

from typing import Final

from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.access.roles import Role
from hvcore_dashboard.pages.videos import bin as deleted
from hvcore_dashboard.pages.videos import resources, thumbnails
from hvcore_dashboard.routing import ORG, VIDEO, NavigationItem, PageRoute, Section

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        f"{ORG}/videos",
        resources.VideosPageResource,
        needs=Role.VIEWER,
        navigation=NavigationItem(
            section=Section.CONTENT, title="Videos", icon="videos"
        ),
    ),
    PageRoute(
        "GET",
        f"{ORG}/videos/progress",
        resources.VideoProgressResource,
        needs=Role.VIEWER,
    ),
    PageRoute(
        "GET",
        f"{ORG}/videos/uploading",
        resources.ArrivingUploadsResource,
        needs=Role.VIEWER,
    ),
    PageRoute(
        "POST",
        f"{ORG}/videos/delete",
        resources.VideoDeletionsResource,
        needs=Role.EDITOR,
    ),
    PageRoute(
        "GET", f"{ORG}/videos/deleted", deleted.BinPageResource, needs=Role.EDITOR
    ),
    PageRoute(
        "POST",
        f"{ORG}/videos/restore",
        deleted.VideoRestoresResource,
        needs=Role.EDITOR,
    ),
    PageRoute(
        "POST",
        f"{ORG}/videos/deleted/delete",
        deleted.BinnedVideoDeletionResource,
        needs=Role.EDITOR,
        bucket=Bucket.VIDEO_OPERATIONS,
    ),
    PageRoute(
        "GET",
        f"{VIDEO}/state",
        resources.VideoStateResource,
        needs=Role.VIEWER,
    ),
    PageRoute(
        "GET",
        f"{VIDEO}/storyboard",
        resources.StoryboardAddressResource,
        needs=Role.VIEWER,
        is_for_scripts=True,
    ),
    PageRoute(
        "GET",
        f"{VIDEO}/t/{{name}}",
        thumbnails.ThumbnailAddressResource,
        needs=Role.VIEWER,
        is_for_scripts=True,
    ),
)
