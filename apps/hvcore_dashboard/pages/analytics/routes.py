"""Routes of the analytics pages."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.pages.analytics import files, resources
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        f"{ORG}/analytics",
        resources.AnalyticsPageResource,
        needs=Role.VIEWER,
        navigation=NavigationItem(
            section=Section.CONTENT, title="Analytics", icon="analytics"
        ),
    ),
    PageRoute(
        "GET",
        f"{ORG}/analytics/fragments/{{fragment}}",
        resources.AnalyticsFragmentResource,
        needs=Role.VIEWER,
    ),
    PageRoute(
        "GET",
        f"{ORG}/analytics/files/{{report}}",
        files.AnalyticsFileResource,
        needs=Role.VIEWER,
    ),
)
