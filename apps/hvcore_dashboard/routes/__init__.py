"""
Every page, in one table; nothing else registers any.

The table feeds routing, roles, the navigation and the tests. Its order is that of the
navigation.
"""

from itertools import chain
from typing import Final

from hvcore_dashboard.routes import (
    analytics,
    audit,
    environments,
    keys,
    members,
    operation,
    organizations,
    sign_in,
    signing_keys,
    uploads,
    video,
    videos,
    webhooks,
)
from hvcore_dashboard.routing import PageRoute

ROUTES: Final[tuple[PageRoute, ...]] = tuple(
    chain(
        sign_in.ROUTES,
        organizations.ROUTES,
        videos.ROUTES,
        video.ROUTES,
        uploads.ROUTES,
        analytics.ROUTES,
        keys.ROUTES,
        signing_keys.ROUTES,
        webhooks.ROUTES,
        environments.ROUTES,
        members.ROUTES,
        audit.ROUTES,
        operation.ROUTES,
    )
)
