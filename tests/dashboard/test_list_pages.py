"""
Numbered pages of lists, and the whole numbers in addresses.
"""

import falcon
import pytest
from falcon.testing import create_environ

from hvcore_dashboard.list_pages import PAGE_SIZE, list_page
from hvcore_dashboard.whole_numbers import whole_number


@pytest.mark.parametrize(
    ("asked", "total", "number", "last"),
    [
        ("", 0, 1, 1),
        ("page=1", PAGE_SIZE, 1, 1),
        ("page=2", PAGE_SIZE, 1, 1),
        ("page=2", PAGE_SIZE + 1, 2, 2),
        ("page=3", 3 * PAGE_SIZE, 3, 3),
        ("page=9", 3 * PAGE_SIZE, 3, 3),
        ("page=0", 3 * PAGE_SIZE, 1, 3),
        ("page=x", 3 * PAGE_SIZE, 1, 3),
    ],
)
def test_a_page_that_is_not_there_is_the_nearest_one(
    asked: str, total: int, number: int, last: int
) -> None:
    req = falcon.Request(create_environ(query_string=asked))

    page = list_page(req, total)

    assert page.shown == {"page": number, "last": last, "total": total}
    assert page.offset == (number - 1) * PAGE_SIZE


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("7", 7),
        ("9" * 18, 10**18 - 1),
        ("9" * 19, None),
        ("-1", None),
        ("²", None),
        ("1.0", None),
        ("", None),
        (None, None),
    ],
)
def test_a_whole_number_has_at_most_eighteen_digits(
    text: str | None, found: int | None
) -> None:
    assert whole_number(text) == found
