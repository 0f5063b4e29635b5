"""Reduce typed and pasted addresses of pages to host names."""

import re
from typing import Final

from hvcore.domain.web_addresses import read_address

_BETWEEN: Final = re.compile(r"[\s;]+")
_PATH: Final = re.compile(r"[^/:?#]+(?:://[^/?#]+)?[/?#]")
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
# The older rules, which Python has, write these letters differently from browsers.
_WRITTEN_OTHERWISE: Final = re.compile("[ßς\u200c\u200d]")


def host_names(typed: str) -> str:
    """
    Return typed domains and addresses as a comma-separated list of host names, as the API takes it.

    An address is reduced to its host, and letters beyond ASCII to the form in which browsers
    send them. A text without a host stays as it is: the reader of the list refuses it.
    """
    parts = [part for word in _BETWEEN.split(typed) for part in _addresses(word)]
    return ",".join(dict.fromkeys(map(_host, parts)))


def _addresses(word: str) -> list[str]:
    found: list[str] = []
    for part in filter(None, word.split(",")):
        # Paths have commas, too: /news,1234 is one address.
        is_of_path = found and _PATH.match(found[-1]) and "." not in part
        if not is_of_path:
            found.append(part)
    return found


def _host(typed: str) -> str:
    address = typed if _SCHEME.match(typed) else f"https://{typed.lstrip('/')}"
    try:
        parts = read_address(address)
        host = parts.hostname if parts is not None else None
    except ValueError:
        return typed
    # With a user part, the host is easily taken for another one.
    if parts is None or not host or "@" in parts.netloc:
        return typed
    return _as_sent(host.removesuffix("."))


def _as_sent(host: str) -> str:
    if host.isascii() or _WRITTEN_OTHERWISE.search(host):
        return host
    wildcard, named = ("*.", host[2:]) if host.startswith("*.") else ("", host)
    try:
        return wildcard + named.encode("idna").decode("ascii")
    except UnicodeError:
        return host
