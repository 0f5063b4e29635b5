"""
Times of speech and places of doubted words, without the words.
"""

import pytest

from hvcore.domain.processing.speech import SpokenCue, SpokenWord
from hvcore.domain.videos.caption_jobs import Transcript
from hvcore.domain.videos.captions import Cue
from hvcore.domain.videos.heard_speech import (
    MAX_SPANS,
    SpanMs,
    doubts_of,
    heard_speech,
    uncaptioned,
)
from hvcore.domain.videos.spoken_captions import caption_cues


def spoken(
    text: str, *doubted: int, start_ms: int = 0, word_ms: int = 400
) -> SpokenCue:
    """
    Make a cue whose words follow each other; some are doubted.
    """
    words = tuple(
        SpokenWord(
            text=word,
            start_ms=start_ms + number * word_ms,
            end_ms=start_ms + (number + 1) * word_ms,
            confidence=0.2 if number in doubted else 0.9,
        )
        for number, word in enumerate(text.split())
    )
    return SpokenCue(start_ms=start_ms, end_ms=words[-1].end_ms, text=text, words=words)


def test_doubted_words_are_found_in_the_cues_that_are_published() -> None:
    long = "the the rain in Spain stays mainly in the plain and the the hills beyond it"
    said = Transcript(
        language="en",
        cues=(
            spoken("Cats & <b> dogs", 1, 2),
            spoken(long, 1, 12, start_ms=10_000),
            spoken("sure words", start_ms=60_000),
        ),
    )
    cues = caption_cues(said.cues)

    found = doubts_of(heard_speech(said), cues)

    assert found[0] == ((5, 6), (7, 10))
    assert sum(map(len, found.values())) == 4
    assert len(cues) - 1 not in found


def test_a_changed_cue_has_no_doubted_words() -> None:
    said = Transcript(
        language="en", cues=(spoken("one two", 0), spoken("three", 0, start_ms=5_000))
    )
    first, second = caption_cues(said.cues)
    heard = heard_speech(said)

    changed = Cue(start_ms=first.start_ms, end_ms=first.end_ms, text="one too")
    moved = Cue(start_ms=second.start_ms + 1, end_ms=second.end_ms, text=second.text)

    assert doubts_of(heard, [first, second]) == {0: ((0, 3),), 1: ((0, 5),)}
    assert doubts_of(heard, [changed, moved]) == {}


def test_short_pauses_are_part_of_speech() -> None:
    said = Transcript(
        language="en",
        cues=(spoken("a b"), spoken("c", start_ms=1_100), spoken("d", start_ms=1_801)),
    )

    assert heard_speech(said).spans == ((0, 1_500), (1_801, 2_201))


def test_speech_of_a_day_with_pauses_is_kept_in_few_spans() -> None:
    # A sound of ten hours with a word, in doubt, each two seconds.
    said = Transcript(
        language="en",
        cues=tuple(
            spoken("a", 0, start_ms=at_ms) for at_ms in range(0, 36_000_000, 2_000)
        ),
    )

    heard = heard_speech(said)

    assert 0 < len(heard.spans) <= MAX_SPANS
    assert (heard.spans[0][0], heard.spans[-1][1]) == (0, 35_998_400)
    assert len(heard.doubted) == MAX_SPANS


def test_pauses_are_kept_while_there_are_no_more_spans_than_may_be() -> None:
    cues = [spoken("a", start_ms=60_000 * number) for number in range(MAX_SPANS)]

    heard = heard_speech(Transcript(language="en", cues=tuple(cues)))

    assert len(heard.spans) == MAX_SPANS


@pytest.mark.parametrize(
    ("shown", "gaps"),
    [
        ([], [(1_000, 9_000), (20_000, 21_000)]),
        ([(0, 30_000)], []),
        # A cue may begin or end half a second aside.
        ([(1_500, 8_500), (20_400, 20_600)], []),
        ([(1_000, 3_000)], [(3_500, 9_000), (20_000, 21_000)]),
        ([(4_000, 5_000)], [(1_000, 3_500), (5_500, 9_000), (20_000, 21_000)]),
        (
            [(8_000, 20_000), (2_000, 3_000)],
            [(1_000, 1_500), (3_500, 7_500), (20_500, 21_000)],
        ),
    ],
)
def test_speech_outside_of_cues_is_found(
    shown: list[SpanMs], gaps: list[SpanMs]
) -> None:
    assert list(uncaptioned([(1_000, 9_000), (20_000, 21_000)], shown)) == gaps
