"""
The pages on which a token may be used.
"""

import pytest

from hvcore.domain.playback.page_domains import host_of, is_page_listed, origin_of


def listed(domains: str, page: str) -> bool:
    return is_page_listed(tuple(domains.split(",")), origin=page, referer=None)


@pytest.mark.parametrize(
    ("domains", "page", "is_listed"),
    [
        ("example.com", "https://example.com", True),
        ("example.com", "http://EXAMPLE.com:8080", True),
        ("example.com", "https://a.example.com", False),
        ("example.com", "https://example.com.evil.test", False),
        ("example.com", "https://evil.test/example.com", False),
        ("example.com", "https://notexample.com", False),
        ("*.example.com", "https://a.example.com", True),
        ("*.example.com", "https://a.b.example.com", True),
        ("*.example.com", "https://example.com", False),
        ("*.example.com", "https://aexample.com", False),
        ("example.com", "null", False),
        ("example.com", "", False),
        ("example.com", "https://user@example.com", False),
        ("example.com", "https://example.com@evil.test", False),
        ("example.com", "https://example.com\\@evil.test", False),
        ("example.com", "https://evil.test, https://example.com", False),
        ("example.com", "file://example.com", False),
    ],
)
def test_a_page_is_judged_by_its_host(
    domains: str, page: str, *, is_listed: bool
) -> None:
    assert listed(domains, page) is is_listed


def test_the_referer_counts_where_there_is_no_origin() -> None:
    domains = ("example.com",)
    page = "https://example.com/a?b#c"

    assert is_page_listed(domains, origin=None, referer=page)
    assert not is_page_listed(domains, origin="https://evil.test", referer=page)
    assert not is_page_listed(domains, origin="null", referer=page)
    assert not is_page_listed(domains, origin=None, referer=None)


def test_the_parts_of_an_address() -> None:
    assert host_of("https://a.example:1/x") == "a.example"
    assert origin_of("https://A.example:1/x/y") == "https://a.example:1"
    assert origin_of("") is None
