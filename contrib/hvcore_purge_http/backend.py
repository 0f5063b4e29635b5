"""Send HTTP requests that make caches remove answers."""

import http.client
import json
import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from hvcore.plugin_api import CacheInvalidator, InvalidationOrder, UnavailableError
from hvcore_purge_http.exchange import PurgeRequest, exchange
from hvcore_purge_http.options import HttpPurgeOptions, PurgeStyle

# What nginx answers if nothing with this address was in the cache.
_NOTHING_THERE: Final = frozenset({404, 412})
_OK: Final = range(200, 300)
_BODY_BYTES: Final = 64 * 1024
"""More than a CDN says of thirty prefixes."""


class HttpInvalidator(CacheInvalidator):
    """
    A cache invalidator that sends purge requests to each cache until all have accepted them.

    An invalidation fails, and is tried again later, if a cache does not accept it. The
    other caches get their requests all the same.
    """

    def __init__(self, options: HttpPurgeOptions) -> None:
        self._options = options

    def invalidate(self, order: InvalidationOrder) -> None:
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

    def _send(self, address: str, request: PurgeRequest) -> None:
        options = self._options
        host = urlsplit(address).netloc
        try:
            answer = exchange(
                address,
                request,
                headers={**request.headers, **_credentials(options)},
                within_s=options.timeout_s,
                # What the others say besides the status is a page for people.
                body_bytes=_BODY_BYTES if options.style is PurgeStyle.PREFIXES else 0,
            )
        except (OSError, http.client.HTTPException) as exc:
            raise UnavailableError(f"The cache {host} does not answer.") from exc
        is_nothing = (
            options.style is PurgeStyle.WILDCARD and answer.status in _NOTHING_THERE
        )
        if answer.status not in _OK and not is_nothing:
            raise UnavailableError(f"The cache {host} answers {answer.status}.")
        if answer.is_failure:
            raise UnavailableError(
                f"The cache {host} answers {answer.status}, and that it failed."
            )


def purge_requests(
    options: HttpPurgeOptions, prefixes: tuple[str, ...]
) -> Iterator[PurgeRequest]:
    """Yield the requests that make a cache remove the answers under some prefixes."""
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
