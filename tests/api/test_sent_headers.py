"""
Headers as a WSGI environment has them.
"""

import pytest

from hvcore_api.sent_headers import SentHeaders

HEADERS = SentHeaders(
    {
        "HTTP_X_API_KEY": "k",
        "HTTP_HOST": "h",
        "CONTENT_TYPE": "text/plain",
        "CONTENT_LENGTH": "",
        "REQUEST_METHOD": "GET",
        "wsgi.input": object(),
    }
)


def test_a_header_is_found_by_its_name_in_lower_case() -> None:
    assert HEADERS["x-api-key"] == "k"
    assert HEADERS["content-type"] == "text/plain"
    assert HEADERS.get("authorization") is None


@pytest.mark.parametrize("name", ["X-Api-Key", "request-method", "wsgi.input", ""])
def test_nothing_else_is_a_header(name: str) -> None:
    assert name not in HEADERS


def test_all_headers_are_listed() -> None:
    assert dict(HEADERS) == {
        "x-api-key": "k",
        "host": "h",
        "content-type": "text/plain",
    }
    assert len(HEADERS) == 3
