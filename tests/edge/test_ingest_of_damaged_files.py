"""
Tally files that are damaged, cut off or unreadable hold up no other.
"""

import os
import time
from pathlib import Path

import pytest

from hvcore.assembly import Services
from hvcore_edge.ingest import NEW_FOR_S
from hvcore_edge.tallies import tally_files
from tests.edge.ingested_tallies import (
    MINUTE,
    Behind,
    Mute,
    counted,
    ingest,
    record,
    write,
)
from tests.edge.written_tallies import tally, write_tally


def test_a_file_that_cannot_be_opened_holds_up_no_other(
    services: Services, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = folder / "edge-00.tally"
    # Not even root can open it.
    first.symlink_to(first.name)
    write(folder, record())
    reading = ingest(services)

    is_all = [reading.run_once(), reading.run_once()]
    while_closed = counted(services)
    first.unlink()
    first.write_bytes(tally(MINUTE, record(2)))
    is_all.append(reading.run_once())

    assert is_all == [False, False, True]
    assert (while_closed, counted(services)) == (1, 3)
    assert caplog.text.count("was left") == 1


def test_a_damaged_tally_is_logged_and_the_rest_counts(
    services: Services, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(folder, record(), (b"\xff" * 30, 4, 0, 0), record(2))
    bytes_before = path.read_bytes()

    assert ingest(services).run_once()
    assert ingest(services).run_once()

    assert (counted(services), list(tally_files(folder))) == (3, [])
    assert caplog.text.count("was damaged") == 1
    # Whoever wants to know why finds all of it.
    aside = path.with_suffix(".damaged")
    assert str(aside) in {vars(one).get("hv_path") for one in caplog.records}
    assert aside.read_bytes() == bytes_before
    assert services.analytics_store.position(path.name) == 0


def test_a_file_that_lost_its_beginning_is_said_and_holds_up_no_other(
    services: Services, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # As after a power cut: the file is as long as it was, and its bytes are gone.
    write_tally(folder, b"", is_whole=True)
    write(folder, record(2))

    assert ingest(services).run_once()

    assert (counted(services), list(tally_files(folder))) == (2, [])
    assert caplog.text.count("was damaged") == 1


def test_a_damaged_file_is_kept_by_who_did_not_bring_it(
    services: Services, folder: Path
) -> None:
    path = write(folder, record(), (b"\xff" * 30, 4, 0, 0))
    ingest(services, mute=Mute(services.analytics_store)).run_once()
    before = (counted(services), path.exists())

    assert ingest(services).run_once()

    assert (before, counted(services)) == ((1, True), 1)
    assert path.with_suffix(".damaged").exists()


def test_a_damaged_tally_is_logged_once_it_was_taken(
    services: Services, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    behind = Behind()
    reading = ingest(services, behind=behind)
    write(folder, record(), (b"\xff" * 30, 4, 0, 0))
    reading.run_once()
    before = caplog.text.count("was damaged")
    behind.fails = False

    reading.run_once()
    reading.run_once()

    assert (before, caplog.text.count("was damaged")) == (0, 1)
    assert behind.segments == 1


@pytest.mark.parametrize(
    ("age_s", "is_left"), [(0.0, True), (NEW_FOR_S / 2, True), (NEW_FOR_S + 1, False)]
)
def test_an_old_file_of_a_worker_killed_at_its_beginning_goes(
    services: Services,
    folder: Path,
    age_s: float,
    is_left: bool,  # noqa: FBT001 - a parameter
) -> None:
    path = folder / f"edge-{'0' * 32}.new"
    path.write_bytes(tally(MINUTE, record()))
    at = time.time() - age_s
    os.utime(path, (at, at))

    assert ingest(services).run_once()

    assert path.exists() == is_left
    # Nothing was counted in it yet, whatever it holds.
    assert counted(services) == 0


def test_other_files_of_the_folder_stay(services: Services, folder: Path) -> None:
    names = {"changes", "edge.tally", "reader.lock", "nginx.new", "served.log"}
    for name in names:
        (folder / name).write_bytes(tally(MINUTE, record()))
        os.utime(folder / name, (0, 0))

    assert ingest(services).run_once()

    assert {path.name for path in folder.iterdir()} == names
    assert counted(services) == 0
