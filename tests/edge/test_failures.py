"""
Failures that nginx logs are counted, each once.
"""

from pathlib import Path

import pytest

import hvcore_edge
from hvcore.metrics import switch_on
from hvcore_edge import failures
from hvcore_edge.failures import LOG_FILE, FailureLog
from tests.metrics.readings import Growth

LINE = "2026-01-02T03:04:05+00:00 {} 0123abcd upstream=502\n"
NAME = "hv_edge_failures_total"


@pytest.fixture(autouse=True)
def measured() -> None:
    switch_on()


def add(folder: Path, *statuses: int, end: str = "") -> None:
    with (folder / LOG_FILE).open("a") as log:
        log.write("".join(LINE.format(status) for status in statuses) + end)


def grown(growth: Growth) -> float:
    return growth.of_all()[NAME]


def growth_of(status: int) -> Growth:
    return Growth({NAME: {"status": str(status)}})


def test_a_failure_that_nginx_adds_counts_once(tmp_path: Path) -> None:
    add(tmp_path, 503)
    before, of_500 = growth_of(503), growth_of(500)
    log = FailureLog(tmp_path)

    add(tmp_path, 503, 500, 503)
    log.count_new()
    log.count_new()

    assert grown(before) == 2
    assert grown(of_500) == 1


def test_a_failure_counts_when_its_line_is_whole(tmp_path: Path) -> None:
    before = growth_of(503)
    log = FailureLog(tmp_path)

    log.count_new()
    add(tmp_path, 503, end="2026-01-02T03:04:05+00:00 503 0123")
    log.count_new()
    assert grown(before) == 1

    add(tmp_path, end="abcd upstream=-\n")
    log.count_new()
    assert grown(before) == 2


def test_failures_of_a_log_that_was_rotated_count(tmp_path: Path) -> None:
    log = FailureLog(tmp_path)
    add(tmp_path, 503, 503)
    log.count_new()
    before = growth_of(503)

    (tmp_path / LOG_FILE).rename(tmp_path / "trouble.log.1")
    add(tmp_path, 503, 503, 503)
    log.count_new()
    (tmp_path / LOG_FILE).write_text("")
    log.count_new()
    add(tmp_path, 503)
    log.count_new()

    assert grown(before) == 4


def test_many_failures_are_read_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failures, "MOST_READ_BYTES", 100)
    before = growth_of(504)
    log = FailureLog(tmp_path)
    add(tmp_path, 504, 504, 504)

    for _ in range(3):
        log.count_new()

    assert grown(before) == 3


def test_nginx_writes_the_status_where_it_is_read() -> None:
    template = Path(hvcore_edge.__file__).parent / "nginx" / "nginx.conf.template"

    text = template.read_text()

    assert "log_format hv_trouble '$time_iso8601 $status " in text
    assert f"access_log @FOLDER@/{LOG_FILE} hv_trouble " in text
