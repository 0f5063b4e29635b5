"""
Where a person begins.
"""

from typing import Final

from hv_dashboard.resources import organizations
from hv_dashboard.routing import ROOT, Audience, PageRoute

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
