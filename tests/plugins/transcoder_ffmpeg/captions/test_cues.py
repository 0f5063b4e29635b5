"""
WebVTT that ffmpeg writes, put in order.
"""

import random
import tracemalloc

import pytest

from hvcore.domain.videos.captions import CaptionFormat, Cue, read_captions
from hvcore_transcoder_ffmpeg.captions.cues import (
    MAX_CUE_LINES,
    MAX_LINE_CHARS,
    ordered_cues,
)


def ordered(written: str, *, codec: str = "subrip", start_s: float = 0.0) -> str:
    return ordered_cues(written, codec=codec, start_s=start_s, check=lambda: None)


def cues(written: str, *, codec: str = "subrip", start_s: float = 0.0) -> list[Cue]:
    made = ordered(written, codec=codec, start_s=start_s)
    if not made:
        return []
    return list(read_captions(made.encode(), CaptionFormat.WEBVTT).cues)


def cue(text: str, *, times: str = "00:01.000 --> 00:02.000") -> str:
    return f"\n{times}\n{text}\n"


def texts(written: str, *, codec: str = "subrip") -> list[str]:
    return [found.text for found in cues("WEBVTT\n" + written, codec=codec)]


def test_times_begin_with_the_video() -> None:
    written = "WEBVTT\n" + cue("a", times="00:05.250 --> 01:00:07.000")

    (found,) = cues(written, start_s=5.0)

    assert (found.start_ms, found.end_ms) == (250, 3_602_000)


@pytest.mark.parametrize(
    ("times", "kept"),
    [
        ("00:02.000 --> 00:04.000", (0, 1000)),
        ("00:01.000 --> 00:03.000", None),
        ("00:-1.-500 --> 00:04.000", (0, 1000)),
        ("00:-1.-500 --> 00:00.-20", None),
        ("00:05.000 --> 00:05.000", None),
        ("00:06.000 --> 00:05.000", None),
        ("00:04.000 --> 1193:02:47.295", (1000, 359_999_999)),
        ("2000:00:00.000 --> 3000:00:00.000", None),
        ("9" * 5000 + ":00:00.000 --> 00:04.000", (0, 1000)),
    ],
)
def test_what_is_shown_at_no_time_of_the_video_is_left_out(
    times: str, kept: tuple[int, int] | None
) -> None:
    found = cues("WEBVTT\n" + cue("a", times=times) + cue("b"), start_s=3.0)

    assert [(one.start_ms, one.end_ms) for one in found] == ([kept] if kept else [])


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("one\n\ntwo", "one\ntwo"),
        ("\n\none", "one"),
        ("a --> b", "a --&gt; b"),
        ("a\n\nb --> c\n\nWEBVTT\n\nNOTE d", "a\nb --&gt; c\nWEBVTT\nNOTE d"),
        ("a --\x01> b", "a -- &gt; b"),
        ("a\x01\n\x0b\nb\0c", "a\nb c"),
        ("a\rb\r\r--> c", "a b --&gt; c"),
        ("\N{BOM}a\u2028b", "a b"),
        ("<i>a</i> <script>b</script>", "<i>a</i> b"),
    ],
)
def test_a_text_stays_one_text_whatever_it_holds(written: str, read: str) -> None:
    assert texts(cue(written) + cue("next")) == [read, "next"]


def test_a_text_that_nobody_can_read_does_not_cost_the_others() -> None:
    long, tall = "x" * 2001, "\n".join("ab" * 30)

    assert texts(cue(long) + cue(tall) + cue("-->" * 600) + cue("a")) == ["a"]


def test_a_text_may_have_as_many_lines_and_as_long_ones_as_the_limits() -> None:
    widest, tallest = "x" * MAX_LINE_CHARS, "\n".join(["ab"] * MAX_CUE_LINES)
    blanks = " \n" * 9 + "y"
    wider, taller = f"{widest}x", f"{tallest}\nab"

    found = texts("".join(map(cue, (widest, wider, tallest, taller, blanks))))

    assert found == [widest, tallest, "y"]


def test_a_letter_of_drawings_alone_is_a_text() -> None:
    written = ["m", "M 1 2 n", "m 1 x", "n 1 2", "{\\i1}", "m{\\i1}"]

    assert texts("".join(map(cue, written)), codec="ass") == ["m", "m 1 x", "n 1 2"]


def test_the_work_may_be_ended_every_few_cues() -> None:
    asked = []
    written = "WEBVTT\n" + cue("a") * 4001

    ordered_cues(
        written, codec="subrip", start_s=0.0, check=lambda: asked.append(len(asked))
    )

    assert len(asked) == 3


def test_what_styled_subtitles_draw_and_say_in_layers_is_no_text() -> None:
    drawn = "m 0 0 l 100 0 100 100.5 b -1 2 3 4 5 6"
    written = cue(drawn) + cue(f"<i>{drawn}</i>") + cue("{\\k10}a{note}\\hb")
    again = written + cue("{\\blur3}a\\hb")

    assert texts(again, codec="ass") == ["a b"]
    assert texts(cue("{a}") + cue("m 0 0"), codec="subrip") == ["{a}", "m 0 0"]


def test_a_text_of_a_megabyte_takes_a_few_times_its_size() -> None:
    for body in ("m" + " 1" * 500_000 + "x", "m 1" + "\n1" * 500_000):
        written = "WEBVTT\n" + cue(body) + cue("a")
        tracemalloc.start()
        try:
            assert ordered(written, codec="ass").endswith("\na\n")
            most_bytes = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        # A list of a hundred thousands of lines has its weight, too.
        assert most_bytes < 80 * len(body)


def test_a_drawing_of_a_thousand_lines_takes_little_memory() -> None:
    drawn = "m" + " 1" * 900
    body = "\n".join([drawn, *[" 1" * 900] * 49])
    tracemalloc.start()
    try:
        assert texts(cue(body + "\nx") + cue("a"), codec="ass") == ["a"]
        assert texts(cue(body) + cue("a"), codec="ass") == ["a"]
        most_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most_bytes < 80 * len(body)


def test_nothing_is_written_where_there_is_no_text() -> None:
    for written in ("", "WEBVTT\n", "WEBVTT\n" + cue("") + cue(" \n\x01")):
        assert ordered(written) == ""


def test_readers_take_all_that_is_written() -> None:
    chance = random.Random(7)  # noqa: S311 - the same texts each time
    pieces = [
        *("\n", "\n\n", "00:01.000 --> 00:02.000", "--> ", "-->", "\r", "\0", "\x0b"),
        *("\x85", "\u2028", "\ufeff", "<", ">", "&", "{\\p1}", "m 0 0 l 1 1", "WEBVTT"),
        *("NOTE", "x" * 700, " ", "\t", "1", "99:99:99.999", "--\x01>", "é", "\N{BOM}"),
    ]
    read = 0
    for _ in range(3000):
        body = "".join(chance.choices(pieces, k=chance.randrange(40)))
        written = "WEBVTT\n" + cue(body) + cue(body[::-1])
        made = ordered(written, codec=chance.choice(["ass", "subrip"]))
        if not made:
            continue
        # One that is no markup: a file of empty texts is refused.
        made += cue("end")
        read += len(read_captions(made.encode(), CaptionFormat.WEBVTT).cues) > 1
    assert read > 1000
