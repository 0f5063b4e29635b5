"""
Addresses that somebody else has written.
"""

import pytest

from hvcore.domain.playback.page_domains import origin_of
from hvcore.domain.web_addresses import is_origin_at, read_address

UNREADABLE = (
    "http://[",
    "http://[::1",
    "http://[v1.x",
    "//[",
    "http://a:99999999",
    "http://a:b",
    "http://a:-1",
    "http://a\u2100b",
)


@pytest.mark.parametrize("text", UNREADABLE)
def test_an_address_that_cannot_be_read_is_none(text: str) -> None:
    assert read_address(text) is None
    assert origin_of(text) is None
    assert not is_origin_at(text, "[")


@pytest.mark.parametrize("text", ["", "\x00", "null", "\ud800", "%", "http:", "//a:1"])
def test_any_other_text_has_parts(text: str) -> None:
    assert read_address(text) is not None


@pytest.mark.parametrize(
    ("origin", "host", "is_ours"),
    [
        ("https://a.test", "a.test", True),
        ("http://a.test:8080", "a.test:8080", True),
        ("https://b.test", "a.test", False),
        ("https://a.test:8080", "a.test", False),
        ("null", "a.test", False),
        ("null", "", False),
        ("null", None, False),
        ("", "", False),
    ],
)
def test_an_origin_is_ours_by_its_host(
    origin: str, host: str | None, *, is_ours: bool
) -> None:
    assert is_origin_at(origin, host) is is_ours
