"""
Rows of the form that edits chapters.
"""

import pytest

from hvcore.errors import InvalidParametersError
from hvcore_dashboard.pages.video.chapter_rows import (
    MOST_ROWS,
    ChapterRow,
    clock,
    starts_of,
)

END_MS = 2 * 3_600_000


@pytest.mark.parametrize(
    ("text", "start_ms"),
    [
        ("0:00:00", 0),
        ("1:02:03", 3_723_000),
        ("0:00:12.5", 12_500),
        ("0:00:12,25", 12_250),
        ("2:03", 123_000),
        ("90:00", 5_400_000),
        ("75", 75_000),
    ],
)
def test_a_start_is_read_as_people_write_it(text: str, start_ms: int) -> None:
    assert starts_of([ChapterRow(1, text, "A")], end_ms=END_MS) == [(start_ms, "A")]


@pytest.mark.parametrize(
    "text", ["", "x", "1:60", "1:60:00", "1:2:3:4", "-1", "1:", "1.2345", "٣"]
)
def test_a_start_that_is_no_time_is_named(text: str) -> None:
    with pytest.raises(InvalidParametersError) as caught:
        starts_of([ChapterRow(7, text, "A")], end_ms=END_MS)

    (problem,) = caught.value.errors
    assert problem.location == "body.start-7"
    assert problem.message == "Write a time such as 0:01:30."


@pytest.mark.parametrize(
    "at_ms", [0, 1, 999, 1000, 12_500, 59_999, 3_599_000, 3_723_042]
)
def test_a_start_is_read_as_it_was_shown(at_ms: int) -> None:
    found = starts_of([ChapterRow(1, clock(at_ms), "A")], end_ms=END_MS)

    assert found == [(at_ms, "A")]


def test_all_wrong_rows_are_named_at_once() -> None:
    rows = [
        ChapterRow(1, "0:00", "A"),
        ChapterRow(2, "0", "B"),
        ChapterRow(3, "2:00:00", ""),
        ChapterRow(4, "1:00", "x" * 201),
    ]

    with pytest.raises(InvalidParametersError) as caught:
        starts_of(rows, end_ms=END_MS)

    assert {one.location: one.message for one in caught.value.errors} == {
        "body.start-2": "Another chapter begins at this time.",
        "body.start-3": "The video ends at 2:00:00; the chapter must begin before.",
        "body.title-3": "Write a title.",
        "body.title-4": "A title has at most 200 characters.",
    }


def test_more_rows_than_a_form_can_send_are_refused() -> None:
    rows = [ChapterRow(n, str(n), "A") for n in range(1, MOST_ROWS + 2)]

    assert len(starts_of(rows[:-1], end_ms=END_MS)) == MOST_ROWS
    with pytest.raises(InvalidParametersError, match="as a file"):
        starts_of(rows, end_ms=END_MS)
