"""Addresses of a provider, as settings and descriptions give them."""

from typing import Final
from urllib.parse import urlsplit

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def is_safe_address(text: str) -> bool:
    """Return whether an address uses https, or plain http to this machine."""
    try:
        parts = urlsplit(text)
        # Reading the port is what judges it.
        is_whole = bool(parts.hostname) and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        return False
    is_private = parts.scheme == "http" and parts.hostname in _LOOPBACK
    is_plain = text.isascii() and text.isprintable() and not set(' "<>\\') & set(text)
    return is_whole and is_plain and (parts.scheme == "https" or is_private)


def check_issuer(value: str) -> None:
    """
    Raise ValueError if an address cannot be the option ``issuer``.

    Raises:
        ValueError: The address does not use https (or http to this machine), or has a
            query or a fragment.
    """
    parts = urlsplit(value)
    if not is_safe_address(value) or parts.query or parts.fragment:
        raise ValueError(
            "issuer must be the provider's https address, such as "
            f"https://id.example.com/realms/staff, not {value!r}"
        )


def check_hosts(hosts: tuple[str, ...]) -> None:
    """
    Raise ValueError if hosts cannot be the option ``further_hosts``.

    Raises:
        ValueError: A text is not just a host with or without a port, or is empty.
    """
    for host in hosts:
        if urlsplit(f"https://{host}").netloc != host or "@" in host or not host:
            raise ValueError(
                f"further_hosts must be hosts such as oauth2.example.com, not {host!r}"
            )
