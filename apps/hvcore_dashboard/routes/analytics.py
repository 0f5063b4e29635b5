"""Routes of the analytics pages."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.resources import analytics, analytics_files
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        f"{ORG}/analytics",
        analytics.AnalyticsPageResource,
        needs=Role.VIEWER,
        navigation=NavigationItem(
            section=Section.CONTENT, title="Analytics", icon="analytics"
        ),
    ),
    PageRoute(
        "GET",
        f"{ORG}/analytics/fragments/{{fragment}}",
        analytics.AnalyticsFragmentResource,
        needs=Role.VIEWER,
    ),
    PageRoute(
        "GET",
        f"{ORG}/analytics/files/{{report}}",
        analytics_files.AnalyticsFileResource,
        needs=Role.VIEWER,
    ),
)
