"""Convert host names to the form in which they are looked up: ASCII, lower case."""

import re
from typing import Final

import idna

MAX_NAME_CHARS: Final = 253
# Underscores stand in names that are really used, such as those of buckets.
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# The rule by which browsers and inet_aton take a name for a number: what ends
# like this is an IPv4 address, or a trick (WHATWG URL, "ends in a number").
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")


class NotANameError(ValueError):
    """The text is not a host name."""


def ascii_name(host: str) -> str:
    """
    Return a host name in the form in which it is looked up and compared: ASCII, lower case.

    International names are mapped by UTS 46, which turns full-width digits
    and dots into plain ones, so decide about addresses by the returned text. A dot
    at the end is left out.

    Raises:
        NotANameError: The text is neither a host name nor a dotted IPv4 address.
    """
    name = host.lower() if host.isascii() else _mapped(host)
    name = name.removesuffix(".")
    if not name or len(name) > MAX_NAME_CHARS:
        raise NotANameError("is empty or too long")
    if not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise NotANameError("has characters that no host name has")
    return name


def looks_like_a_number(name: str) -> bool:
    """Return whether some software would read a host name as an IPv4 address."""
    return _NUMBER.fullmatch(name.rpartition(".")[2]) is not None


def _mapped(host: str) -> str:
    try:
        return idna.encode(host, uts46=True, std3_rules=True).decode("ascii")
    except (idna.IDNAError, UnicodeError) as exc:
        raise NotANameError("is not an international host name") from exc
