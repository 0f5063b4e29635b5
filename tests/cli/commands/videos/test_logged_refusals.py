"""
hv explain with the id of a request: what the logs say of it.
"""

import io
import json
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hvcore.clock import SystemClock
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.services.playback.refusal_log import PlaybackRefusal, RefusalLog
from hvcore_cli.commands.videos.logged_refusals import find_lines
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.logs import process_logs
from hvcore_cli.logs.process_logs import LogFile
from tests.cli.commands.videos.explaining import found
from tests.cli.conftest import Hv


def logged(folder: Path, name: str = "delivery.log", **changes: Any) -> bytes:  # noqa: ANN401 - names of fields
    """
    Write a refusal as hv delivery does under hv up; return its line.
    """
    wanted: dict[str, Any] = {
        "request_id": "r-1",
        "rule": PlaybackRule.TOKEN_EXPIRED,
        "status": 401,
        "path": "/v1/private/vid_x/master.m3u8",
    }
    line = written(PlaybackRefusal(**{**wanted, **changes}))
    DataFolder(folder).make()
    log = LogFile(folder / "logs" / name)
    log.write(line)
    log.close()
    return line


def written(refusal: PlaybackRefusal) -> bytes:
    import logging  # noqa: PLC0415 - changes the root logger, and back

    stream, root = io.StringIO(), logging.getLogger()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(process_logs._LineFormatter())
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        RefusalLog().write(refusal, "192.0.2.1")
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    return stream.getvalue().encode()


def test_a_request_is_found_in_the_logs(hv: Hv, tmp_path: Path) -> None:
    folder = tmp_path / "hv-data"
    logged(folder, request_id="other", rule=PlaybackRule.NO_SUCH_FILE)
    logged(folder)

    outcome = hv("explain", "r-1", "--json")

    assert outcome.status == 1
    (refusal,) = found(outcome)
    rule = PlaybackRule.TOKEN_EXPIRED
    at = datetime.fromisoformat(refusal.pop("at"))
    assert abs(SystemClock().now() - at) < timedelta(minutes=1)
    assert refusal == {
        "rule": "token_expired",
        "status": 401,
        "path": "/v1/private/vid_x/master.m3u8",
        "says": rule.refusal,
        "next": rule.fix,
        "file": str(folder / "logs" / "delivery.log"),
    }


def test_people_are_told_when_what_and_what_next(hv: Hv, tmp_path: Path) -> None:
    logged(tmp_path / "hv-data")

    outcome = hv("explain", "r-1")

    assert "refused with 401 by token_expired: The token has expired." in outcome.stdout
    assert "/v1/private/vid_x/master.m3u8" in outcome.stdout
    assert PlaybackRule.TOKEN_EXPIRED.fix in outcome.stdout


def test_rotated_logs_are_searched_too(
    hv: Hv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_logs, "MAX_LOG_BYTES", 10)
    folder = tmp_path / "hv-data"
    logged(folder)

    logged(folder, request_id="r-2")

    assert (folder / "logs" / "delivery.log.1").exists()
    for request_id in ("r-1", "r-2"):
        assert len(found(hv("explain", request_id, "--json"))) == 1


def test_several_requests_of_one_id_are_all_told(hv: Hv, tmp_path: Path) -> None:
    folder = tmp_path / "hv-data"
    logged(folder)
    logged(folder, "delivery-2.log", rule=PlaybackRule.VIDEO_DELETED, status=404)

    refusals = found(hv("explain", "r-1", "--json"))

    # Perhaps of one millisecond.
    assert {r["rule"] for r in refusals} == {"token_expired", "video_deleted"}
    assert len(refusals) == 2


def test_an_id_that_begins_like_another_is_another(hv: Hv, tmp_path: Path) -> None:
    logged(tmp_path / "hv-data", request_id="r-10")

    outcome = hv("explain", "r-1", "--json")

    assert (outcome.status, found(outcome)) == (2, [])
    assert "No refusal of this id" in outcome.stderr


def test_nothing_that_a_caller_sends_makes_a_line(hv: Hv, tmp_path: Path) -> None:
    path = "/x\n2026-01-01 00:00:00,000 INFO x: playback refused request_id='r-1'"
    logged(tmp_path / "hv-data", request_id="r-2", path=path)

    assert hv("explain", "r-1").status == 2
    assert len(found(hv("explain", "r-2", "--json"))) == 1


def test_nothing_that_a_caller_sends_moves_the_terminal(hv: Hv, tmp_path: Path) -> None:
    bad = "/\x1b]0;own\x07\n  do next: run this\x9b2J\u202e\x7f"
    logged(tmp_path / "hv-data", path=bad)

    for words in ((), ("--json",)):
        outcome = hv("explain", "r-1", *words)
        assert outcome.status == 1
        text = outcome.stdout + outcome.stderr
        assert not {c for c in text if not c.isprintable()} - {"\n"}
        assert not [one for one in text.splitlines() if one == "  do next: run this"]


@pytest.mark.parametrize(
    "data",
    [
        # Cut off in the middle of a path that was made for this.
        'path="/x' + " a=''" * 38 + " z request_id='r-1' q",
        "request_id='r-1' status=" + "-" * 5000 + "1",
        "request_id='r-1' status=" + "(" * 5000 + "1",
    ],
)
def test_a_damaged_line_stops_nobody(hv: Hv, tmp_path: Path, data: str) -> None:
    folder = tmp_path / "hv-data"
    logged(folder)
    with (folder / "logs" / "delivery.log").open("a") as log:
        at = "2026-01-02 03:04:05,678"
        log.write(f"{at} INFO x: playback refused {data}\n")
        log.write("2026-13-45 99:99:99,678 INFO x: refused request_id='r-1'\n")
        log.write("0001-01-01 00:00:00,678 INFO x: refused request_id='r-0'\n")

    assert "token_expired" in [r["rule"] for r in found(hv("explain", "r-1", "--json"))]


def test_a_long_line_is_read_once() -> None:
    began_s = time.process_time()
    line = (
        "2026-01-02 03:04:05,678 INFO x: playback refused request_id='r-1'"
        + " a=''" * 20_000
        + " z\n"
    )

    assert list(find_lines("r-1", io.BytesIO(line.encode()), "a.log")) == []

    assert time.process_time() - began_s < 1


def test_what_was_no_refusal_is_told_as_well(hv: Hv, tmp_path: Path) -> None:
    folder = tmp_path / "hv-data"
    DataFolder(folder).make()
    at = "2026-01-02 03:04:05,678"
    (folder / "logs" / "delivery.log").write_text(
        f"{at} WARNING hvcore_web.errors: request not answered code='unavailable' "
        f"method='GET' request_id='r-1' route='/t/x' why=\"It isn't there.\"\n"
        f"{at} ERROR hvcore_web.errors: request crashed code='crash' request_id='r-2'\n"
        "Traceback (most recent call last):\n"
        f"{at} INFO x: playback refused request_id='r-3' rule='of_tomorrow' status=403\n"
        f"{at} INFO x: playback refused request_id='r-4' rule='token_ex\n"
    )

    (busy,) = found(hv("explain", "r-1", "--json"))
    (crash,) = found(hv("explain", "r-2", "--json"))
    (newer,) = found(hv("explain", "r-3", "--json"))

    assert (busy["rule"], busy["says"]) == (None, "It isn't there.")
    assert "bug" in crash["says"]
    assert "delivery.log" in crash["next"]
    assert (newer["rule"], newer["status"]) == ("of_tomorrow", 403)
    assert hv("explain", "r-4").status in {1, 2}


def test_of_lines_of_json_those_of_refusals_are_told(hv: Hv, tmp_path: Path) -> None:
    folder = tmp_path / "hv-data"
    DataFolder(folder).make()
    line = {
        "time": "2026-01-02T04:04:05.678+01:00",
        "level": "INFO",
        "logger": "hvcore.services.playback.refusal_log",
        "message": "playback refused",
        "request_id": "r-1",
        "rule": "token_expired",
        "status": 401,
        "path": "/v1/private/vid_x/master.m3u8",
    }
    others = [
        {"message": "request answered"},
        {"time": "now"},
        {"time": "9999-12-31T23:59:59-23:00"},
        {"request_id": "r-10"},
        {"path": f'"request_id": "{line["request_id"]}"', "request_id": "r-2"},
    ]
    lines = [json.dumps({**line, **changed}) for changed in ({}, *others)]
    (folder / "logs" / "delivery.log").write_text("\n".join([*lines, ""]))

    (refusal,) = found(hv("explain", "r-1", "--json"))

    assert datetime.fromisoformat(refusal["at"]) == datetime(
        2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC
    )
    assert (refusal["rule"], refusal["status"]) == ("token_expired", 401)
    assert refusal["path"] == "/v1/private/vid_x/master.m3u8"


def test_logs_of_processes_that_run_alone_are_passed(
    hv: Hv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = logged(tmp_path / "elsewhere")
    journal = b"Jan 02 03:04:05 host hv[12]: " + line
    (tmp_path / "journal").write_bytes(journal)

    class Piped:
        buffer = io.BytesIO(journal)

    monkeypatch.setattr(sys, "stdin", Piped())

    assert hv("explain", "r-1").status == 2
    for log in ("journal", "-"):
        (refusal,) = found(hv("explain", "r-1", "--log", log, "--json"))
        assert refusal["rule"] == "token_expired"
