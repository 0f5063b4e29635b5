"""
Captions that people can read, made of spoken cues.
"""

from hvcore.domain.processing.speech import SpokenCue, SpokenWord
from hvcore.domain.videos.captions import read_captions, write_webvtt
from hvcore.domain.videos.spoken_captions import (
    MAX_LINE_CHARS,
    MAX_SHOWN_MS,
    caption_cues,
)


def spoken(text: str, *, word_ms: int = 400, between: str = " ") -> SpokenCue:
    words = [
        SpokenWord(
            text=word,
            start_ms=number * word_ms,
            end_ms=(number + 1) * word_ms,
            confidence=0.9,
        )
        for number, word in enumerate(text.split())
    ]
    return SpokenCue(
        start_ms=0,
        end_ms=words[-1].end_ms,
        text=between.join(word.text for word in words),
        words=tuple(words),
    )


def test_a_short_cue_is_shown_as_it_was_heard() -> None:
    (cue,) = caption_cues([spoken("Hello, world.")])

    assert (cue.start_ms, cue.end_ms, cue.text) == (0, 800, "Hello, world.")


def test_a_long_cue_is_cut_between_words_into_lines_that_can_be_read() -> None:
    heard = spoken("word " * 60)

    cues = caption_cues([heard])

    lines = [line for cue in cues for line in cue.text.split("\n")]
    assert " ".join(lines) == heard.text
    assert max(map(len, lines)) <= MAX_LINE_CHARS
    assert max(cue.text.count("\n") for cue in cues) == 1
    assert max(cue.end_ms - cue.start_ms for cue in cues) <= MAX_SHOWN_MS
    assert (cues[0].start_ms, cues[-1].end_ms) == (0, heard.end_ms)


def test_a_long_cue_is_cut_behind_a_sentence() -> None:
    first = "This sentence has more than forty-two characters."
    one, two, *_ = caption_cues([spoken(f"{first} " + "And so on it goes. " * 5)])

    assert one.text.replace("\n", " ") == first
    assert two.start_ms == one.end_ms


def test_a_cue_without_spaces_keeps_its_text() -> None:
    heard = spoken("日本 語 " * 40, between="")

    cues = caption_cues([heard])

    assert len(cues) > 1
    assert "".join(cue.text for cue in cues) == heard.text


def test_words_that_are_not_in_the_text_cut_nothing() -> None:
    heard = spoken("a " * 50)
    other = SpokenCue(
        start_ms=0, end_ms=heard.end_ms, text="Fifty times it.", words=heard.words
    )

    (cue,) = caption_cues([other])

    assert cue.text == "Fifty times it."


def test_spoken_words_are_never_markup() -> None:
    cues = caption_cues([spoken(r"<b>Tom</b> & {\an8}Jerry --> &lt;")])

    written = write_webvtt(cues)

    assert b"&lt;b&gt;Tom&lt;/b&gt; &amp; {\\an8}Jerry --&gt; &amp;lt;" in written
    assert read_captions(written, None).left_out == []


def test_a_cue_without_a_text_or_a_length_is_left_out() -> None:
    word = SpokenWord(text=" ", start_ms=0, end_ms=9, confidence=1.0)
    silent = SpokenCue(start_ms=0, end_ms=9, text=" ", words=(word,))
    short = SpokenCue(start_ms=9, end_ms=9, text="x", words=(word,))

    assert caption_cues([silent, short]) == []
