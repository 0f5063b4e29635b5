"""Send requests to an object store as a client does: with a signed address and without a key."""

import re
import time
from collections.abc import Mapping
from typing import Final

import attrs
import urllib3

from hvcore.errors import UnavailableError

TIMEOUT_S: Final = 20.0
_CODE: Final = re.compile(rb"<Code>([A-Za-z0-9_.]{1,80})</Code>")


@attrs.frozen(kw_only=True)
class StoreAnswer:
    """
    An object store's answer to one request.

    Attributes:
        code: The store's own name of the error; empty if it gave none.
        sent_at: The time before the request was sent, in Unix seconds of this machine's clock.
        ended_at: The time when the answer had arrived, in Unix seconds of this machine's clock.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    code: str
    sent_at: float
    ended_at: float

    @property
    def is_success(self) -> bool:
        """Whether the answer's HTTP status is from 200 to 299."""
        return 200 <= self.status < 300  # noqa: PLR2004 - the successes of HTTP

    @property
    def shown(self) -> str:
        """The answer's HTTP status and the store's own error name, such as ``403 AccessDenied``."""
        return f"{self.status} {self.code}".strip()


class StoreClient:
    """An HTTP client for an object store; it follows no redirects and repeats no requests."""

    def __init__(self) -> None:
        self._pool = urllib3.PoolManager(
            timeout=urllib3.Timeout(total=TIMEOUT_S), retries=False
        )

    def ask(
        self,
        method: str,
        url: str,
        body: bytes | None = None,
        **headers: str,
    ) -> StoreAnswer:
        """
        Send one request to the store, and return the answer.

        Args:
            method: The HTTP method.
            body: The body of the request; None for none.
            headers: The headers by name, with ``_`` for ``-``.

        Raises:
            UnavailableError: The store does not answer.
        """
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent_at = time.time()
        try:
            answer = self._pool.request(method, url, body=body, headers=named)
        except urllib3.exceptions.HTTPError as exc:
            # Not the error's own text, which has the signed address in it.
            raise UnavailableError(
                f"{urllib3.util.parse_url(url).netloc} cannot be reached "
                f"({type(exc).__name__})."
            ) from exc
        found = _CODE.search(answer.data)
        return StoreAnswer(
            status=answer.status,
            headers={name.lower(): value for name, value in answer.headers.items()},
            body=answer.data,
            code=found[1].decode() if found else "",
            sent_at=sent_at,
            ended_at=time.time(),
        )

    def put(self, url: str, body: bytes, content_type: str) -> StoreAnswer:
        """Send an object's bytes to a signed address, and return the store's answer."""
        return self.ask("PUT", url, body, Content_Type=content_type)

    def preflight(
        self, url: str, *, origin: str, method: str, header: str
    ) -> StoreAnswer:
        """
        Send a browser's CORS preflight request, and return the store's answer.

        Args:
            origin: The origin of the web page.
            method: The HTTP method that the page would use.
            header: The name of the request header that the page would send.
        """
        return self.ask(
            "OPTIONS",
            url,
            Origin=origin,
            Access_Control_Request_Method=method,
            Access_Control_Request_Headers=header,
        )
