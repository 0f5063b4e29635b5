"""The web apps of the service, and what may be put around them."""

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication


class WebApp(Enum):
    """
    A web app of the service, by what it answers.

    ``hv api`` runs API and DASHBOARD, ``hv delivery`` the others.
    """

    API = "api"
    DASHBOARD = "dashboard"
    DELIVERY = "delivery"
    PLAYER = "player"
    UPLOAD = "upload"


Middleware = Callable[["WSGIApplication"], "WSGIApplication"]
"""Gets a WSGI app (PEP 3333), and returns one that is called in its place."""
