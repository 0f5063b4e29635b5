"""Routes of the audit log."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.resources import audit
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        f"{ORG}/audit",
        audit.AuditPageResource,
        needs=Role.ADMIN,
        navigation=NavigationItem(
            section=Section.ORGANIZATION, title="Audit log", icon="audit"
        ),
    ),
    PageRoute(
        "GET", f"{ORG}/audit/files/{{name}}", audit.AuditFileResource, needs=Role.ADMIN
    ),
)
