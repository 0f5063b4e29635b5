"""
Headers of every answer about a resumable upload.

Source: tus 1.0, "Headers" and "OPTIONS".
"""

from datetime import datetime
from email.utils import format_datetime

import falcon

from hvcore.domain.uploads.resumable import (
    CAPABILITIES,
    VERSION,
    UnsupportedVersionError,
)


def check_version(req: falcon.Request) -> None:
    """
    Refuse a request that does not say that it speaks our version.

    Raises:
        UnsupportedVersionError: It does not.
    """
    if req.get_header("Tus-Resumable") != VERSION:
        raise UnsupportedVersionError


def expires(moment: datetime) -> str:
    """Render the header ``Upload-Expires``."""
    return format_datetime(moment, usegmt=True)


class TusMiddleware:
    """
    Mark the answers of the addresses that speak the protocol.

    Args:
        prefix: Which addresses these are.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def process_response(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        _req_succeeded: bool,  # noqa: FBT001 - Falcon's signature
    ) -> None:
        """Name the version; for OPTIONS, preflights included, everything."""
        if not req.path.startswith(self._prefix):
            return
        if req.method == "OPTIONS":
            for name, value in CAPABILITIES.items():
                resp.set_header(name, value)
        else:
            resp.set_header("Tus-Resumable", VERSION)
