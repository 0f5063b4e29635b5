"""
The headers of the tus protocol in answers about resumable uploads.

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
    Refuse a request whose ``Tus-Resumable`` header does not name the supported version.

    Raises:
        UnsupportedVersionError: The header is missing or names another version.
    """
    if req.get_header("Tus-Resumable") != VERSION:
        raise UnsupportedVersionError


def expires(moment: datetime) -> str:
    """Return the value of the header ``Upload-Expires`` for a time."""
    return format_datetime(moment, usegmt=True)


class TusMiddleware:
    """
    Falcon middleware that adds the headers of the tus protocol to answers from upload addresses.

    Args:
        prefix: The beginning of the paths of upload addresses.
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
        """Add the version of tus to an answer; for OPTIONS, also the extensions and the size limit."""
        if not req.path.startswith(self._prefix):
            return
        if req.method == "OPTIONS":
            for name, value in CAPABILITIES.items():
                resp.set_header(name, value)
        else:
            resp.set_header("Tus-Resumable", VERSION)
