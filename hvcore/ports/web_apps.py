"""Web apps: the web apps of the service, around which plugins may put middleware."""

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication


class WebApp(Enum):
    """
    Name the web apps of the service, each by the requests that it answers.

    ``hv api`` runs API and DASHBOARD, ``hv delivery`` the others.
    """

    API = "api"
    DASHBOARD = "dashboard"
    DELIVERY = "delivery"
    PLAYER = "player"
    UPLOAD = "upload"


Middleware = Callable[["WSGIApplication"], "WSGIApplication"]
"""Gets a WSGI app (PEP 3333), and returns one that is called in its place."""
