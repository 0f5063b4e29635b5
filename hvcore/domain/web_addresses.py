"""Addresses on the web that somebody else has written, and as messages may show them."""

import re
from urllib.parse import SplitResult, urlsplit


def read_address(text: str) -> SplitResult | None:
    """Return the parts of an address that somebody sent; None if it cannot be read."""
    try:
        parts = urlsplit(text)
        # The port is judged only when it is read.
        parts.port  # noqa: B018 - it is what judges
    except ValueError:
        # "http://[", or a host that would read differently when it is normalized.
        return None
    return parts


def is_origin_at(origin: str, host: str | None) -> bool:
    """
    Return whether an ``Origin`` names the host that a request was sent to.

    The host alone: a proxy in front may speak TLS where this process does not. An
    ``Origin`` that cannot be read is a foreign one.
    """
    parts = read_address(origin)
    return parts is not None and bool(parts.netloc) and parts.netloc == host


def without_secrets(url: str) -> str:
    """
    Return an address without what may be secret: userinfo, query, fragment.

    Meant for messages; takes any text.
    """
    head, separator, rest = url.partition("://")
    if not separator:
        return re.split(r"[?#]", url, maxsplit=1)[0].rpartition("@")[2]
    authority, _, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    return f"{head}://{authority.rpartition('@')[2]}/{path.rpartition('@')[2]}"
