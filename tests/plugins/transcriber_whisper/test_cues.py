"""Segments of the library become cues whose times never run back."""

from types import SimpleNamespace

from hvcore_transcriber_whisper.cues import CueMaker


def word(
    written: str, start: float, end: float, probability: float = 0.9
) -> SimpleNamespace:
    return SimpleNamespace(word=written, start=start, end=end, probability=probability)


def test_a_cue_ends_at_a_pause() -> None:
    maker = CueMaker(9_000)
    words = [word(" One", 0, 1), word(" two.", 1, 2), word(" Three.", 5, 6)]

    first, second = maker.cues_of(words)

    assert (first.text, first.start_ms, first.end_ms) == ("One two.", 0, 2_000)
    assert (second.text, second.start_ms, second.end_ms) == ("Three.", 5_000, 6_000)


def test_words_keep_the_spaces_of_their_language() -> None:
    words = [word("你", 0, 1), word("好", 1, 2), word(" l", 2, 3), word("'art", 3, 4)]

    (cue,) = CueMaker(9_000).cues_of(words)

    assert cue.text == "你好 l'art"
    assert [one.text for one in cue.words] == ["你", "好", "l", "'art"]


def test_times_that_run_back_are_moved() -> None:
    maker = CueMaker(9_000)
    (first,) = maker.cues_of([word(" One", 1, 3), word(" two", 2, 2.5)])
    (second,) = maker.cues_of([word(" three", 0.5, 3.5)])

    assert [(one.start_ms, one.end_ms) for one in first.words] == [
        (1_000, 3_000),
        (3_000, 3_000),
    ]
    assert (second.start_ms, second.end_ms) == (3_000, 3_500)


def test_no_cue_ends_after_the_sound() -> None:
    (cue,) = CueMaker(2_500).cues_of([word(" One", 1, 2), word(" two", 2.9, 3.4)])

    assert (cue.end_ms, cue.words[1].start_ms) == (2_500, 2_500)


def test_empty_words_are_left_out() -> None:
    assert list(CueMaker(9_000).cues_of([word(" ", 1, 2)])) == []


def test_a_confidence_lies_between_0_and_1() -> None:
    (cue,) = CueMaker(9_000).cues_of([word("a", 0, 1, 1.0000001), word("b", 1, 2, -1)])

    assert [one.confidence for one in cue.words] == [1.0, 0.0]
