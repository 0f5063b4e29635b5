"""
Each rule finds what breaks it, and nothing else.
"""

import re
from pathlib import Path

import pytest

from hvcore.conformance import RULES, CheckReport, Level, check, media_segments
from hvcore.conformance import report as report_module
from hvcore.conformance.codecs.messages import told_by
from hvcore.conformance.report import CheckLog, clean
from tests.conformance import made_streams as made
from tests.conformance.broken_streams import (
    BROKEN,
    CAPTIONS,
    HIGH_PLAYLIST,
    LOW,
    M,
    V,
    bandwidth,
    both,
    drop,
    swap,
    video,
    video_init,
)
from tests.conformance.effects import ALSO
from tests.conformance.made_streams import Files, MemorySource
from tests.conformance.segments_in_order import OF_SIZES, SEGMENTS, fragments
from tests.conformance.streams_in_order import IN_ORDER


def checked(files: Files) -> CheckReport:
    return check(MemorySource(files), "master.m3u8")


def test_a_video_without_fault_has_no_findings() -> None:
    report = checked(made.stream())

    assert report.findings == ()
    assert report.is_conformant
    assert (report.playlists, report.segments) == (6, 16)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_stream_breaks_the_named_rules_and_no_others(name: str) -> None:
    rule, break_it = BROKEN[name]
    files = made.stream()
    break_it(files)

    report = checked(files)

    found = {finding.rule.id for finding in report.findings}
    assert found == {rule} | ALSO.get(name, set())
    assert report.is_conformant is all(
        RULES[one].level is Level.SHOULD for one in found
    )


def test_a_wrong_bandwidth_is_told_beside_the_measured_one() -> None:
    files = made.stream()
    declared = re.search(r"[:,]BANDWIDTH=(\d+)", files["master.m3u8"].decode())
    assert declared is not None
    bandwidth("BANDWIDTH", 2)(files)

    found = next(one for one in checked(files).findings if one.rule.id == "bandwidth")

    said = f"BANDWIDTH is {2 * int(declared[1])}, measured are "
    assert found.message.startswith(said)


def test_captions_in_pictures_may_be_where_none_are_denied() -> None:
    files = made.stream()
    both(
        swap("master.m3u8", ",CLOSED-CAPTIONS=NONE", ""),
        video(1, first=made.picture(5, 100, CAPTIONS, made.message(5, bytes(300)))),
    )(files)

    found = {finding.rule.id for finding in checked(files).findings}
    assert "closed-captions" not in found


def test_a_message_that_is_cut_off_tells_nothing() -> None:
    for end in range(len(CAPTIONS)):
        assert not told_by(CAPTIONS[1:end]) or end > CAPTIONS.index(b"GA94") + 4


@pytest.mark.parametrize("shape", [f"1{1:08b}", f"1{255:08b}{8:016b}{8:016b}"])
def test_pixels_that_are_said_to_be_square_are_no_finding(shape: str) -> None:
    files = made.stream()
    video_init(shape=shape)(files)

    assert checked(files).findings == ()


@pytest.mark.parametrize(
    ("shown_px", "rules"),
    [
        ((640, 360), set()),
        ((1921, 1081), set()),
        ((640, 272), {"source-shape"}),
        ((360, 640), {"source-shape"}),
    ],
)
def test_pictures_of_another_shape_than_the_source_are_found(
    shown_px: tuple[int, int], rules: set[str]
) -> None:
    report = check(MemorySource(made.stream()), "master.m3u8", shown_px=shown_px)

    assert {finding.rule.id for finding in report.findings} == rules
    assert report.is_conformant is not bool(rules)


@pytest.mark.parametrize("name", IN_ORDER)
def test_a_stream_in_order_has_no_finding(name: str) -> None:
    rules, change = IN_ORDER[name]
    files = made.stream()
    change(files)

    assert {finding.rule.id for finding in checked(files).findings} == rules


def test_pictures_with_addresses_of_their_own_are_no_finding() -> None:
    files = made.stream()
    text = files["iframes.m3u8"].decode()
    for number in range(3):
        name = f"{LOW}/{number}.m4s"
        length = files[name].index(b"mdat") + 104
        files[f"pictures/{number}.m4s"] = files[name][:length]
        text = text.replace(
            f"#EXT-X-BYTERANGE:{length}@0\n{name}", f"pictures/{number}.m4s"
        )
    files["iframes.m3u8"] = text.encode()

    report = checked(files)

    assert "pictures/2.m4s" in text
    assert report.findings == ()


@pytest.mark.parametrize("name", SEGMENTS)
def test_of_segments_only_what_is_wrong_is_found(name: str) -> None:
    rules, change = SEGMENTS[name]
    files = made.stream()
    change(files)

    found = {finding.rule.id for finding in checked(files).findings}
    assert found - OF_SIZES == rules


@pytest.mark.parametrize("limit", [2, 3])
def test_a_segment_has_so_many_fragments(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media_segments, "MOST_FRAGMENTS", limit)
    files = made.stream()
    fragments(20, 20, 10, sequences=(2, 3, 4))(files)

    found = {finding.rule.id for finding in checked(files).findings}
    assert ("limits" in found) is (limit == 2)


@pytest.mark.parametrize(("less", "is_found"), [(0, False), (1, True)])
def test_i_frames_may_cost_as_much_as_is_said_and_no_more(
    less: int, *, is_found: bool
) -> None:
    files = made.stream()
    # Of the largest picture, which lasts 2 s.
    peak = 4 * max(files[f"{LOW}/{n}.m4s"].index(b"mdat") + 104 for n in range(3))
    swap(M, "BANDWIDTH=10000,", f"BANDWIDTH={peak - less},")(files)

    found = {finding.rule.id for finding in checked(files).findings}
    assert found == ({"iframe-bandwidth"} if is_found else set())


def test_sound_alone_needs_no_i_frames() -> None:
    files = made.stream()
    codecs = 'BANDWIDTH=1,CODECS="mp4a.40.2"'
    text = f"#EXTM3U\n#EXT-X-STREAM-INF:{codecs}\naudio.m3u8\n"
    files[M] = text.encode()

    found = {finding.rule.id for finding in checked(files).findings}
    assert found == {"bandwidth", "bandwidth-covers", "average-bandwidth"}


@pytest.mark.parametrize("said", [set(), {V}, {V, HIGH_PLAYLIST}])
def test_of_media_playlists_those_of_video_alone_say_that_they_are_independent(
    said: set[str],
) -> None:
    files = made.stream()
    swap(M, "#EXT-X-INDEPENDENT-SEGMENTS\n", "")(files)
    for name in said:
        swap(name, "#EXTM3U\n", "#EXTM3U\n#EXT-X-INDEPENDENT-SEGMENTS\n")(files)

    found = {(one.rule.id, one.file) for one in checked(files).findings}

    silent = {V, HIGH_PLAYLIST} - said
    assert found == {("independent-multivariant", M)} | {
        ("independent-segments", name) for name in silent
    }


def test_every_rule_is_broken_by_a_test() -> None:
    # What the source was stands in none of the files.
    assert {rule for rule, _ in BROKEN.values()} == set(RULES) - {"source-shape"}


def test_a_finding_tells_where() -> None:
    files = made.stream()
    video(1, start=99_999)(files)

    (found,) = (
        f
        for f in checked(files).findings
        if f.rule.id == "decode-time" and "99999" in f.message
    )

    assert (found.file, found.place) == ("video/180p/1.m4s", "tfdt")
    assert "ended at 25600" in found.message


def test_a_gap_is_allowed_where_the_playlist_breaks() -> None:
    files = made.stream()
    video(1, start=999_424)(files)
    swap(
        V,
        "#EXTINF:2.000000,\nvideo/180p/1",
        "#EXT-X-DISCONTINUITY\n#EXTINF:2.000000,\nvideo/180p/1",
    )(files)

    places = [f.file for f in checked(files).findings if f.rule.id == "decode-time"]

    # The next one follows no break.
    assert places == ["video/180p/2.m4s"]


def test_tokens_are_never_shown() -> None:
    files = made.stream()
    swap(M, "video-180p.m3u8", "video-180p.m3u8?token=secret")(files)
    files[V] = files[V].replace(b".m4s", b".m4s?token=secret")
    drop(f"{LOW}/1.m4s")(files)
    video(2, start=1)(files)

    report = checked(files)

    assert {f.file for f in report.findings} >= {f"{LOW}/1.m4s"}
    assert "secret" not in str(report)


def test_a_media_playlist_is_examined_alone() -> None:
    report = check(MemorySource(made.stream()), V)

    assert [f.rule.id for f in report.findings] == ["multivariant"]
    assert report.segments == 4


def test_findings_of_one_kind_are_counted_but_not_all_listed() -> None:
    files = made.stream()
    line = "#EXTINF:9.0,\nvideo/180p/0.m4s\n"
    swap(V, "#EXT-X-ENDLIST", line * 50 + "#EXT-X-ENDLIST")(files)

    report = checked(files)

    listed = [f for f in report.findings if f.rule.id == "target-duration"]
    assert len(listed) == 5
    assert report.unlisted >= 45


def test_the_first_finding_of_a_must_is_always_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report_module, "MOST_FINDINGS", 2)
    log = CheckLog()

    for name in ("a", "b", "c"):
        log.add("language-present", name, "It has no LANGUAGE.")
    for name in ("d", "e"):
        log.add("endlist", name, "There is none.")

    found = log.report()
    assert [one.file for one in found.findings] == ["d", "a", "b"]
    assert (found.unlisted, found.is_conformant) == (2, False)


def test_a_long_name_is_shown_in_300_characters() -> None:
    assert clean("a" * 300) == "a" * 300
    assert clean("a" * 301) == "a" * 299 + "…"


def test_names_in_findings_do_nothing_to_a_terminal() -> None:
    files = made.stream()
    swap(M, "video-180p.m3u8", "video\x1b[2J.m3u8")(files)

    report = checked(files)

    assert "\x1b" not in str(
        [attr for f in report.findings for attr in (f.file, f.message)]
    )


def test_the_documentation_lists_every_rule_as_it_is() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "conformance.md"
    rows = [line for line in page.read_text().split("\n") if line.startswith("| `")]

    assert rows == [
        f"| `{rule.id}` | {rule.level.value} | {rule.says} | {rule.source} |"
        for rule in RULES.values()
    ]
