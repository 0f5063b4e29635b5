"""Record outgoing requests instead of sending them, for the tests of programs that embed the service."""

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

import attrs
from urllib3.response import HTTPResponse

from hvcore.safe_http import (
    OutboundError,
    OutboundHttp,
    OutboundResponse,
    StreamedResponse,
)
from hvcore.safe_http.client import MAX_REDIRECTS
from hvcore.safe_http.targets import parse_target


@attrs.frozen(kw_only=True)
class SentRequest:
    """
    An outgoing request that was recorded and not sent.

    Attributes:
        method: ``GET`` or ``POST``.
        body: The body of a POST.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""


class RecordingOutbound(OutboundHttp):
    """
    Records outgoing requests and answers them from memory, without any connection.

    Addresses must have the form that the service demands of all addresses; no host name
    is looked up.

    Attributes:
        sent: The recorded requests, oldest first.
        files: The files that a GET returns, by address; other addresses answer 404.
        statuses: The status with which an address answers a POST; other addresses
            answer 200.
        is_down: If True, no address answers.
    """

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        super().__init__(allowed_hosts=())
        self.sent: list[SentRequest] = []
        self.files = dict(files or {})
        self.statuses: dict[str, int] = {}
        self.is_down = False

    def check(self, url: str, *, client: str) -> None:  # noqa: ARG002 - no client has a share here
        """
        Refuse an address whose form no service accepts.

        Raises:
            TargetRefusedError: The form of the address is wrong.
        """
        parse_target(url)

    def post(
        self,
        url: str,
        *,
        body: bytes,
        headers: Mapping[str, str],
        timeout_s: float,  # noqa: ARG002 - nothing is waited for
        check: Callable[[], None] = lambda: None,
    ) -> OutboundResponse:
        """
        Record a POST, and return the status that ``statuses`` has for its address.

        Raises:
            TargetRefusedError: The form of the address is wrong.
            OutboundError: ``is_down`` is set.
        """
        check()
        self._note(SentRequest(method="POST", url=url, headers=headers, body=body))
        return OutboundResponse(status=self.statuses.get(url, 200), headers={})

    @contextmanager
    def get(
        self,
        url: str,
        *,
        deadline_s: float,  # noqa: ARG002 - nothing is waited for
        max_redirects: int = MAX_REDIRECTS,  # noqa: ARG002 - nothing leads elsewhere
        check: Callable[[], None] = lambda: None,
    ) -> Iterator[StreamedResponse]:
        """
        Record a GET, and return the file that ``files`` has for its address.

        Args:
            deadline_s: Not used, because the answer is there at once.
            max_redirects: Not used, because no address redirects.
            check: Called before the request is recorded; an exception that it raises
                ends the call.

        Raises:
            TargetRefusedError: The form of the address is wrong.
            OutboundError: ``is_down`` is set.
        """
        check()
        self._note(SentRequest(method="GET", url=url, headers={}))
        data = self.files.get(url)
        status = 404 if data is None else 200
        response = HTTPResponse(
            body=io.BytesIO(data or b""), status=status, preload_content=False
        )
        yield StreamedResponse(
            status=status,
            headers={"content-length": str(len(data or b""))},
            content_length=len(data or b""),
            response=response,
            host=urlsplit(url).hostname or "",
        )

    def _note(self, request: SentRequest) -> None:
        parse_target(request.url)
        self.sent.append(request)
        if self.is_down:
            raise OutboundError(f"{urlsplit(request.url).hostname} does not answer.")
