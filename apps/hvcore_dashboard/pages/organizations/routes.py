"""Routes of the first page after signing in, and of organizations."""

from typing import Final

from hvcore_dashboard.pages.organizations import resources
from hvcore_dashboard.routing import ROOT, Audience, PageRoute

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        ROOT,
        resources.StartWithoutSlashResource,
        needs=Audience.SIGNED_IN,
    ),
    PageRoute(
        "GET",
        f"{ROOT}/",
        resources.StartResource,
        needs=Audience.SIGNED_IN,
    ),
)
