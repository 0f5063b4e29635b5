"""
Which addresses are public, and which hosts an operator allows.
"""

from ipaddress import IPv4Address, ip_address

import pytest

from hvcore.errors import ConfigError
from hvcore.safe_http.addresses import inner_ipv4, is_public, parse_address
from hvcore.safe_http.allowed_hosts import AllowedHosts
from hvcore.safe_http.names import NotANameError, ascii_name, looks_like_a_number

PUBLIC = (
    "1.1.1.1",
    "8.8.8.8",
    "93.184.215.14",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "168.63.129.15",
    "168.63.129.17",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.0.3.0",
    "192.88.98.255",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2600::1",
    "2606:2800:220:1:248:1893:25c8:1946",
    "2a00:1450:4001:82a::200e",
    "2001:4860:4860::8888",
    "2001:200::1",
    "2003::1",
)
NOT_PUBLIC = (
    "0.0.0.0",  # noqa: S104 - judged, not bound to
    *("0.255.255.255", "10.0.0.0", "10.255.255.255"),
    *("100.64.0.0", "100.127.255.255", "127.0.0.0", "127.255.255.255"),
    *("168.63.129.16", "169.254.0.0", "169.254.255.255"),
    *("172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.255"),
    *("192.0.2.0", "192.0.2.255", "192.88.99.0", "192.88.99.255"),
    *("192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255"),
    *("198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255"),
    *("224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255"),
    *("::", "::1", "::2", "::ffff:ffff", "::8.8.8.8"),
    *("::ffff:0.0.0.0", "::ffff:8.8.8.8", "::ffff:255.255.255.255"),
    *("::ffff:0:8.8.8.8", "64:ff9b::", "64:ff9b::ffff:ffff", "64:ff9b::8.8.8.8"),
    *("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "100::", "100:0:0:1::1"),
    *("2001::", "2001:0:ffff::1", "2001:2::", "2001:10::", "2001:20::", "2001:30::"),
    *("2001:1ff:ffff::", "2001:db8::", "2001:db8:ffff::", "2002::", "2002:808:808::"),
    *("3fff::", "3fff:fff::", "4000::", "5f00::", "8000::", "e000::"),
    *("fc00::", "fdff::", "fe00::", "fe80::", "febf::", "fec0::", "feff::"),
    *("ff00::", "ff02::1", "ff0e::1", "ffff::"),
    *("2600::5efe:a00:1", "2600::200:5efe:808:808"),
)


@pytest.mark.parametrize("text", PUBLIC)
def test_public_addresses_are_public(text: str) -> None:
    assert is_public(ip_address(text))


@pytest.mark.parametrize("text", NOT_PUBLIC)
def test_no_other_address_is_public(text: str) -> None:
    assert not is_public(ip_address(text))


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("::10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("::ffff:0:10.0.0.1", "10.0.0.1"),
        ("64:ff9b::10.0.0.1", "10.0.0.1"),
        ("64:ff9b:1::10.0.0.1", "10.0.0.1"),
        ("2002:a00:1::5", "10.0.0.1"),
        ("2001:0:4136:e378:8000:63bf:f5ff:fffe", "10.0.0.1"),
        ("2600::5efe:a00:1", "10.0.0.1"),
        ("::1", None),
        ("::", None),
        ("2600::1", None),
        ("10.0.0.1", None),
    ],
)
def test_an_address_that_leads_to_another_is_seen_through(
    text: str, inner: str | None
) -> None:
    expected = None if inner is None else IPv4Address(inner)

    assert inner_ipv4(ip_address(text)) == expected


@pytest.mark.parametrize(
    "text",
    ["127.1", "0177.0.0.1", "0x7f.0.0.1", "2130706433", "010.0.0.1", "fe80::1%lo"],
)
def test_odd_spellings_are_no_addresses(text: str) -> None:
    assert parse_address(text) is None


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("Example.COM", "example.com"),
        ("example.com.", "example.com"),
        ("b\u00fccher.example", "xn--bcher-kva.example"),
        ("my_bucket.s3.example", "my_bucket.s3.example"),
        ("r3---sn-abc.example", "r3---sn-abc.example"),
        ("\uff11\uff10.0.0.1", "10.0.0.1"),
        ("example\u3002com", "example.com"),
    ],
)
def test_names_have_one_form(host: str, name: str) -> None:
    assert ascii_name(host) == name


@pytest.mark.parametrize(
    "host",
    ["", ".", "a..b", "-a.b", "a-.b", "a b", "a%62", "a/b", "a:1", "\ud800", "a" * 64],
)
def test_what_is_no_name_is_refused(host: str) -> None:
    with pytest.raises(NotANameError):
        ascii_name(host)


@pytest.mark.parametrize("name", ["1", "a.1", "0x", "a.0x7f", "127.0.0.1", "a.00"])
def test_what_ends_in_a_number_is_no_name(name: str) -> None:
    assert looks_like_a_number(name)


@pytest.mark.parametrize("name", ["1.a", "a1", "0xg", "example.com"])
def test_names_with_digits_are_names(name: str) -> None:
    assert not looks_like_a_number(name)


def test_a_name_is_allowed_on_every_port_or_on_one() -> None:
    allowed = AllowedHosts(["media.internal", " B\u00dcCHER.example:8443 "])

    assert allowed.has_name("media.internal", 1234)
    assert allowed.has_name("xn--bcher-kva.example", 8443)
    assert not allowed.has_name("xn--bcher-kva.example", 443)
    assert not allowed.has_name("sub.media.internal", 443)


@pytest.mark.parametrize(
    ("entry", "address", "port"),
    [
        ("10.1.0.0/16", "10.1.2.3", 99),
        ("10.1.2.3", "10.1.2.3", 99),
        ("10.1.2.3:8080", "10.1.2.3", 8080),
        ("::1", "::1", 99),
        ("[::1]:8080", "::1", 8080),
        ("[::1]", "::1", 99),
        ("fd00::/8", "fd12::1", 99),
    ],
)
def test_networks_and_addresses_are_allowed(
    entry: str, address: str, port: int
) -> None:
    allowed = AllowedHosts([entry])

    assert allowed.has_address(ip_address(address), port)
    assert allowed.has_networks(port)


@pytest.mark.parametrize(
    ("entry", "address", "port"),
    [
        ("10.1.0.0/16", "10.2.0.1", 99),
        ("10.1.2.3:8080", "10.1.2.3", 8081),
        ("10.0.0.0/8", "::ffff:10.0.0.1", 99),
        ("::/0", "::ffff:10.0.0.1", 99),
        ("::/0", "64:ff9b::127.0.0.1", 99),
        ("::/0", "10.0.0.1", 99),
    ],
)
def test_nothing_beside_them_is_allowed(entry: str, address: str, port: int) -> None:
    assert not AllowedHosts([entry]).has_address(ip_address(address), port)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("64:ff9b::10.0.0.1", True),
        ("64:ff9b::8.8.8.8", True),
        ("64:ff9b::192.168.0.1", False),
        ("64:ff9b::127.0.0.1", False),
    ],
)
def test_an_allowed_gateway_leads_to_what_is_public_or_allowed(
    text: str, *, expected: bool
) -> None:
    allowed = AllowedHosts(["64:ff9b::/96", "10.0.0.0/8"])

    assert allowed.has_address(ip_address(text), 443) is expected


@pytest.mark.parametrize(
    "entry",
    [
        *("", "*.internal", "http://media.internal", "media.internal/", "a b"),
        *("10.0.0.1/8", "10.1", "0x7f.1", "media:0", "media:65536", "media:x"),
        *("user@media", "[::1", "[::1]:", "::1:99999/3", "media:1:2"),
    ],
)
def test_what_is_no_host_is_refused_at_the_start(entry: str) -> None:
    with pytest.raises(ConfigError, match=r"fetch\.allowed_hosts"):
        AllowedHosts([entry])
