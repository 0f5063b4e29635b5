"""
Page domains: the web pages on which a playback token may be used.

Source: the interface document, "Authentication", 8. An entry is an exact host, or
``*.example.com`` for every host below ``example.com`` but not itself. Case and
port do not matter.
"""

import re
from collections.abc import Sequence
from typing import Final

from hvcore.domain.web_addresses import read_address

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
# No user part, no brackets: browsers send none in these two headers, and what
# reads ambiguously is not read at all.
PAGE_ADDRESS: Final = rf"https?://({_LABEL}(?:\.{_LABEL})*)\.?(?::[0-9]{{1,5}})?"
"""A pattern of a page's address in lower case, up to its path; the group is its host."""
_ADDRESS = re.compile(PAGE_ADDRESS)
_AFTER_HOST: Final = ("", "/", "?", "#")


def is_page_listed(
    domains: Sequence[str], *, origin: str | None, referer: str | None
) -> bool:
    """
    Return whether a request comes from a page whose host the list of domains covers.

    The header ``Origin`` decides if it was sent, else ``Referer``: a page can suppress
    its Referer, but cannot change its Origin.
    """
    host = host_of(origin if origin is not None else referer)
    return host is not None and any(_covers(entry, host) for entry in domains)


def host_of(address: str | None) -> str | None:
    """Return the host in an Origin or Referer header, in lower case; None if it has none."""
    match = _ADDRESS.match((address or "").lower())
    if match is None or match.string[match.end() : match.end() + 1] not in _AFTER_HOST:
        return None
    return match[1]


def origin_of(url: str) -> str | None:
    """Return the scheme, host and port of a URL as one text; None if it names no host."""
    parts = read_address(url)
    if parts is None or not parts.netloc:
        return None
    return f"{parts.scheme}://{parts.netloc}".lower()


def _covers(entry: str, host: str) -> bool:
    if entry.startswith("*."):
        return host.endswith(entry[1:]) and len(host) > len(entry) - 1
    return host == entry
