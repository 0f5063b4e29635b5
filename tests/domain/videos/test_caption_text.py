"""
Caption files: what is read, what is refused, and what is written.
"""

import re
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime

import attrs
import pytest

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.caption_text import readable_text, without_invisible
from hvcore.domain.videos.captions import (
    MAX_CUE_LINES,
    MAX_CUES,
    MAX_LINE_CHARS,
    CaptionFormat,
    CaptionTrack,
    read_captions,
    read_written,
    write_webvtt,
)
from hvcore.errors import InvalidParametersError
from hvcore.manifests.captions import (
    captions_playlist,
    offer_captions,
    offer_captions_in_manifest,
)
from hvcore.manifests.languages import canonical_tag

VTT = """WEBVTT - a title
Kind: captions

NOTE
Not for viewers.

STYLE
::cue { color: red }

intro
00:01.000 --> 00:02.500 align:start position:10%,line-left region:x size:400%
Hello
<i>there</i>

00:00:00.000 --> 00:00:01.000
First
"""
SRT = """1
00:00:01,000 --> 00:00:02,500
{\\an8}Hello <font color="red">you</font>

2
00:01:03,004 --> 00:02:00,000  X1:1 X2:2 Y1:3 Y2:4
R&B, 1 < 2
"""
HEADER = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n"
CUE = "00:00:01.000 --> 00:00:02.000\nHi\n"
# What grows with the square of a length takes minutes; slow machines take three seconds.
HOSTILE_S = 6.0 if sys.gettrace() is None else 60.0
"""Coverage makes each line slower."""


def converted(text: str, expected: CaptionFormat | None = None) -> str:
    return write_webvtt(read_captions(text.encode(), expected).cues).decode()


def refusal(data: str | bytes, expected: CaptionFormat | None = None) -> str:
    sent = data if isinstance(data, bytes) else data.encode()
    with pytest.raises(InvalidParametersError) as caught:
        read_captions(sent, expected)
    assert [error.location for error in caught.value.errors] == ["body"]
    return caught.value.detail


@pytest.mark.parametrize("expected", [None, CaptionFormat.WEBVTT])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_webvtt_is_written_anew_in_order(
    expected: CaptionFormat | None, ending: str, mark: str
) -> None:
    assert converted(mark + VTT.replace("\n", ending), expected) == (
        f"{HEADER}00:00:00.000 --> 00:00:01.000\nFirst\n\n"
        "00:00:01.000 --> 00:00:02.500 align:start position:10%,line-left\n"
        "Hello\n<i>there</i>\n"
    )


@pytest.mark.parametrize("expected", [None, CaptionFormat.SUBRIP])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r", " \n"])
def test_subrip_becomes_webvtt(expected: CaptionFormat | None, ending: str) -> None:
    assert converted(SRT.replace("\n", ending), expected) == (
        f"{HEADER}00:00:01.000 --> 00:00:02.500\nHello you\n\n"
        "00:01:03.004 --> 00:02:00.000\nR&amp;B, 1 &lt; 2\n"
    )


def test_written_webvtt_is_read_as_the_same() -> None:
    once = converted(VTT)

    assert converted(once, CaptionFormat.WEBVTT) == once


def test_cues_of_a_written_file_are_read_however_long_their_lines_became() -> None:
    cues = read_captions(f"WEBVTT\n\n{CUE}{'&' * MAX_LINE_CHARS}\n".encode(), None).cues

    assert read_written(write_webvtt(cues)) == cues


def test_a_cue_without_text_is_left_out() -> None:
    assert converted(f"WEBVTT\n\n00:09.000 --> 00:10.000\n\n{CUE}") == HEADER + CUE


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "without a cue"),
        ("WEBVTT", 1, "without a cue"),
        ("WEBVTT\n\nNOTE 00:01.000 --> 00:02.000\n", 3, "two times"),
        ("WEBVTT\n\nname\n", 3, "without times"),
        ("WEBVTT\n\nname\nother\n", 3, "without times"),
        ("WEBVTT\n\n00:01 --> 00:02.000\nHi\n", 3, "two times"),
        ("WEBVTT\n\n00:61.000 --> 02:00.000\nHi\n", 3, "two times"),
        ("WEBVTT\n\n00:01,000 --> 00:02,000\nHi\n", 3, "two times"),
        ("WEBVTT\n\n-1:00:01.000 --> 00:02.000\nHi\n", 3, "two times"),
        ("WEBVTT\n\n00:0٣.000 --> 00:05.000\nHi\n", 3, "two times"),
        ("WEBVTT\n\n9999:00:01.000 --> 9999:02:00.000\nHi\n", 3, "two times"),
        ("WEBVTT\n\nx\n00:02.000 --> 00:01.000\nHi\n", 4, "end after"),
        ("WEBVTT\n\n00:01.000 --> 00:01.000\nHi\n", 3, "end after"),
        (f"WEBVTT\n\n{CUE}\0\n", 5, "NUL"),
        (f"WEBVTT\n\n{CUE}{'x' * (MAX_LINE_CHARS + 1)}\n", 5, "characters"),
        (f"WEBVTT\n\n{CUE}" + "x\n" * MAX_CUE_LINES, 3, "lines"),
        ("Hello\n", 1, "without times"),
        ("1\n", 1, "without times"),
        ("1\n00:00:01,00 --> 00:00:02,000\nHi\n", 2, "two times"),
        ('{"a": 1}', 1, "without times"),
    ],
)
def test_a_refusal_names_the_line(text: str, line: int, words: str) -> None:
    told = refusal(text)

    assert f"line {line}: " in told
    assert words in told


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("WEBVTT\n00:00:01.000 --> 00:00:02.000\nHi\n", CUE),
        ("WEBVTT\nKind: captions\n00:00:01.000 --> 00:00:02.000\nHi\n", CUE),
        ("WEBVTT\n\n00:01.000-->00:02.000\nHi\n", CUE),
        ("WEBVTT\n\n 00:01.000\t-->00:02.000\nHi\n", CUE),
        (
            "WEBVTT\n\n1:00:01.000 --> 001:00:02.000\nHi",
            CUE.replace("00:00:", "01:00:"),
        ),
        ("WEBVTT\n\n00:01.000 --> 00:02.000 what:ever\nHi\n", CUE),
        (
            "WEBVTT\n\n00:01.000 --> 00:02.000line:1\nHi",
            CUE.replace("\nHi", " line:1\nHi"),
        ),
        (f"WEBVTT\n\n{CUE}{CUE}", f"{CUE}\n{CUE}"),
        (f"WEBVTT\n\nNOTE\n{CUE}", CUE),
        (f"WEBVTT\n\nNOTE a\nb\n{CUE}", CUE),
        (
            (
                "WEBVTT\n\n00:01.000 --> 00:02.000 align:start\n \nHi<00:00:01.500><c> all</c>\n \n"
                "NOTE to all\n\n"
            ),
            (
                "00:00:01.000 --> 00:00:02.000 align:start\n"
                "Hi<00:00:01.500><c> all</c>\nNOTE to all\n"
            ),
        ),
        ("00:01,000 --> 00:02,000\nHi\n", CUE),
        ("1\n00:00:01,000-->00:00:02.000 what\nHi\n \n2\n", CUE),
    ],
)
def test_a_loose_file_is_read_as_browsers_read_it(text: str, written: str) -> None:
    assert converted(text) == HEADER + written


@pytest.mark.parametrize(
    ("more", "notes"),
    [
        ("x\n00:03.000 --> 00:03.000\nHi\n", ["line 7: a cue must end after"]),
        ("00:03,000 --> 00:04,000\nHi\n", ["line 6: expected two times, such as"]),
        ("00:03.0000 --> 00:04.000\nHi\n", ["line 6: expected two times, such as"]),
        ("the rest of the cue above\n", ["line 6: a text without times"]),
        ("NOTE but\nto --> you\n", ["line 7: expected two times"]),
        (" \nNOTE x\n\nSTYLE\na\n\n00:03.000 --> 00:04.000\n\n", ["line 6: a text"]),
        ("STYLE\n::cue {}\n\nREGION\nid:x\n\nNOTE x\n", []),
    ],
)
def test_each_cue_that_is_left_out_is_named(more: str, notes: list[str]) -> None:
    found = read_captions(f"WEBVTT\n\n{CUE}\n{more}".encode(), None)

    assert write_webvtt(found.cues).decode() == HEADER + CUE
    assert len(found.left_out) == len(notes)
    for told, expected in zip(found.left_out, notes, strict=True):
        assert told.startswith(f"Left out, {expected}")


def test_of_many_that_are_left_out_the_first_are_named() -> None:
    broken = "x -->\n" * 100
    found = read_captions(f"WEBVTT\n\n{CUE}\n{broken}".encode(), None)

    assert len(found.left_out) == 21
    assert found.left_out[-1] == "Left out: 80 more places."


def test_the_number_of_the_next_cue_is_no_text_of_subrip() -> None:
    text = f"1\n{CUE}2\n{CUE}".replace(".", ",")

    assert converted(text) == f"{HEADER}{CUE}\n{CUE}"


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"WEBVTT\n\n\xff", 3),
        (b"\xff\xfeW\0E\0B\0V\0T\0T\0", 1),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\n\xed\xa0\x80\n", 4),
    ],
)
def test_captions_that_are_not_utf_8_are_refused(data: bytes, line: int) -> None:
    assert f"line {line}: the file must be in UTF-8" in refusal(data)


def test_another_format_than_the_announced_one_is_refused() -> None:
    assert "line 1: " in refusal(SRT, CaptionFormat.WEBVTT)
    assert "text/vtt" in refusal(VTT, CaptionFormat.SUBRIP)


def test_there_may_be_so_many_cues_and_no_more() -> None:
    text = "WEBVTT\n\n" + f"{CUE}\n" * MAX_CUES

    assert len(read_captions(text.encode(), None).cues) == MAX_CUES
    assert f"at most {MAX_CUES} cues" in refusal(f"{text}{CUE}")


def test_captions_that_grow_too_long_by_escaping_are_refused() -> None:
    # A cue of 100 KB, which is five times as long when it is written.
    cue = "00:00:01.000 --> 00:00:02.000\n" + ("&" * 2000 + "\n") * 50
    cues = read_captions(f"WEBVTT\n\n{cue}\n".encode(), None).cues

    assert "too many characters" in refusal("WEBVTT\n\n" + f"{cue}\n" * 9)
    assert len(write_webvtt([*cues] * 8)) <= 4 * 1024**2
    with pytest.raises(InvalidParametersError, match="too many characters") as caught:
        write_webvtt([*cues] * 10)
    assert [error.location for error in caught.value.errors] == ["body"]


@pytest.mark.parametrize(
    "text",
    [
        "<" * 2_000_000,
        "<a" * 1_000_000,
        "\n" * 2_000_000,
        "WEBVTT\n\n" + "0" * 2_000_000,
        "WEBVTT\n\n00:01.000" + " " * 1_900 + "-->" + " " * 50,
        "WEBVTT\n\n" + ("00:01.000 --> 00:02.000 " + "line:1 " * 200 + "\n\n") * 1_000,
        f"WEBVTT\n\n{CUE}" + ("<v" + " " * 1_990 + "\n") * 49 + ">",
        f"WEBVTT\n\n{CUE}" + ("{\\" * 900 + "\n") * 49,
        f"WEBVTT\n\n{CUE}" + ("<b." * 600 + "\n") * 49,
        f"WEBVTT\n\n{CUE}\n{CUE}<v ".join(["&" * 1_990 + ">\n\n"] * 980),
        "WEBVTT\n\n" + (f"{CUE}" + "<v a>" * 390 + "\n\n") * 980,
        "WEBVTT\n\n" + (f"{CUE}" + "<1&>" * 490 + "\n\n") * 980,
    ],
)
def test_hostile_files_take_no_time(text: str) -> None:
    begin = time.process_time()
    with suppress(InvalidParametersError):
        converted(text)

    assert time.process_time() - begin < HOSTILE_S


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("<b>1</b> <I>2</I> <u.x>3</u>", "<b>1</b> <i>2</i> <u.x>3</u>"),
        ("<v.loud Mary O'Neil>Hi", "<v.loud Mary O'Neil>Hi"),
        ("<v R&amp;B & C>Hi</v>", "<v R&amp;B &amp; C>Hi</v>"),
        ("<lang en-GB>lift</lang>", "<lang en-GB>lift</lang>"),
        ("a<00:00:01.000>b", "a<00:00:01.000>b"),
        ("<ruby>x<rt>y</rt></ruby>", "<ruby>x<rt>y</rt></ruby>"),
        ("<script>alert(1)</script>", "alert(1)"),
        ("<img src=x onerror=alert(1)>x", "x"),
        ("<b onclick=alert(1)>x", "<b>x"),
        ("<v onclick=alert(1)>x", "<v onclick alert(1)>x"),
        ('<c.a"b.good>x', "<c.good>x"),
        ("<scr<b>ipt>", "&lt;scr<b>ipt&gt;"),
        ("I <3 you, 1 < 2 > 0", "I &lt;3 you, 1 &lt; 2 &gt; 0"),
        ("Q & A &amp; &lt;b&gt; &#60; &x;", "Q &amp; A &amp; &lt;b&gt; &lt; &amp;x;"),
        ("&quot;&eacute;&mdash;&copy 1&#x80;&quot;", '"é—© 1€"'),
        ("a&nbsp;b&rlm;&#10;&#13;&#0;c", "a\xa0b\u200f\n\ufffdc"),
        ("&#45;&#45;&gt; &lt;script&gt;", "--&gt; &lt;script&gt;"),
        ("<v R&eacute;my&#61;1>Hi", "<v Rémy 1>Hi"),
        ("- - ->", "- - -&gt;"),
        ("a\n<font>\n\x01\n\u2028\nb", "a\nb"),
        ("<font>", ""),
        ("{\\pos(1,2)}a {b}", "a {b}"),
        ("日本語 🙂 \u200fé", "日本語 🙂 \u200fé"),
    ],
)
def test_only_markup_of_webvtt_is_kept(text: str, written: str) -> None:
    assert readable_text(text) == written
    assert readable_text(written) == written


@pytest.mark.parametrize(
    ("tag", "canonical"),
    [
        ("en", "en"),
        ("EN-us", "en-US"),
        ("eng", "en"),
        ("deu-CH-1996", "de-CH-1996"),
        ("ZH-hant-tw", "zh-Hant-TW"),
        ("es-419", "es-419"),
        ("ca-VALENCIA", "ca-valencia"),
        ("gsw", "gsw"),
        ("und", ""),
        ("de-1996-1996", ""),
    ],
)
def test_a_language_is_written_in_one_way(tag: str, canonical: str) -> None:
    assert canonical_tag(tag) == canonical


def test_without_captions_a_master_playlist_stays_as_it_is() -> None:
    assert offer_captions("#EXTM3U\n#EXT-X-STREAM-INF:A=1\nx\n", []) == (
        "#EXTM3U\n#EXT-X-STREAM-INF:A=1\nx\n"
    )


def test_captions_join_between_whole_lines() -> None:
    audio = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x #EXT-X-STREAM-INF:A=1"'
    master = f"#EXTM3U\n{audio}\n#EXT-X-STREAM-INF:A=1\nx\n"

    lines = offer_captions(master, [track("de")]).split("\n")

    assert lines[:2] == ["#EXTM3U", audio]
    assert lines[2].startswith("#EXT-X-MEDIA:TYPE=SUBTITLES,")
    assert lines[3:] == ['#EXT-X-STREAM-INF:A=1,SUBTITLES="subs"', "x", ""]


def test_players_are_told_which_captions_are_forced() -> None:
    master = "#EXTM3U\n#EXT-X-STREAM-INF:A=1\nx\n"
    signs = attrs.evolve(track("de"), is_forced=True)

    lines = offer_captions(master, [signs, track("en")]).split("\n")

    assert ["FORCED=YES" in line for line in lines[1:3]] == [True, False]
    manifest = offer_captions_in_manifest("<MPD>\n  </Period>\n", [signs, track("en")])
    assert re.findall(r'Role .*value="([^"]*)"', manifest) == [
        "forced-subtitle",
        "subtitle",
    ]


@pytest.mark.parametrize(
    "text", ["<v a--\x01>", "<c.a--\x01>", "<v a--{\\x}>", "<v a-->"]
)
def test_no_arrow_is_left_in_a_text(text: str) -> None:
    assert "-->" not in readable_text(without_invisible(text))


def track(language: str) -> CaptionTrack:
    return CaptionTrack(
        video_id=VideoId("vid_a"),
        language=language,
        label=language,
        cues=1,
        size_bytes=1,
        sha256="0" * 64,
        version="v",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_a_captions_playlist_has_one_segment_of_the_whole_length() -> None:
    assert captions_playlist("en", duration_s=12.5).splitlines() == [
        "#EXTM3U",
        "#EXT-X-VERSION:7",
        "#EXT-X-TARGETDURATION:13",
        "#EXT-X-MEDIA-SEQUENCE:0",
        "#EXT-X-PLAYLIST-TYPE:VOD",
        "#EXTINF:12.500000,",
        "captions-en.vtt",
        "#EXT-X-ENDLIST",
    ]


def test_a_line_of_spaces_between_cues_is_no_text_that_is_left_out() -> None:
    found = read_captions(f"WEBVTT\n\n{CUE}\n \n\n{CUE}".encode(), None)

    assert len(found.cues) == 2
    assert not found.left_out
