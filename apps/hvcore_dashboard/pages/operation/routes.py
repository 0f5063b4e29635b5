"""Routes of the operators' pages."""

from typing import Final

from hvcore_dashboard.pages.operation import system, tenants
from hvcore_dashboard.routing import ROOT, Audience, NavigationItem, PageRoute, Section

_SYSTEM: Final = f"{ROOT}/system"
_ORGANIZATIONS: Final = f"{ROOT}/organizations"
_ONE: Final = f"{_ORGANIZATIONS}/{{org_id}}"


def _operators(
    method: str, path: str, resource: type, navigation: NavigationItem | None = None
) -> PageRoute:
    return PageRoute(
        method, path, resource, needs=Audience.OPERATORS, navigation=navigation
    )


ROUTES: Final[tuple[PageRoute, ...]] = (
    _operators(
        "GET",
        _SYSTEM,
        system.SystemPageResource,
        NavigationItem(section=Section.OPERATION, title="System", icon="system"),
    ),
    _operators(
        "GET", f"{_SYSTEM}/fragments/{{fragment}}", system.SystemFragmentResource
    ),
    _operators(
        "GET",
        _ORGANIZATIONS,
        tenants.TenantsPageResource,
        NavigationItem(
            section=Section.OPERATION, title="Organizations", icon="organization"
        ),
    ),
    _operators("POST", _ORGANIZATIONS, tenants.TenantsPageResource),
    _operators("GET", _ONE, tenants.TenantPageResource),
    _operators("POST", f"{_ONE}/limits", tenants.TenantLimitsResource),
    _operators("POST", f"{_ONE}/environments", tenants.TenantEnvironmentsResource),
)
