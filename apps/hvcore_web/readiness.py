"""Report whether a process can serve requests now (``GET /health/ready``), for load balancers."""

from collections.abc import Callable
from typing import Final

import attrs
import falcon

from hvcore.errors import UnavailableError
from hvcore.services.readiness import RETRY_AFTER_S
from hvcore.wire.envelope import encode, success

READY: Final = encode(success({"status": "ok"}))


@attrs.define
class ProcessState:
    """
    The state of the server in this process.

    Attributes:
        is_stopping: Whether the process was asked to end. A signal handler sets it, so it
            has no lock.
    """

    is_stopping: bool = False


STATE: Final = ProcessState()


class ReadinessResource:
    """``GET /health/ready``: report whether this process can serve requests now."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check

    def on_get(self, _req: falcon.Request, resp: falcon.Response) -> None:
        """
        Answer 200, or 503 while requests to this process would fail or break off.

        Raises:
            UnavailableError: The process is stopping, or its app cannot answer requests.
        """
        if STATE.is_stopping:
            raise UnavailableError(
                "This process is stopping; send requests to another.",
                retry_after_s=RETRY_AFTER_S,
            )
        self._check()
        resp.data = READY
        resp.content_type = falcon.MEDIA_JSON
        resp.set_header("Cache-Control", "no-store")
