"""
CMCD: what is right is read, what is not is as if it had not been sent.
"""

import time

import pytest

from hvcore.domain.analytics import cmcd
from hvcore.domain.analytics.cmcd import (
    MAX_CHARS,
    MOST_TOLD,
    player_report,
    player_session,
)
from hvcore.domain.analytics.playback_metrics import PlayerReport

SID = "6e2fb550-c457-11e9-bb97-0800200c9a66"


@pytest.mark.parametrize(
    "text",
    [
        f'sid="{SID}"',
        f'bl=21300,br=3200,bs,cid="faec5fc2",d=4004,mtp=25400,sid="{SID}",su,v=1',
        f'sid="{SID}", st=v, v=1',
        f'com.example-key="a \\"quoted\\" one",sid="{SID}"',
        f'nor="..%2F300kbps%2Fsegment35.m4v",pr=1.08,sid="{SID}"',
        f'nrr="12323-48763",sf=h,sid="{SID}",tb=6000',
    ],
)
def test_the_session_is_read(text: str) -> None:
    assert player_session(text) == SID


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "bs",
        f"sid={SID}",
        'sid=""',
        f'sid="{"x" * 65}"',
        f'sid="{SID}',
        f'sid="{SID}" ',
        f'sid="{SID}",',
        f',sid="{SID}"',
        f'SID="{SID}"',
        f'sid="{SID}",sid="other"',
        f'sid="{SID}",bl=',
        f'sid="{SID}",=5',
        f'sid="{SID}";bl=5',
        f'sid="{SID}"\n',
        'sid="a\x00b"',
        'sid="a\\b"',
        f'cid="{"x" * MAX_CHARS}",sid="{SID}"',
    ],
)
def test_a_malformed_session_id_is_ignored(text: str | None) -> None:
    assert player_session(text) is None


def test_a_session_may_have_64_characters() -> None:
    assert player_session(f'sid="{"x" * 64}"') == "x" * 64


def test_a_players_report_is_read() -> None:
    text = 'bl=21300,br=3200,bs,d=4004,mtp=25400,sf=h,st=v,sid="x",su'

    assert player_report(text) == PlayerReport(
        has_starved=True,
        is_startup=True,
        throughput_kbps=25_400,
        buffer_ms=21_300,
        bitrate_kbps=3_200,
    )


def test_a_players_report_in_several_headers_is_read_together() -> None:
    report = player_report("bl=100,su", None, "bs", 'sid="x",bl=7')

    assert report == PlayerReport(has_starved=True, is_startup=True, buffer_ms=100)


@pytest.mark.parametrize(
    "number",
    [
        f"{MOST_TOLD + 1}",
        "9" * 900,
        "-1",
        "+1",
        "1.5",
        "1e3",
        "NaN",
        "Infinity",
        "0x10",
        "1_0",
        "٣",
        '"5"',
        '"a\\"b"',
        "(5 6)",
        "?1",
    ],
)
def test_a_number_that_is_none_was_not_told(number: str) -> None:
    report = player_report(f"mtp={number},bl=5") or player_report("bl=5")

    assert report == PlayerReport(buffer_ms=5)


@pytest.mark.parametrize("text", ["bs=true,v=1", "bs=?0,v=1", 'bs="",v=1', "BS,v=1"])
def test_a_boolean_is_said_by_its_name_alone(text: str) -> None:
    assert not (player_report(text) or PlayerReport()).has_starved


def test_the_greatest_number_is_taken() -> None:
    assert player_report(f"mtp={MOST_TOLD},bl=0") == PlayerReport(
        throughput_kbps=MOST_TOLD, buffer_ms=0
    )


@pytest.mark.parametrize("texts", [(), (None,), ("",), ("mtp=",), ("bs,bs", None)])
def test_a_player_without_cmcd_keys_reports_nothing(
    texts: tuple[str | None, ...],
) -> None:
    assert player_report(*texts) is None


@pytest.mark.parametrize("part", ["a", "a,", 'a="', "a-b.", '"\\"', "=,", "a-a-"])
def test_no_text_takes_long(part: str) -> None:
    text = (part * MAX_CHARS)[:MAX_CHARS]
    begun = time.process_time()
    for _ in range(10):
        cmcd._read.cache_clear()
        player_session(text)

    assert time.process_time() - begun < 0.5
