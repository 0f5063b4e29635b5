"""
Tell public IP addresses from private and reserved ones.

``ipaddress.is_global`` alone is not enough: Python 3.11 takes NAT64, 6to4,
``::127.0.0.1`` and multicast for global.

Source: IANA, "IPv4/IPv6 Special-Purpose Address Registry".
"""

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

_NOT_PUBLIC_V4: Final = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        # The metadata services of most clouds.
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        # Azure's host answers its own machines here, in the midst of public
        # addresses.
        "168.63.129.16/32",
    )
)
_GLOBAL_UNICAST_V6: Final = IPv6Network("2000::/3")
"""The ranges of public addresses; every other range has a special purpose."""
_NOT_PUBLIC_V6: Final = tuple(
    IPv6Network(text)
    for text in (
        # Protocol assignments: Teredo, benchmarking, ORCHID and others.
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
    )
)

_TEREDO: Final = IPv6Network("2001::/32")
_SIX_TO_FOUR: Final = IPv6Network("2002::/16")
_LAST_32_BITS: Final = tuple(
    IPv6Network(text)
    for text in (
        "::/96",
        "::ffff:0:0/96",
        "::ffff:0:0:0/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
    )
)
"""IPv4-compatible, IPv4-mapped, IPv4-translated, NAT64 well-known and local."""
_ISATAP: Final = frozenset({0x0000_5EFE, 0x0200_5EFE})
_MAX_32_BITS: Final = 0xFFFF_FFFF


def parse_address(text: str) -> Address | None:
    """
    Parse an IP address in its canonical form; return None for other texts.

    Other forms are refused: decimal, octal, hexadecimal and shortened IPv4 forms, and IPv6
    addresses
    with a zone.
    """
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return None
    return address


def parse_network(text: str) -> Network | None:
    """Parse a network such as ``10.0.0.0/8``, or a single address; return None for other texts."""
    try:
        return ip_network(text)
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """
    Return whether an IP address is on the public internet.

    IPv6 addresses that contain an IPv4 address (NAT64, 6to4, Teredo, ISATAP) are not public: a
    gateway on the way decides where they lead.
    """
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_V4)
    return (
        address in _GLOBAL_UNICAST_V6
        and not any(address in network for network in _NOT_PUBLIC_V6)
        and inner_ipv4(address) is None
    )


def inner_ipv4(address: Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address contains (such as NAT64); None if it contains none."""
    if isinstance(address, IPv4Address):
        return None
    number = int(address)
    if address.is_unspecified or address.is_loopback:
        return None
    if address in _SIX_TO_FOUR:
        return IPv4Address((number >> 80) & _MAX_32_BITS)
    if address in _TEREDO:
        # The client's, with every bit turned over (RFC 4380, section 4).
        return IPv4Address(~number & _MAX_32_BITS)
    is_isatap = (number >> 32) & _MAX_32_BITS in _ISATAP
    if is_isatap or any(address in network for network in _LAST_32_BITS):
        return IPv4Address(number & _MAX_32_BITS)
    return None
