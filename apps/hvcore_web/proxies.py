"""The proxies whose ``X-Forwarded-For`` header this process believes."""

import ipaddress
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from hvcore.errors import ConfigError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

MAX_CACHED: Final = 4096


def read_networks(texts: Sequence[str]) -> list[Network]:
    """
    Parse the IP addresses and networks of ``HV_EDGE__PROXIES``.

    Raises:
        ConfigError: A text is neither an address nor a network.
    """
    try:
        return [ipaddress.ip_network(text, strict=False) for text in texts]
    except ValueError as exc:
        raise ConfigError(
            f"HV_EDGE__PROXIES: {exc}. Write addresses and networks, such as "
            "192.0.2.1,2001:db8::/32."
        ) from exc


class TrustedProxies:
    """
    The proxies whose ``X-Forwarded-For`` header this process believes.

    Proxies on this machine are always believed; those on other machines if the settings name
    them. There is one object for each process, because connections are counted before there is
    an app to ask.
    """

    def __init__(self) -> None:
        self._networks: list[Network] = []
        # The same few neighbours ask again and again.
        self._is_named = lru_cache(maxsize=MAX_CACHED)(self._look_up)

    def trust(self, texts: Sequence[str]) -> None:
        """
        Set the addresses and networks of trusted proxies; called before anything is served.

        Args:
            texts: The IP addresses and networks as texts.

        Raises:
            ConfigError: A text is neither an address nor a network.
        """
        self._networks = read_networks(texts)
        self._is_named.cache_clear()

    def is_proxy(self, neighbour: str) -> bool:
        """Return whether an IP address at the other end of a connection is a trusted proxy's."""
        try:
            is_own = ipaddress.ip_address(neighbour).is_loopback
        except ValueError:
            # A unix socket's peer has no address.
            return True
        return is_own or self.is_named(neighbour)

    def is_named(self, address: str) -> bool:
        """Return whether an IP address is within the addresses and networks set by ``trust``."""
        return bool(self._networks) and self._is_named(address)

    def _look_up(self, address: str) -> bool:
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        mapped = getattr(found, "ipv4_mapped", None)
        return any((mapped or found) in network for network in self._networks)


PROXIES: Final = TrustedProxies()
"""The trusted proxies of this process."""
