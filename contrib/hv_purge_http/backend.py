"""
Requests that tell caches what to forget.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

import attrs
import urllib3

from hv_purge_http.options import HttpPurgeOptions, PurgeStyle
from hvcore.plugin_api import CachePurger, PurgeOrder, UnavailableError

# What nginx answers if nothing with this address was in the cache.
_NOTHING_THERE: Final = frozenset({404, 412})
_OK: Final = range(200, 300)


@attrs.frozen(kw_only=True)
class PurgeRequest:
    """
    What one cache is sent.

    Attributes:
        path: Of the request; None for the one in the cache's own address.
    """

    method: str
    path: str | None = None
    headers: Mapping[str, str] = attrs.field(factory=dict)
    body: bytes | None = None


class HttpPurger(CachePurger):
    """
    Tells each cache, one after the other; an order is done when all have taken it.

    One that does not answer keeps no other from being told.
    """

    def __init__(self, options: HttpPurgeOptions) -> None:
        self._options = options
        # No redirects: a token is for the address of the settings alone.
        self._pool = urllib3.PoolManager(retries=False)

    def purge(self, order: PurgeOrder) -> None:
        requests = tuple(purge_requests(self._options, order.address_prefixes))
        failures: list[UnavailableError] = []
        for address in self._options.addresses:
            try:
                for request in requests:
                    self._send(address, request)
            except UnavailableError as exc:
                # Its further requests would each wait for the timeout again.
                failures.append(exc)
        if failures:
            said = " ".join(str(failure) for failure in failures)
            raise UnavailableError(said) from failures[0]

    def close(self) -> None:
        self._pool.clear()

    def _send(self, address: str, request: PurgeRequest) -> None:
        options = self._options
        url = address if request.path is None else address.rstrip("/") + request.path
        host = urlsplit(address).netloc
        try:
            answer = self._pool.request(
                request.method,
                url,
                headers={**request.headers, **_credentials(options)},
                body=request.body,
                timeout=urllib3.Timeout(total=options.timeout_s),
                redirect=False,
                preload_content=False,
            )
        except urllib3.exceptions.HTTPError as exc:
            raise UnavailableError(f"The cache {host} does not answer.") from exc
        # Nobody reads what it says, which may be without an end.
        answer.close()
        is_nothing = (
            options.style is PurgeStyle.WILDCARD and answer.status in _NOTHING_THERE
        )
        if answer.status not in _OK and not is_nothing:
            raise UnavailableError(f"The cache {host} answers {answer.status}.")


def purge_requests(
    options: HttpPurgeOptions, prefixes: tuple[str, ...]
) -> Iterator[PurgeRequest]:
    """
    Give what each cache is sent for these prefixes.
    """
    if options.style is PurgeStyle.PREFIXES:
        for first in range(0, len(prefixes), options.most_prefixes):
            some = prefixes[first : first + options.most_prefixes]
            # Without a scheme: a cache keeps the same for both.
            named = [one.partition("://")[2] for one in some]
            yield PurgeRequest(
                method="POST",
                headers={"Content-Type": "application/json"},
                body=json.dumps({"prefixes": named}).encode(),
            )
        return
    for prefix in prefixes:
        parts = urlsplit(prefix)
        if options.style is PurgeStyle.WILDCARD:
            yield PurgeRequest(
                method="PURGE", path=f"{parts.path}*", headers={"Host": parts.netloc}
            )
        else:
            pattern = f"^{re.escape(parts.path)}"
            yield PurgeRequest(
                method="BAN",
                path=parts.path,
                headers={"Host": parts.netloc, "X-Ban-Url": pattern},
            )


def _credentials(options: HttpPurgeOptions) -> Mapping[str, str]:
    if not options.token:
        return {}
    is_bearer = options.token_header.lower() == "authorization"
    return {
        options.token_header: f"Bearer {options.token}" if is_bearer else options.token
    }
