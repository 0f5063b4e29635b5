"""Read the setting that lists the private hosts and networks to which the service may send requests."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import attrs

from hvcore.errors import ConfigError
from hvcore.safe_http.addresses import (
    Address,
    Network,
    inner_ipv4,
    is_public,
    parse_network,
)
from hvcore.safe_http.names import NotANameError, ascii_name, looks_like_a_number

_MAX_PORT: Final = 65535
_BRACKETED: Final = re.compile(r"\[(?P<host>[^\]]*)\](?::(?P<port>[0-9]{1,5}))?")
_WITH_PORT: Final = re.compile(r"(?P<host>[^:]*):(?P<port>[0-9]{1,5})")


@attrs.frozen(kw_only=True)
class _Entry:
    """One entry: a name or a network, on one port or on all."""

    name: str | None = None
    network: Network | None = None
    port: int | None = None


class AllowedHosts:
    """
    The hosts that the setting ``fetch.allowed_hosts`` lists.

    Args:
        entries: The entries of the setting: ``name``, ``name:port``, an IP address or a network
            (CIDR).

    Raises:
        ConfigError: An entry cannot be understood.
    """

    def __init__(self, entries: Sequence[str]) -> None:
        self._entries = tuple(_parse(entry.strip()) for entry in entries)

    def has_name(self, host: str, port: int) -> bool:
        """Return whether a host is allowed on a port by its name, whatever IP addresses the name has."""
        return any(e.name == host for e in self._on(port))

    def has_address(self, address: Address, port: int) -> bool:
        """
        Return whether an IP address is in a network that is allowed on a port.

        An IPv6 address that contains an IPv4 address leads to that address, which must be public or
        allowed, too.
        """
        inner = inner_ipv4(address)
        if inner is not None and not (
            is_public(inner) or self.has_address(inner, port)
        ):
            return False
        return any(
            e.network is not None and address in e.network for e in self._on(port)
        )

    def has_networks(self, port: int) -> bool:
        """Return whether any network is allowed on a port."""
        return any(e.network is not None for e in self._on(port))

    def _on(self, port: int) -> Iterable[_Entry]:
        return (e for e in self._entries if e.port is None or e.port == port)


def _parse(text: str) -> _Entry:
    found = _BRACKETED.fullmatch(text) or _WITH_PORT.fullmatch(text)
    host = found["host"] if found else text
    port = int(found["port"]) if found and found["port"] else None
    if port is not None and not 1 <= port <= _MAX_PORT:
        raise _refusal(text)
    network = parse_network(host)
    if network is not None:
        return _Entry(network=network, port=port)
    try:
        name = ascii_name(host)
    except NotANameError as exc:
        raise _refusal(text) from exc
    if looks_like_a_number(name):
        raise _refusal(text)
    return _Entry(name=name, port=port)


def _refusal(text: str) -> ConfigError:
    return ConfigError(
        f"fetch.allowed_hosts: {text!r} is not a host. Write a name (media.internal), a "
        f"name with a port (media.internal:8080), an address, or a network whose host "
        f"bits are zero (10.1.0.0/16), separated by commas."
    )
