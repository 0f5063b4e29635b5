"""Routes of the pages of API keys."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.pages.keys import changes, resources
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

_KEY: Final = f"{ORG}/keys/{{key_id}}"

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        f"{ORG}/keys",
        resources.KeysPageResource,
        needs=Role.ADMIN,
        navigation=NavigationItem(
            section=Section.DEVELOPERS, title="API keys", icon="keys"
        ),
    ),
    PageRoute("GET", f"{ORG}/keys/new", changes.NewKeyPageResource, needs=Role.ADMIN),
    PageRoute("POST", f"{ORG}/keys/new", changes.NewKeyPageResource, needs=Role.ADMIN),
    PageRoute("GET", _KEY, resources.KeyPageResource, needs=Role.ADMIN),
    PageRoute(
        "POST", f"{_KEY}/rotate", changes.KeyRotationPageResource, needs=Role.ADMIN
    ),
    PageRoute(
        "POST",
        f"{_KEY}/revoke",
        changes.KeyRevocationPageResource,
        needs=Role.ADMIN,
    ),
)
