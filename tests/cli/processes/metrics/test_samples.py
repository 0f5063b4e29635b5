"""
Gauges are asked of the database now and then, and nobody waits long for them.
"""

import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hvcore.domain.tasks.kinds import WEBHOOK_DELIVER
from hvcore.domain.tasks.task import TaskCount
from hvcore.errors import UnavailableError
from hvcore.services.tasks.workload import Workload
from hvcore.settings import load
from hvcore_cli.processes.metrics import sampled as sampling
from hvcore_cli.processes.metrics.listener import MetricsPage
from hvcore_cli.processes.metrics.sampled import Sampled
from hvcore_cli.processes.metrics.samples import DiskRoom, SampleCollector, room_of
from tests.cli.conftest import Hv

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def count(kind: str, state: str, number: int, *, due_s: float) -> TaskCount:
    return TaskCount(
        lane="outbound",
        kind=kind,
        state=state,
        is_later=due_s > 0,
        count=number,
        oldest_due_at=NOW + timedelta(seconds=due_s),
    )


WORK = Workload(
    at=NOW,
    counts=[
        count(WEBHOOK_DELIVER, "due", 2, due_s=-30),
        count(WEBHOOK_DELIVER, "due", 3, due_s=60),
        count(WEBHOOK_DELIVER, "queued", 1, due_s=-10),
        count(WEBHOOK_DELIVER, "failed", 7, due_s=-999),
        count("fetch.get", "leased", 4, due_s=-500),
    ],
    waiting_encode_s=90.0,
    clock_ahead_s=-300.0,
    installed_at=NOW - timedelta(days=1),
    backed_up_at=NOW - timedelta(hours=1),
)


def samples(
    found: Sampled[Workload],
    folder: Path,
    *,
    dependencies: Mapping[str, Sampled[bool]] = {},
    apps: Sequence[tuple[str, Sampled[bool]]] = (),
    disks: Mapping[str, Sampled[DiskRoom]] = {},
) -> dict[str, float]:
    collector = SampleCollector(
        workload=found,
        spool_dir=folder,
        dependencies=dependencies,
        apps=lambda: apps,
        disks=disks,
    )
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in collector.collect()
        for sample in family.samples
    }


def test_what_waits_is_told_by_state_and_age(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool" / "lines").write_bytes(b"x" * 17)

    found = samples(Sampled(lambda: WORK), tmp_path / "spool")

    assert found.pop("hv_build_info 0.1.0") == 1
    assert found == {
        "hv_spool_backlog_bytes": 17,
        "hv_tasks outbound webhook.deliver due": 2,
        "hv_tasks outbound webhook.deliver later": 3,
        "hv_tasks outbound webhook.deliver queued": 1,
        "hv_tasks outbound webhook.deliver failed": 7,
        "hv_tasks outbound fetch.get leased": 4,
        "hv_task_oldest_age_seconds outbound": 30,
        "hv_webhook_deliveries_waiting": 6,
        "hv_webhook_oldest_age_seconds": 30,
        "hv_encode_waiting_minutes": 1.5,
        "hv_clock_ahead_seconds": -300.0,
        "hv_installation_age_seconds": 86_400,
        "hv_backup_age_seconds": 3600,
    }


def test_a_database_that_hangs_or_fails_costs_only_its_own_gauges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "WITHIN_S", 0.05)
    goes_on, asked = threading.Event(), []

    def hangs() -> Workload:
        asked.append(1)
        goes_on.wait(60)
        return WORK

    sampled = Sampled(hangs)
    began = time.monotonic()
    for _ in range(3):
        assert "hv_encode_waiting_minutes" not in samples(sampled, tmp_path)

    assert time.monotonic() - began < 1.0
    assert len(asked) == 1
    goes_on.set()


def test_a_bug_in_a_sample_is_logged_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def has_a_bug() -> Workload:
        raise ZeroDivisionError

    assert Sampled(has_a_bug).latest() is None

    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert "in has_a_bug" in caplog.text


def test_an_outage_in_a_sample_is_logged_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")

    def is_away() -> Workload:
        raise UnavailableError("The database does not answer.")

    assert Sampled(is_away).latest() is None

    (record,) = caplog.records
    assert (record.levelname, record.exc_info) == ("INFO", None)


def test_the_database_is_asked_at_most_every_ten_seconds(tmp_path: Path) -> None:
    asked = []

    def ask() -> Workload:
        asked.append(1)
        return WORK

    sampled = Sampled(ask)
    for _ in range(5):
        assert sampled.latest() == WORK

    assert len(asked) == 1


def test_hv_metrics_says_what_to_set(hv: Hv) -> None:
    outcome = hv("metrics")

    assert outcome.status == 1
    assert "HV_METRICS__LISTEN" in outcome.stderr


def test_a_dependency_that_hangs_counts_as_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "WITHIN_S", 0.05)
    goes_on = threading.Event()

    def hangs() -> bool:
        return goes_on.wait(60)

    asked = {
        "database": Sampled(hangs),
        "storage": Sampled(lambda: True),
        "queue": Sampled(lambda: False),
    }
    found = samples(Sampled(lambda: WORK), tmp_path, dependencies=asked)

    assert found["hv_dependency_up database"] == 0
    assert found["hv_dependency_up storage"] == 1
    assert found["hv_dependency_up queue"] == 0
    goes_on.set()


def test_an_app_is_ready_if_each_of_its_servers_is(tmp_path: Path) -> None:
    yes, no = Sampled(lambda: True), Sampled(lambda: False)

    found = samples(
        Sampled(lambda: WORK),
        tmp_path,
        apps=[("api", yes), ("api", no), ("delivery", yes), ("delivery", yes)],
    )

    assert found["hv_ready api"] == 0
    assert found["hv_ready delivery"] == 1


def test_the_room_of_a_disk_is_told(tmp_path: Path) -> None:
    not_made_yet = tmp_path / "edge" / "cache"

    found = samples(
        Sampled(lambda: WORK),
        tmp_path,
        disks={"edge": Sampled(lambda: room_of(not_made_yet))},
    )

    usage = shutil.disk_usage(tmp_path)
    assert found["hv_disk_size_bytes edge"] == usage.total
    assert 0 < found["hv_disk_free_bytes edge"] <= usage.total


def test_a_bug_in_the_ping_of_a_dependency_is_logged_with_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def has_a_bug(_path: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("hvcore_storage_fsspec.local.LocalStorage.ping", has_a_bug)
    settings = load(
        config_path=None,
        environ={
            "HV_QUEUE__BACKEND": "sql",
            "HV_STORAGE__OPTIONS__URL": str(tmp_path / "media"),
            "HV_DATABASE__URL": "sqlite:////dev/null/records.sqlite3",
        },
        data_dir=tmp_path,
    )

    told = MetricsPage(settings.settings).text().decode()

    assert 'hv_dependency_up{dependency="storage"} 0.0' in told
    errors = [r for r in caplog.records if r.levelname == "ERROR"]
    assert len(errors) == 1
    assert "in has_a_bug" in caplog.text


def test_the_metrics_say_what_answers_and_what_room_there_is(tmp_path: Path) -> None:
    settings = load(
        config_path=None,
        environ={
            "HV_METRICS__LISTEN": "9464",
            "HV_QUEUE__BACKEND": "sql",
            "HV_STORAGE__OPTIONS__URL": str(tmp_path / "media"),
            # Nobody has made its tables, and nobody can: its folder is a file.
            "HV_DATABASE__URL": "sqlite:////dev/null/records.sqlite3",
        },
        data_dir=tmp_path,
    )

    told = MetricsPage(settings.settings).text().decode()

    assert 'hv_dependency_up{dependency="database"} 0.0' in told
    assert 'hv_dependency_up{dependency="storage"} 1.0' in told
    for folder in ("data", "storage", "temporary"):
        assert f'hv_disk_free_bytes{{folder="{folder}"}}' in told
