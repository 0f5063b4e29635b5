"""
Whose word about a client is believed.
"""

from collections.abc import Iterator

import pytest

from hvcore.errors import ConfigError
from hvcore_server.open_connections import client_of
from hvcore_web.proxies import PROXIES
from hvcore_web.viewers import client_address


@pytest.fixture
def trusted() -> Iterator[None]:
    client_of.cache_clear()
    PROXIES.trust(["10.1.0.0/16", "2001:db8::7"])
    yield
    PROXIES.trust([])
    client_of.cache_clear()


@pytest.mark.parametrize(
    ("neighbour", "forwarded", "client"),
    [
        ("10.1.2.3", "198.51.100.4", "198.51.100.4"),
        ("::ffff:10.1.2.3", "198.51.100.4", "198.51.100.4"),
        ("2001:db8::7", "198.51.100.4", "198.51.100.4"),
        # Through two of ours; what the client claims stands before.
        ("10.1.2.3", "203.0.113.9, 198.51.100.4, 10.1.9.9", "198.51.100.4"),
        ("127.0.0.1", "198.51.100.4,10.1.9.9", "198.51.100.4"),
        # All that is said is that our proxies asked.
        ("10.1.2.3", "10.1.9.9", "10.1.9.9"),
        ("10.1.2.3", None, "10.1.2.3"),
        ("10.1.2.3", "no address", "no address"),
        ("10.2.0.1", "198.51.100.4", "10.2.0.1"),
        ("2001:db8::8", "198.51.100.4", "2001:db8::8"),
    ],
)
@pytest.mark.usefixtures("trusted")
def test_named_proxies_say_who_the_client_is(
    neighbour: str, forwarded: str | None, client: str
) -> None:
    assert client_address(neighbour, forwarded) == client


@pytest.mark.usefixtures("trusted")
def test_connections_of_a_named_proxy_are_not_one_clients() -> None:
    assert client_of("10.1.2.3")[1]
    assert not client_of("10.2.0.1")[1]


def test_without_names_only_this_machine_is_believed() -> None:
    assert client_address("127.0.0.1", "a, 198.51.100.4") == "198.51.100.4"
    assert client_address("10.1.2.3", "198.51.100.4") == "10.1.2.3"


@pytest.mark.usefixtures("trusted")
def test_a_proxy_that_is_named_no_more_is_believed_no_more() -> None:
    before = client_address("10.1.2.3", "198.51.100.4")
    PROXIES.trust(["10.2.0.0/16"])

    assert before == "198.51.100.4"
    assert client_address("10.1.2.3", "198.51.100.4") == "10.1.2.3"
    assert client_address("10.2.0.1", "198.51.100.4") == "198.51.100.4"


def test_a_proxy_that_is_no_network_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"HV_EDGE__PROXIES: .*Write addresses"):
        PROXIES.trust(["gateway"])
