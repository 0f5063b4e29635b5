"""
Count the answers of the file loop for the metrics.

The loop only counts in a dictionary; about once a second the counts are added to the
metrics.
"""

from typing import Final

from hvcore.metrics.declared import DELIVERED_BYTES, HTTP_REQUESTS
from hvcore_web.plain_requests import PlainRequest
from hvcore_web.representations import Representation
from hvcore_web.served_routes import OTHER_FILES, ROUTES

APP: Final = "delivery"
LIVE_PATH: Final = ("health", "live")


class ServedCounts:
    """Counts of answers that are not added to the metrics yet; for one thread."""

    def __init__(self) -> None:
        self._requests: dict[tuple[tuple[str, ...], bool, str], int] = {}
        self._bytes = 0

    def add(self, request: PlainRequest, chosen: Representation) -> None:
        """Count an answer whose sending begins, and its bytes."""
        # What differs between videos, links and keys is left out later, once a second.
        path = request.path[:2]
        key = (path, request.wanted.is_head, chosen.status)
        self._requests[key] = self._requests.get(key, 0) + 1
        if chosen.body is not None and path != LIVE_PATH:
            self._bytes += chosen.end - chosen.start

    def pass_on(self) -> None:
        """Add the counts to the metrics of this process, and begin again at zero."""
        if not self._requests:
            return
        requests, self._requests = self._requests, {}
        size_bytes, self._bytes = self._bytes, 0
        for (path, is_head, status), count in requests.items():
            HTTP_REQUESTS.add(
                APP,
                ROUTES.get(path) or ROUTES.get(path[:1], OTHER_FILES),
                "HEAD" if is_head else "GET",
                status[:3],
                amount=count,
            )
        DELIVERED_BYTES.add(amount=size_bytes)
