"""
Logs for programs: one JSON object a line, with the ids of what is done.
"""

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hvcore import log_context
from hvcore_cli.logs import json_lines
from hvcore_cli.logs.process_logs import LogFile, is_important
from tests.cli.conftest import Hv

LOG = logging.getLogger("hv.test_json_logs")


class Lines:
    """
    What is logged, as a process writes it.
    """

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def raw(self) -> list[bytes]:
        return self.stream.getvalue().encode("ascii").splitlines(keepends=True)

    @property
    def read(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.raw]


@pytest.fixture
def lines() -> Iterator[Lines]:
    made = Lines()
    handler = logging.StreamHandler(made.stream)
    handler.setFormatter(json_lines.JsonFormatter())
    handler.addFilter(log_context.AddIds())
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    yield made
    LOG.removeHandler(handler)


def test_a_line_is_an_object_in_utc(lines: Lines) -> None:
    LOG.info("worker %s", "ready", extra={"hv_lanes": ["light"], "hv_message": "x"})

    (line,) = lines.read
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "INFO",
        "logger": "hv.test_json_logs",
        "message": "worker ready",
        "lanes": ["light"],
        "hv_message": "x",
    }


def test_a_crash_is_one_line_that_no_terminal_obeys(lines: Lines) -> None:
    LOG.error("failed", exc_info=ValueError("\x1b]0;x\x07\u202e\n"))

    (raw,), (line,) = lines.raw, lines.read
    assert "ValueError: \x1b]0;x" in line["exception"]
    assert raw.endswith(b"\n")
    assert raw.strip().decode("ascii").isprintable()


def test_lines_say_what_their_thread_does(lines: Lines) -> None:
    with log_context.about({"request_id": "r-1"}):
        with log_context.about({"task": "task_1"}):
            LOG.info("both")
            LOG.info("its own", extra={"hv_task": "task_2"})
        LOG.info("one")
    LOG.info("none")

    ids = [(line.get("request_id"), line.get("task")) for line in lines.read]
    assert ids == [("r-1", "task_1"), ("r-1", "task_2"), ("r-1", None), (None, None)]


def test_the_operator_is_shown_important_lines_as_text(lines: Lines) -> None:
    LOG.info("WARNING", extra={"hv_level": "ERROR"})
    LOG.warning("disk full", extra={"hv_why": "ENOSPC"})

    usual, important = lines.raw
    assert (is_important(usual), is_important(important)) == (False, True)
    shown = json_lines.as_text(important).decode()
    assert shown.endswith(" WARNING hv.test_json_logs: disk full why='ENOSPC'")
    assert json_lines.as_text(b"Error: no JSON\n") == b"Error: no JSON\n"


def test_a_line_of_ours_is_read_behind_the_words_of_a_service_manager(
    lines: Lines,
) -> None:
    LOG.warning("disk full")
    (ours,) = lines.raw
    others = [
        b'{"time": 1, "level": "ERROR", "logger": "x", "message": "y"}',
        b'{"time": "1", "level": "ERROR", "logger": "x"}',
        b'{"time": "1"',
        b'{"time": ' + b"[" * 100_000,
        b"Error: no JSON",
    ]

    assert json_lines.read_line(b"Jan 1 host hv[7]: " + ours) == lines.read[0]
    assert [json_lines.read_line(line) for line in others] == [None] * len(others)


def test_why_a_process_ended_is_read_from_its_json(
    lines: Lines, tmp_path: Path
) -> None:
    LOG.critical("the folder is gone")
    last = b'{"time": "x", "level": "ERROR", "logger": "gunicorn.error", "message": ""}'
    log = LogFile(tmp_path / "api.log")

    for line in (*lines.raw, last):
        log.write(line)

    log.close()
    assert log.reason.endswith(b" CRITICAL hv.test_json_logs: the folder is gone")


def test_a_refused_request_is_found_in_json(
    lines: Lines, hv: Hv, tmp_path: Path
) -> None:
    data = {"hv_rule": "token_expired", "hv_status": 401, "hv_path": "/v1/private/x"}
    with log_context.about({"request_id": "r-1"}):
        LOG.info("playback refused", extra=data)
        LOG.info("something else", extra=data)
    logs = tmp_path / "hv-data" / "logs"
    logs.mkdir(parents=True)
    (logs / "delivery.log").write_bytes(b"".join(lines.raw))

    outcome = hv("explain", "r-1", "--json")

    (found,) = json.loads(outcome.stdout)["refusals"]
    assert (found["rule"], found["status"]) == ("token_expired", 401)
    assert found["path"] == "/v1/private/x"
    assert found["at"] == lines.read[0]["time"]


def test_an_unknown_format_is_refused(hv: Hv) -> None:
    outcome = hv("sweep", HV_LOG__FORMAT="yaml")

    assert outcome.status == 1
    assert "must be text or json, not 'yaml'" in outcome.stderr
