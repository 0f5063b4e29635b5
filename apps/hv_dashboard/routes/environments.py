"""
Environments.
"""

from typing import Final

from hv_dashboard.resources import environments
from hv_dashboard.routing import ORG, NavigationItem, PageRoute, Section
from hvcore.domain.access.roles import Role

_PATH: Final = f"{ORG}/environments"

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        _PATH,
        environments.EnvironmentsPageResource,
        needs=Role.VIEWER,
        navigation=NavigationItem(
            section=Section.ORGANIZATION, title="Environments", icon="environments"
        ),
    ),
    PageRoute("POST", _PATH, environments.EnvironmentsPageResource, needs=Role.ADMIN),
)
