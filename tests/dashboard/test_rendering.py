"""
Values as templates show them.
"""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from jinja2 import UndefinedError

from hvcore_dashboard.rendering import (
    day,
    duration,
    iso,
    make_templates,
    moment,
    near_pages,
    number,
    query,
    size,
)
from hvcore_dashboard.security import ContentPolicy


def shown(template: str, **values: object) -> str:
    return make_templates().from_string(template).render(**values)


def test_a_forgotten_condition_shows_nothing() -> None:
    assert shown("[{{ value }}]", value=None) == "[]"


def test_a_missing_name_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        shown("{{ value }}")


def test_lines_stay_where_they_are_edited() -> None:
    assert shown("{{ text | lines }}", text="a\r\n<b>\u202e\nc") == "\na\n&lt;b&gt;\nc"


def test_attributes_are_escaped() -> None:
    text = shown(
        "<p{{ values | attributes }}>",
        values={"data_x": '"><b>', "hidden": True, "open": False, "id": None},
    )

    assert text == '<p data-x="&#34;&gt;&lt;b&gt;" hidden>'


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KB"),
        (1536, "1.5 KB"),
        (5 * 1024**3, "5 GB"),
        (3 * 1024**4, "3 TB"),
    ],
)
def test_sizes_are_read_at_a_glance(given: int, text: str) -> None:
    assert size(given) == text


@pytest.mark.parametrize(
    ("given", "text"), [(0, "0:00"), (59.5, "1:00"), (3599, "59:59"), (3661, "1:01:01")]
)
def test_lengths_are_those_of_a_clock(given: float, text: str) -> None:
    assert duration(given) == text


def test_numbers_have_their_thousands_apart() -> None:
    assert number(1_234_567) == "1,234,567"
    assert number(1.5) == "1.50"


@pytest.mark.parametrize(
    ("page", "last", "shown"),
    [
        (1, 1, [1]),
        (1, 3, [1, 2, 3]),
        (1, 9, [1, 2, 3, None, 9]),
        (4, 9, [1, 2, 3, 4, 5, 6, None, 9]),
        (5, 9, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (6, 11, [1, None, 4, 5, 6, 7, 8, None, 11]),
        (9, 9, [1, None, 7, 8, 9]),
    ],
)
def test_pages_near_the_shown_one_have_links_and_so_have_the_ends(
    page: int, last: int, shown: list[int | None]
) -> None:
    assert near_pages(page, last) == shown


def test_times_are_those_of_utc() -> None:
    at = datetime(2026, 3, 6, 0, 30, tzinfo=timezone(timedelta(hours=3)))

    assert iso(at) == "2026-03-05T21:30:00Z"
    assert (moment(at), day(at)) == ("5 Mar 2026, 21:30 UTC", "5 Mar 2026")
    assert iso(datetime(2026, 3, 5, tzinfo=UTC)) == "2026-03-05T00:00:00Z"


def test_a_query_leaves_out_what_is_not_said() -> None:
    assert query({"a": None, "b": "", "c": 0, "d": "x y"}) == "?c=0&d=x+y"
    assert query({"a": None}) == ""
    assert shown("{{ {'a': nothing, 'b': 1} | query }}") == "?b=1"


def test_code_keeps_its_indentation_and_nothing_hidden() -> None:
    assert shown("{{ text | code }}", text="<a\n  b\u202e c\n") == "&lt;a\n  b c"


def test_a_policy_names_what_a_page_loads_and_nothing_else() -> None:
    one = ContentPolicy(pictures=("https://a.test",), frames=("https://b.test",))

    header = one.joined(ContentPolicy(media=("blob:",))).header("N")

    rules = dict(rule.partition(" ")[::2] for rule in header.split("; "))
    assert rules["img-src"] == "'self' https://a.test"
    assert rules["media-src"] == "'self' blob:"
    assert rules["frame-src"] == "https://b.test"
    assert rules["script-src"] == "'self' 'nonce-N'"
    assert "script-src" not in one.header("")
