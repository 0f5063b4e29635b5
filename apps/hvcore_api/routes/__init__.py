"""
The table of all API routes; no other module registers routes.

Source: the interface document, "Endpoints". The table feeds routing, permissions, rate
limits, idempotency, the OpenAPI document and the tests.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Final

from hvcore_api.routes import (
    analytics,
    captions,
    chapters,
    events,
    playback,
    processing,
    service,
    uploads,
    videos,
)
from hvcore_api.routes import links as sharing
from hvcore_api.routes import video_changes as changes
from hvcore_api.routing import Route

GROUPS: Final[Mapping[str, tuple[Route, ...]]] = {
    "Uploads": uploads.ROUTES,
    "Processing": processing.ROUTES,
    "Videos": (
        *videos.ROUTES,
        *changes.ROUTES,
        *captions.ROUTES,
        *chapters.ROUTES,
    ),
    "Playback": playback.ROUTES,
    "Sharing": sharing.ROUTES,
    "Analytics": analytics.ROUTES,
    "Events": events.ROUTES,
    "Service": service.ROUTES,
}
"""The routes by subject, in the order of the documentation."""

ROUTES: Final[tuple[Route, ...]] = tuple(chain.from_iterable(GROUPS.values()))
