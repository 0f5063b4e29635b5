"""Routes of the page of environments."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.pages.environments import captions, renaming, resources
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

_PATH: Final = f"{ORG}/environments"
_ONE: Final = f"{_PATH}/{{env_id}}"

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        _PATH,
        resources.EnvironmentsPageResource,
        needs=Role.VIEWER,
        navigation=NavigationItem(
            section=Section.ORGANIZATION, title="Environments", icon="environments"
        ),
    ),
    PageRoute("POST", _PATH, resources.EnvironmentsPageResource, needs=Role.ADMIN),
    PageRoute("GET", _ONE, renaming.EnvironmentPageResource, needs=Role.ADMIN),
    PageRoute("POST", _ONE, renaming.EnvironmentPageResource, needs=Role.ADMIN),
    PageRoute(
        "POST",
        f"{_ONE}/captions",
        captions.EnvironmentCaptionsResource,
        needs=Role.ADMIN,
    ),
)
