"""The URI templates of delivery's files, which the app answers, or the server without the app."""

from collections.abc import Mapping
from typing import Final

PUBLIC_FILES: Final = "/v1/public/{org}/{env}/{video}/{file:path}"
PRIVATE_FILES: Final = "/v1/private/{video}/{file:path}"
SHARED_FILES: Final = "/v1/share/{share}/{file:path}"
THUMBNAILS: Final = "/t/{video}/{name}"
LIVE: Final = "/health/live"
OTHER_FILES: Final = "/v1/{edge_key}/{file:path}"

ROUTES: Final[Mapping[tuple[str, ...], str]] = {
    ("v1", "public"): PUBLIC_FILES,
    ("v1", "private"): PRIVATE_FILES,
    ("v1", "share"): SHARED_FILES,
    ("t",): THUMBNAILS,
    ("health", "live"): LIVE,
}
"""The templates of served routes, by the first parts of their paths."""
