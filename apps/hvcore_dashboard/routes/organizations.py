"""Routes of organizations, and of the first page of a person."""

from typing import Final

from hvcore_dashboard.resources import organizations
from hvcore_dashboard.routing import ROOT, Audience, PageRoute

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        ROOT,
        organizations.StartWithoutSlashResource,
        needs=Audience.SIGNED_IN,
    ),
    PageRoute(
        "GET",
        f"{ROOT}/",
        organizations.StartResource,
        needs=Audience.SIGNED_IN,
    ),
)
