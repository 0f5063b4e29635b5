"""
Domains as people type and paste them.
"""

import pytest

from hvcore_dashboard.pages.video.typed_domains import host_names


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("example.com", "example.com"),
        ("https://www.Example.com/blog/?post=1#top", "www.example.com"),
        ("http://example.com:8080", "example.com"),
        ("example.com/blog", "example.com"),
        ("//example.com/blog", "example.com"),
        ("example.com.", "example.com"),
        ("*.example.com", "*.example.com"),
        ("localhost:3000", "localhost"),
        ("https://example.com/news,1234", "example.com"),
        ("https://m\u00fcller.example/", "xn--mller-kva.example"),
        ("*.m\u00fcller.example", "*.xn--mller-kva.example"),
    ],
)
def test_an_address_is_reduced_to_its_host(typed: str, host: str) -> None:
    assert host_names(typed) == host


def test_several_domains_are_split_at_whatever_is_between_them() -> None:
    typed = "https://a.example/x,b.example c.example;\nd.example,, a.example"

    assert host_names(typed) == "a.example,b.example,c.example,d.example"


@pytest.mark.parametrize(
    "typed",
    [
        "ann@example.com",
        "https://ann@example.com",
        "http://[",
        "https://:80",
        "fa\u00df.example",
        "a" * 70 + "\u00fc.example",
    ],
)
def test_text_without_a_plain_host_stays_to_be_refused(typed: str) -> None:
    assert host_names(typed) == typed
