"""Routes of the upload page."""

from typing import Final

from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.access.roles import Role
from hvcore_dashboard.pages.uploads import resources
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        f"{ORG}/upload",
        resources.UploadPageResource,
        needs=Role.EDITOR,
        navigation=NavigationItem(
            section=Section.CONTENT, title="Upload", icon="upload"
        ),
    ),
    PageRoute(
        "POST",
        f"{ORG}/upload",
        resources.UploadPageResource,
        needs=Role.EDITOR,
        bucket=Bucket.VIDEO_OPERATIONS,
    ),
    PageRoute(
        "POST",
        f"{ORG}/upload/files",
        resources.UploadCreationResource,
        needs=Role.EDITOR,
        bucket=Bucket.UPLOAD_URL,
        is_for_scripts=True,
    ),
    PageRoute(
        "POST",
        f"{ORG}/upload/files/{{video_id}}",
        resources.UploadSettingsResource,
        needs=Role.EDITOR,
        is_for_scripts=True,
    ),
)
