"""Routes of bulk changes of videos."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.pages.bulk import resources
from hvcore_dashboard.routing import ORG, PageRoute

_BULK: Final = f"{ORG}/videos/bulk"
_ONE: Final = f"{_BULK}/{{bulk_id}}"

ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute("GET", _BULK, resources.BulkListResource, needs=Role.EDITOR),
    PageRoute("POST", _BULK, resources.BulkListResource, needs=Role.EDITOR),
    PageRoute("GET", _ONE, resources.BulkPageResource, needs=Role.EDITOR),
    PageRoute("POST", _ONE, resources.BulkPageResource, needs=Role.EDITOR),
    PageRoute(
        "GET", f"{_ONE}/progress", resources.BulkProgressResource, needs=Role.EDITOR
    ),
    PageRoute("POST", f"{_ONE}/stop", resources.BulkStopResource, needs=Role.EDITOR),
)
