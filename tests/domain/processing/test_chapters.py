"""
Chapters as somebody has written them, made fit for a line of time.
"""

from hypothesis import given
from hypothesis import strategies as st

from hvcore.domain.processing.chapters import (
    MAX_CHAPTER_TITLE_CHARS,
    MAX_CHAPTERS,
    Chapter,
    arranged,
    begun_at,
    within,
)


def chapter(start_ms: int, end_ms: int, title: str = "A") -> Chapter:
    return Chapter(start_ms=start_ms, end_ms=end_ms, title=title)


marks = st.lists(
    st.builds(chapter, st.integers(-5000, 5000), st.integers(-5000, 9000), st.text()),
    max_size=12,
)


@given(marks)
def test_chapters_come_in_order_and_never_overlap(given_marks: list[Chapter]) -> None:
    found = arranged(given_marks)

    moments = [at for one in found for at in (one.start_ms, one.end_ms)]
    assert moments == sorted(moments)
    assert all(0 <= one.start_ms < one.end_ms for one in found)
    assert all(one.title.isprintable() and one.title.strip() for one in found)
    assert arranged(found) == found


def test_a_chapter_ends_where_the_next_begins() -> None:
    found = arranged([chapter(2000, 9000, "B"), chapter(0, 9000), chapter(0, 1000)])

    assert found == (chapter(0, 2000), chapter(2000, 9000, "B"))


def test_titles_are_one_line_of_what_can_be_seen() -> None:
    found = arranged(
        [
            chapter(0, 1, "  One\r\n\ttwo\x00\x1b[2J "),
            chapter(1, 2, "\x07"),
            chapter(2, 3, "x" * 999),
        ]
    )

    assert [one.title for one in found] == [
        "One two[2J",
        "Chapter 2",
        "x" * MAX_CHAPTER_TITLE_CHARS,
    ]


def test_there_are_so_many_chapters_and_no_more() -> None:
    found = arranged(chapter(at, at + 1) for at in range(MAX_CHAPTERS + 1))

    assert len(found) == MAX_CHAPTERS


def test_chapters_end_with_the_video() -> None:
    three = arranged([chapter(0, 4000), chapter(4000, 9000), chapter(12_000, 20_000)])

    assert within(three, 8.0) == (chapter(0, 4000), chapter(4000, 8000))


def test_chapters_of_starts_alone_end_at_the_next_and_at_the_end_of_the_video() -> None:
    found = begun_at([(2000, "B"), (0, "A")], end_ms=9000)

    assert found == (chapter(0, 2000, "A"), chapter(2000, 9000, "B"))


def test_a_chapter_that_ended_early_still_does_after_an_edit() -> None:
    before = [chapter(0, 1000), chapter(2000, 3000), chapter(3000, 8000)]

    found = begun_at([(0, "A"), (2000, "A"), (3000, "A")], before=before, end_ms=9000)
    shorter = begun_at([(0, "A"), (2000, "A")], before=before, end_ms=9000)

    assert found == tuple(before)
    # What ended because another began goes on without it.
    assert shorter == (chapter(0, 1000), chapter(2000, 9000))
