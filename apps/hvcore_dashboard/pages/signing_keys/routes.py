"""Routes of signing keys, with which an organization's own servers sign playback tokens."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.pages.signing_keys import resources
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

_KEYS: Final = f"{ORG}/signing-keys"

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        _KEYS,
        resources.SigningKeysPageResource,
        needs=Role.ADMIN,
        navigation=NavigationItem(
            section=Section.DEVELOPERS, title="Signing keys", icon="sign"
        ),
    ),
    PageRoute("POST", _KEYS, resources.SigningKeysPageResource, needs=Role.ADMIN),
    PageRoute(
        "POST",
        f"{_KEYS}/{{key_id}}/revoke",
        resources.SigningKeyRevocationPageResource,
        needs=Role.ADMIN,
    ),
)
