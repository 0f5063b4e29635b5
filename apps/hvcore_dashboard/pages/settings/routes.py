"""Routes of the settings of an organization."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.pages.settings import resources
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

_PATH: Final = f"{ORG}/settings"

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        _PATH,
        resources.SettingsPageResource,
        needs=Role.ADMIN,
        navigation=NavigationItem(
            section=Section.ORGANIZATION, title="Settings", icon="settings"
        ),
    ),
    PageRoute("POST", _PATH, resources.SettingsPageResource, needs=Role.ADMIN),
)
