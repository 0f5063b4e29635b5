"""Routes of the audit log."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.pages.audit import resources
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        f"{ORG}/audit",
        resources.AuditPageResource,
        needs=Role.ADMIN,
        navigation=NavigationItem(
            section=Section.ORGANIZATION, title="Audit log", icon="audit"
        ),
    ),
    PageRoute(
        "GET",
        f"{ORG}/audit/files/{{name}}",
        resources.AuditFileResource,
        needs=Role.ADMIN,
    ),
)
