"""
The table of all pages of the dashboard; no page is registered elsewhere.

The table feeds routing, roles, the navigation and the tests. Its order is that of the
navigation.
"""

from itertools import chain
from typing import Final

from hvcore_dashboard.pages.analytics import routes
from hvcore_dashboard.pages.audit import routes as audit
from hvcore_dashboard.pages.bulk import routes as bulk
from hvcore_dashboard.pages.environments import routes as environments
from hvcore_dashboard.pages.keys import routes as keys
from hvcore_dashboard.pages.members import routes as members
from hvcore_dashboard.pages.operation import routes as operation
from hvcore_dashboard.pages.organizations import routes as organizations
from hvcore_dashboard.pages.settings import routes as settings
from hvcore_dashboard.pages.sign_in import routes as sign_in
from hvcore_dashboard.pages.signing_keys import routes as signing_keys
from hvcore_dashboard.pages.uploads import routes as uploads
from hvcore_dashboard.pages.video import routes as video
from hvcore_dashboard.pages.videos import routes as videos
from hvcore_dashboard.pages.webhooks import routes as webhooks
from hvcore_dashboard.routing import PageRoute

ROUTES: Final[tuple[PageRoute, ...]] = tuple(
    chain(
        sign_in.ROUTES,
        organizations.ROUTES,
        videos.ROUTES,
        bulk.ROUTES,
        video.ROUTES,
        uploads.ROUTES,
        routes.ROUTES,
        keys.ROUTES,
        signing_keys.ROUTES,
        webhooks.ROUTES,
        environments.ROUTES,
        members.ROUTES,
        settings.ROUTES,
        audit.ROUTES,
        operation.ROUTES,
    )
)
