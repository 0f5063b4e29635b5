"""
How templates show values.
"""

import pytest
from jinja2 import UndefinedError

from hvcore_dashboard.rendering import duration, make_templates, number, size
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


def test_a_policy_names_what_a_page_loads_and_nothing_else() -> None:
    one = ContentPolicy(pictures=("https://a.test",), frames=("https://b.test",))

    header = one.joined(ContentPolicy(media=("blob:",))).header("N")

    rules = dict(rule.partition(" ")[::2] for rule in header.split("; "))
    assert rules["img-src"] == "'self' https://a.test"
    assert rules["media-src"] == "'self' blob:"
    assert rules["frame-src"] == "https://b.test"
    assert rules["script-src"] == "'self' 'nonce-N'"
    assert "script-src" not in one.header("")
