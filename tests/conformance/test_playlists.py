"""
Playlists are read line by line, and each tag counts for what follows it.
"""

from fractions import Fraction

import pytest

from hvcore.conformance import playlist_reading
from hvcore.conformance.playlist_reading import read_playlist
from hvcore.conformance.playlist_rules import check_common, check_multivariant
from hvcore.conformance.playlists import ByteRange, MapEntry, Playlist
from hvcore.conformance.report import CheckLog
from tests.conformance.made_streams import MemorySource

MASTER = "#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n"


def read(text: str, name: str = "a.m3u8") -> tuple[Playlist, list[tuple[str, str]]]:
    """
    Return a playlist, and the places and messages of what is wrong with it.
    """
    log = CheckLog()
    source = MemorySource({name: f"#EXTM3U\n{text}".encode()})
    found = read_playlist(source, name, log)
    assert found is not None
    return found, [(one.place, one.message) for one in log.report().findings]


def segment(tags: str, name: str = "0.m4s") -> str:
    return f"{tags}\n#EXTINF:2,\n{name}\n"


@pytest.mark.parametrize(
    ("text", "feature", "version"),
    [
        ("#EXTINF:2.0,\nx", "EXTINF with fractions", 3),
        ("#EXT-X-BYTERANGE:1@0\n#EXTINF:2,\nx", "EXT-X-BYTERANGE", 4),
        ('#EXT-X-MAP:URI="i"', "EXT-X-MAP", 6),
        ('#EXT-X-I-FRAMES-ONLY\n#EXT-X-MAP:URI="i"', "EXT-X-MAP", 5),
        ("#EXT-X-I-FRAMES-ONLY", "EXT-X-I-FRAMES-ONLY", 4),
        ('#EXT-X-KEY:METHOD=NONE,KEYFORMAT="x"', "KEYFORMAT", 5),
        ('#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="g",NAME="n"', "EXT-X-MEDIA", 4),
        (
            '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="i"',
            "EXT-X-I-FRAME-STREAM-INF",
            4,
        ),
        (
            '#EXT-X-MEDIA:TYPE=X,GROUP-ID="g",NAME="n",INSTREAM-ID="SERVICE1"',
            "INSTREAM-ID=SERVICE",
            7,
        ),
    ],
)
def test_a_feature_needs_a_version(text: str, feature: str, version: int) -> None:
    for said, is_enough in ((version, True), (version - 1, False)):
        found, wrong = read(f"#EXT-X-VERSION:{said}\n{text}")
        log = CheckLog()
        check_common(found, log)

        assert wrong == []
        assert found.needs[feature] == version
        told = f"{feature} needs version {version}; the playlist says {said}."
        messages = [one.message for one in log.report().findings]
        assert (told not in messages) is is_enough


@pytest.mark.parametrize(
    "text",
    [
        "#EXTINF:2,\nx",
        '#EXT-X-SESSION-DATA:DATA-ID="a",VALUE="x"',
        "#EXT-X-KEY:METHOD=NONE",
        MASTER,
    ],
)
def test_old_features_need_no_version(text: str) -> None:
    found, wrong = read(text)

    assert (found.needs, found.version, wrong) == ({}, 1, [])


@pytest.mark.parametrize(
    ("value", "duration_s"),
    [
        ("2", 2),
        ("2,", 2),
        ("2.5,a title, with a comma", Fraction(5, 2)),
        (" 2.000000000001 ,", Fraction(2_000_000_000_001, 10**12)),
        ("999999999,", 999_999_999),
        *((wrong, None) for wrong in ("", "-1,", "1e3,", "2.,", ".5", "1000000000,")),
    ],
)
def test_a_segment_lasts_as_long_as_its_tag_says(
    value: str, duration_s: Fraction | None
) -> None:
    found, wrong = read(f"#EXTINF:{value}\nx\n")

    assert found.segments[0].duration_s == (duration_s or 0)
    told = [("line 2", "EXTINF has no usable duration.")]
    assert wrong == ([] if duration_s else told)


def test_a_byte_range_follows_the_one_before_in_its_file() -> None:
    found, wrong = read(
        segment("#EXT-X-BYTERANGE:10@5", "x")
        + segment("#EXT-X-BYTERANGE:7", "x")
        + segment("#EXT-X-BYTERANGE: 3 ", "x")
        + segment("", "x")
    )

    ranges = [one.range for one in found.segments]
    assert ranges == [
        ByteRange(start=5, length=10),
        ByteRange(start=15, length=7),
        ByteRange(start=22, length=3),
        None,
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "before", ["", segment("", "x"), segment("#EXT-X-BYTERANGE:1@0", "y")]
)
def test_a_byte_range_of_another_file_has_a_place_of_its_own(before: str) -> None:
    found, wrong = read(before + segment("#EXT-X-BYTERANGE:7", "x"))

    assert found.segments[-1].range == ByteRange(start=0, length=7)
    assert [message for _, message in wrong] == [
        "A byte range without a place follows no other of its file."
    ]


@pytest.mark.parametrize("value", ["", "x", "1@", "@1", "-1@0", "1" * 16, "1@-1"])
def test_a_byte_range_is_two_numbers(value: str) -> None:
    found, wrong = read(segment(f"#EXT-X-BYTERANGE:{value}"))
    _, wrong_map = read(segment(f'#EXT-X-MAP:URI="i",BYTERANGE="{value}"'))

    assert found.segments[0].range is None
    assert wrong == [("line 2", "The byte range is malformed.")]
    assert wrong_map == [("line 2", "The byte range of EXT-X-MAP is malformed.")]


def test_a_tag_counts_for_the_next_segment_or_for_all() -> None:
    found, wrong = read(
        segment('#EXT-X-MAP:URI="i0"')
        + segment("#EXT-X-DISCONTINUITY\n#EXT-X-GAP")
        + segment('#EXT-X-MAP:URI="i1",BYTERANGE="9@4"')
        + segment('#EXT-X-KEY:METHOD=AES-128,URI="k"')
        + segment("")
        + segment("#EXT-X-KEY:METHOD=NONE")
        + segment('#EXT-X-MAP:URI="i2",BYTERANGE="9"'),
        "v/a.m3u8",
    )

    first = MapEntry(name="v/i0", range=None)
    second = MapEntry(name="v/i1", range=ByteRange(start=4, length=9))
    third = MapEntry(name="v/i2", range=ByteRange(start=0, length=9))
    assert [
        (one.init, one.is_after_break, one.is_gap, one.is_encrypted)
        for one in found.segments
    ] == [
        (first, False, False, False),
        (first, True, True, False),
        (second, False, False, False),
        (second, False, False, True),
        (second, False, False, True),
        (second, False, False, False),
        (third, False, False, False),
    ]
    assert {one.name for one in found.segments} == {"v/0.m4s"}
    assert [one.line for one in found.segments[:2]] == [4, 8]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("#EXT-X-MAP:BYTERANGE=1", "EXT-X-MAP has no URI."),
        ('#EXT-X-MAP:URI=""', "EXT-X-MAP has no URI."),
        ("#EXT-X-KEY:URI=x", "EXT-X-KEY has no METHOD."),
        ("#EXT-X-KEY:METHOD=NONE,METHOD=NONE", "EXT-X-KEY has METHOD twice."),
        ("#EXT-X-KEY:METHOD=NONE,x", "The attributes of EXT-X-KEY are malformed."),
        ('#EXT-X-KEY:METHOD="NONE', "The attributes of EXT-X-KEY are malformed."),
        ("#EXTINF:2,", "The last tag is followed by no address."),
        (
            "#EXT-X-STREAM-INF:BANDWIDTH=1",
            "The last tag is followed by no address.",
        ),
        (
            MASTER + "#EXT-X-ENDLIST",
            "It has tags of media and of multivariant playlists.",
        ),
        ("x", "An address without EXTINF or EXT-X-STREAM-INF."),
        ("#EXTINF:2,\nhttp://[/x", "The address is malformed."),
    ],
)
def test_faults_of_a_playlist_are_told(text: str, wrong: str) -> None:
    assert wrong in [message for _, message in read(text)[1]]


@pytest.mark.parametrize(
    ("text", "version", "target_s"),
    [
        ("", 1, None),
        ("#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:6", 7, 6),
        ("#EXT-X-VERSION:7\n#EXT-X-VERSION:8", 7, None),
        ("#EXT-X-VERSION:x\n#EXT-X-TARGETDURATION:6.0", 0, None),
        ("#EXT-X-VERSION:1234567890\n#EXT-X-TARGETDURATION:", 0, None),
    ],
)
def test_numbers_of_a_playlist_are_whole(
    text: str, version: int, target_s: int | None
) -> None:
    found, _ = read(text)

    assert (found.version, found.target_s) == (version, target_s)


def test_a_playlist_names_so_many_others_and_so_many_segments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(playlist_reading, "MOST_PLAYLISTS", 3)
    monkeypatch.setattr(playlist_reading, "MOST_SEGMENTS", 3)
    end = "#EXT-X-ENDLIST"

    assert read(MASTER * 3)[1] == []
    most, wrong = read(MASTER * 4)
    assert len(most.variants) == 3
    assert wrong == [("", "It names more than 3 files.")]
    whole, wrong = read(segment("") * 3 + end)
    assert (len(whole.segments), whole.is_cut, wrong) == (3, False, [])
    for last, is_ended in ((f" {end} ", True), ("", False)):
        cut, wrong = read(segment("") * 4 + last)
        assert (len(cut.segments), cut.is_cut) == (3, True)
        assert ("EXT-X-ENDLIST" in cut.tags) is is_ended
        assert wrong == [("", "It has more than 3 segments.")]


@pytest.mark.parametrize(
    ("language", "is_tag"),
    [
        *((tag, True) for tag in ("en", "gsw", "zh-Hant-TW", "de-AT", "es-419", "DE")),
        *((tag, True) for tag in ("sl-rozaj-1994", "x-klingon", "zh-cmn-Hans", "abcd")),
        *((tag, True) for tag in ("en-a-bbb-x-a", "en" + "-abcde" * 15 + "-abcdefg")),
        *((tag, False) for tag in ("e", "en_US", "en-", "abcdefghi", "en-U", "x")),
        ("en" + "-abcde" * 15 + "-abcdefgh", False),
    ],
)
def test_a_language_is_a_tag_of_at_most_100_characters(
    language: str, *, is_tag: bool
) -> None:
    tag = f'TYPE=AUDIO,GROUP-ID="g",NAME="n",DEFAULT=YES,LANGUAGE="{language}"'
    found, _ = read(f"#EXT-X-MEDIA:{tag}\n{MASTER}")
    log = CheckLog()

    check_multivariant(found, log)

    rules = {one.rule.id for one in log.report().findings} - {"playlist-version"}
    assert rules == (set() if is_tag else {"language"})


def test_renditions_are_compared_within_their_group_and_kind() -> None:
    def rules(*tags: str) -> list[str]:
        media = [
            f'#EXT-X-MEDIA:TYPE=AUDIO,LANGUAGE="en",NAME="n",GROUP-ID="g",{tag}\n'
            for tag in tags
        ]
        found, _ = read("#EXT-X-VERSION:7\n" + "".join(media) + MASTER)
        log = CheckLog()
        check_multivariant(found, log)
        return [one.rule.id for one in log.report().findings]

    assert rules("DEFAULT=YES,AUTOSELECT=YES", "X=1") == ["rendition-names"]
    assert rules("DEFAULT=YES") == []
    assert rules("DEFAULT=NO,AUTOSELECT=NO") == ["default-audio"]
    assert rules("DEFAULT=YES,AUTOSELECT=NO") == ["default-autoselect"]
