"""Web addresses that strangers have written: how to read them and show them safely."""

import re
from urllib.parse import SplitResult, urlsplit


def read_address(text: str) -> SplitResult | None:
    """Return the parts of a URL that a stranger sent; None if it cannot be read."""
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
    Return whether an ``Origin`` header names the host that a request was sent to.

    Only the host is compared: a proxy in front may speak TLS where this process does
    not. An ``Origin`` that cannot be read counts as foreign.
    """
    parts = read_address(origin)
    return parts is not None and bool(parts.netloc) and parts.netloc == host


def without_secrets(url: str) -> str:
    """
    Return a URL without its parts that may be secret: userinfo, query, fragment.

    Meant for log lines and error messages; takes any text.
    """
    head, separator, rest = url.partition("://")
    if not separator:
        return re.split(r"[?#]", url, maxsplit=1)[0].rpartition("@")[2]
    authority, _, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    return f"{head}://{authority.rpartition('@')[2]}/{path.rpartition('@')[2]}"
