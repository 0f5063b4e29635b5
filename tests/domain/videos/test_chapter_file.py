"""
Files of chapters that owners send.
"""

import pytest

from hvcore.domain.processing.chapters import (
    MAX_CHAPTER_TITLE_CHARS,
    MAX_CHAPTERS,
    Chapter,
)
from hvcore.domain.videos.chapter_file import read_chapters
from hvcore.errors import InvalidParametersError


def cue(second: int, title: str) -> str:
    at = f"{second // 60:02}:{second % 60:02}.000"
    after = f"{(second + 1) // 60:02}:{(second + 1) % 60:02}.000"
    return f"\n{at} --> {after}\n{title}\n"


def file(*cues: str) -> bytes:
    return ("WEBVTT\n" + "".join(cues)).encode()


def test_each_cue_is_a_chapter_with_a_plain_title() -> None:
    found = read_chapters(
        file(cue(1, "<b>Q&amp;A</b>\n2 &lt; 3"), cue(0, "<script>1</script>Intro"))
    ).chapters

    assert found == (
        Chapter(start_ms=0, end_ms=1000, title="1Intro"),
        Chapter(start_ms=1000, end_ms=2000, title="Q&A 2 < 3"),
    )


def test_references_in_titles_are_read() -> None:
    found = read_chapters(
        file(cue(0, "&quot;&eacute;t&eacute;&quot; &mdash; &amp;lt;"))
    )

    assert [one.title for one in found.chapters] == ['"été" — &lt;']


def test_too_many_chapters_are_refused() -> None:
    fits = [cue(at, "A") for at in range(MAX_CHAPTERS)]

    assert len(read_chapters(file(*fits)).chapters) == MAX_CHAPTERS
    with pytest.raises(InvalidParametersError, match="at most 500 chapters"):
        read_chapters(file(*fits, cue(MAX_CHAPTERS, "A")))


def test_too_long_a_title_is_refused() -> None:
    fits = "x" * MAX_CHAPTER_TITLE_CHARS

    assert read_chapters(file(cue(0, fits))).chapters[0].title == fits
    with pytest.raises(InvalidParametersError, match="this one has 201"):
        read_chapters(file(cue(0, fits + "x")))


def test_another_file_is_refused() -> None:
    with pytest.raises(InvalidParametersError, match="line 1: a WebVTT file begins"):
        read_chapters(b"CHAPTER01=00:00:00.000")
