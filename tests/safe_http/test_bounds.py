"""
Bounds of addresses and of answers: the last that is allowed is, and the next one is not.
"""

import pytest

from hvcore.errors import ConfigError
from hvcore.safe_http.addresses import parse_address
from hvcore.safe_http.allowed_hosts import AllowedHosts
from hvcore.safe_http.errors import OutboundError, TargetRefusedError
from hvcore.safe_http.names import MAX_NAME_CHARS, NotANameError, ascii_name
from hvcore.safe_http.targets import MAX_URL_CHARS, parse_target
from hvcore.safe_http.watching import MAX_HEAD_BYTES, Watch

LABEL = "a" * 63


def allow(port: int) -> None:
    entry = f"10.0.0.1:{port}"
    address = parse_address("10.0.0.1")
    assert address is not None
    assert AllowedHosts([entry]).has_address(address, port)
    assert not AllowedHosts([entry]).has_address(address, port - 1)


@pytest.mark.parametrize("port", [1, 65535])
def test_the_first_and_the_last_port_are_ports(port: int) -> None:
    assert parse_target(f"https://a.example:{port}/").port == port
    allow(port)


@pytest.mark.parametrize("port", [0, 65536, 99999])
def test_no_other_number_is_a_port(port: int) -> None:
    with pytest.raises(TargetRefusedError, match="a port that does not exist"):
        parse_target(f"https://a.example:{port}/")
    with pytest.raises(ConfigError, match="is not a host"):
        allow(port)


@pytest.mark.parametrize("dot", ["", "."])
def test_names_and_their_parts_are_as_long_as_names_may_be(dot: str) -> None:
    longest = ".".join([LABEL] * 3 + [LABEL[:-2]])
    assert len(longest) == MAX_NAME_CHARS

    assert ascii_name(longest + dot) == longest
    with pytest.raises(NotANameError, match="too long"):
        ascii_name("a" + longest + dot)
    with pytest.raises(NotANameError, match="characters"):
        ascii_name(f"{LABEL}a.example{dot}")


def test_an_address_is_as_long_as_addresses_may_be() -> None:
    longest = "https://a.example/".ljust(MAX_URL_CHARS, "x")

    assert parse_target(longest).resource.endswith("x")
    with pytest.raises(TargetRefusedError, match=f"more than {MAX_URL_CHARS}"):
        parse_target(longest + "x")


@pytest.mark.parametrize(
    ("url", "host_and_port", "resource", "is_usual"),
    [
        ("https://A.example", "a.example:443", "/", True),
        ("HTTPS://a.example?x=1#y", "a.example:443", "/?x=1", True),
        ("https://a.example:8443/b/?c#d?e", "a.example:8443", "/b/?c", False),
        ("http://a.example:443/%20ä", "a.example:443", "/%20%C3%A4", False),
        ("http://1.2.3.4/", "1.2.3.4:80", "/", False),
        ("https://[2001:DB8::1]/", "[2001:db8::1]:443", "/", True),
        ("https://[2001:db8::1]:1/", "[2001:db8::1]:1", "/", False),
    ],
)
def test_an_address_is_taken_apart(
    url: str, host_and_port: str, resource: str, *, is_usual: bool
) -> None:
    target = parse_target(url)

    assert (target.host_and_port, target.resource) == (host_and_port, resource)
    assert target.is_usual is is_usual
    assert (target.address is None) == ("a.example" in url.lower())


def watch(limit_s: float = 60) -> Watch:
    return Watch(limit_s, lambda: None)


def test_a_head_is_as_long_as_heads_may_be_and_a_body_longer() -> None:
    watched = watch()
    for _ in range(2):
        watched.expect_head()
        watched.received(MAX_HEAD_BYTES - 1)
        watched.received(1)
        watched.expect_body(ends_with_connection=False)
        watched.received(MAX_HEAD_BYTES + 1)

    watched.expect_head()
    with pytest.raises(OutboundError, match="head of the answer is too long"):
        watched.received(MAX_HEAD_BYTES + 1)


def test_a_connection_ends_an_answer_only_where_nothing_else_marks_its_end() -> None:
    watched = watch()
    with pytest.raises(ConnectionError):
        watched.received(0)
    watched.expect_body(ends_with_connection=False)
    with pytest.raises(ConnectionError):
        watched.received(0)
    watched.expect_body(ends_with_connection=True)
    watched.received(0)
    watched.expect_head()
    with pytest.raises(ConnectionError):
        watched.received(0)


def test_a_request_whose_time_is_over_has_none_left() -> None:
    over = watch(0)

    assert over.left_s == 0
    with pytest.raises(OutboundError, match="did not finish within 0 s"):
        over()
    assert 0 < watch().left_s <= 60
    watch()()


def test_the_check_of_a_caller_goes_before_the_time() -> None:
    def cancel() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Watch(0, cancel)()
