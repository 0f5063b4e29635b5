"""The list of videos."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.resources import videos
from hvcore_dashboard.routing import ORG, VIDEO, NavigationItem, PageRoute, Section

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        f"{ORG}/videos",
        videos.VideosPageResource,
        needs=Role.VIEWER,
        navigation=NavigationItem(
            section=Section.CONTENT, title="Videos", icon="videos"
        ),
    ),
    PageRoute(
        "GET",
        f"{ORG}/videos/progress",
        videos.VideoProgressResource,
        needs=Role.VIEWER,
    ),
    PageRoute(
        "POST",
        f"{ORG}/videos/delete",
        videos.VideoDeletionsResource,
        needs=Role.EDITOR,
    ),
    PageRoute(
        "GET",
        f"{VIDEO}/state",
        videos.VideoStateResource,
        needs=Role.VIEWER,
    ),
    PageRoute(
        "GET",
        f"{VIDEO}/storyboard",
        videos.StoryboardAddressResource,
        needs=Role.VIEWER,
        is_for_scripts=True,
    ),
)
