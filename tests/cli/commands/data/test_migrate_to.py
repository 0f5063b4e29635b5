"""
hv migrate --to: everything arrives in another database, whatever happens on the way.
"""

import multiprocessing
import signal
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore import failpoints
from hvcore.persistence.copying import target
from hvcore.persistence.engine import make_engine
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.main import run
from tests.cli.conftest import Hv
from tests.support.databases.filled_database import (
    READ_ANEW,
    contents,
    filled_database,
)
from tests.support.databases.migrated import sqlite_of_a_service
from tests.support.servers import PostgresqlServer

COPYING_POINTS = (
    *("copy.claimed", "copy.prepared", "copy.begun", "copy.page"),
    "copy.checked",
)


@pytest.fixture
def source_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/hv-data/hvcore.sqlite3"


@pytest.fixture
def filled(
    hv: Hv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Mapping[str, list[str]]:
    """
    Lay the file into the data folder, and tell what is in it.
    """
    del hv
    monkeypatch.setenv("HV_QUEUE__BACKEND", "sql")
    data = tmp_path / "hv-data"
    data.mkdir(mode=0o700)
    (data / "hvcore.sqlite3").write_bytes(filled_database().file)
    return filled_database().rows


@pytest.fixture
def target_url(tmp_path: Path) -> str:
    """
    A database that is not there yet; most of this is the same on every server.
    """
    return f"sqlite:///{tmp_path}/copy.sqlite3"


@pytest.fixture
def laid_url(target_url: str, tmp_path: Path) -> str:
    """
    The same with tables and no rows, which saves the time to make them.
    """
    (tmp_path / "copy.sqlite3").write_bytes(sqlite_of_a_service())
    return target_url


@pytest.fixture
def postgresql_url(postgresql: PostgresqlServer) -> Iterator[str]:
    url = postgresql.new_database()
    yield url
    postgresql.drop_database(url)


@pytest.mark.services
def test_all_rows_are_the_same_on_postgresql_and_back_again(
    hv: Hv,
    filled: Mapping[str, list[str]],
    postgresql_url: str,
    target_url: str,
    source_url: str,
) -> None:
    there = hv("migrate", "--to", postgresql_url)

    assert there.status == 0, there.stderr
    assert "HV_DATABASE__URL" in there.stderr
    assert _contents(postgresql_url) == filled
    assert _contents(source_url) == filled

    back = hv("migrate", "--to", target_url, HV_DATABASE__URL=postgresql_url)
    # Writes the audit log, whose numbers go on above those that were copied.
    later = hv("orgs", "create", "org_later", HV_DATABASE__URL=postgresql_url)

    assert back.status == 0, back.stderr
    assert _contents(target_url) == filled
    assert later.status == 0, later.stderr


def test_spoken_texts_are_left_to_the_sweep_of_the_new_place(
    hv: Hv, filled: Mapping[str, list[str]], target_url: str, source_url: str
) -> None:
    assert filled
    assert hv("migrate", "--to", target_url).status == 0

    counts = []
    for url in (source_url, target_url):
        engine = make_engine(url)
        with engine.connect() as connection:
            asked = sa.select(sa.func.count()).select_from(sa.table(READ_ANEW))
            counts.append(connection.execute(asked).scalar_one())
        engine.dispose()
    assert counts[0] > 0
    assert counts[1] == 0


@pytest.mark.services
def test_tables_in_a_schema_find_theirs(
    hv: Hv, tmp_path: Path, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HV_DATABASE__SCHEMA", "video")
    assert hv("migrate").status == 0
    assert hv("orgs", "create", "org_own").status == 0
    old = _contents(f"sqlite:///{tmp_path}/hv-data/hvcore.sqlite3", "video")

    copied = hv("migrate", "--to", postgresql_url)

    assert copied.status == 0, copied.stderr
    engine = make_engine(postgresql_url, schema="video")
    assert contents(engine) == old
    engine.dispose()


def test_a_copy_that_is_killed_goes_on(
    hv: Hv,
    filled: Mapping[str, list[str]],
    target_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(target, "PAGE_ROWS", 2)
    for point in COPYING_POINTS:
        assert _killed_at(point, target_url), point
        assert _refused(hv, target_url)

    last = hv("migrate", "--to", target_url)

    assert last.status == 0, last.stderr
    assert "rows are there already" in last.stderr
    assert _contents(target_url) == filled
    assert hv("orgs", "list", HV_DATABASE__URL=target_url).status == 0


@pytest.mark.long
@pytest.mark.services
def test_a_copy_that_is_killed_after_each_page_is_whole_in_the_end(
    filled: Mapping[str, list[str]],
    postgresql_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(target, "PAGE_ROWS", 2)
    runs = 0
    while _killed_at("copy.page", postgresql_url):
        runs += 1

    assert runs > len(filled)
    assert _contents(postgresql_url) == filled


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("side", "change"),
    [
        ("source", "UPDATE videos SET name = 'other' WHERE rowid = 2"),
        ("source", "DELETE FROM hv_analytics_gaps"),
        ("target", "UPDATE videos SET deleted_at = deleted_at + 1 WHERE rowid = 1"),
        ("target", "UPDATE grants SET in_parts = NOT in_parts WHERE rowid = 1"),
    ],
)
@pytest.mark.usefixtures("filled")
def test_a_row_that_was_changed_meanwhile_is_found(
    hv: Hv, source_url: str, laid_url: str, side: str, change: str
) -> None:
    assert _killed_at("copy.checked", laid_url)
    _change({"source": source_url, "target": laid_url}[side], change)

    outcome = hv("migrate", "--to", laid_url)

    assert outcome.status == 1
    assert "not the same" in outcome.stderr
    assert _refused(hv, laid_url)


def test_a_database_with_tables_and_no_rows_is_taken(
    hv: Hv, filled: Mapping[str, list[str]], laid_url: str
) -> None:
    assert hv("migrate", "--to", laid_url).status == 0

    assert _contents(laid_url) == filled


def test_what_is_there_is_never_touched(
    hv: Hv, filled: Mapping[str, list[str]], laid_url: str, source_url: str
) -> None:
    assert hv("migrate", "--to", laid_url).status == 0
    _change(laid_url, "UPDATE videos SET name = 'later'")
    before = _contents(laid_url)

    again = hv("migrate", "--to", laid_url)
    itself = hv("migrate", "--to", source_url)

    assert (again.status, itself.status) == (1, 1)
    assert "has records of a service already" in again.stderr
    assert "the same database" in itself.stderr
    assert _contents(laid_url) == before
    assert _contents(source_url) == filled


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("CREATE TABLE wiki_pages (id INTEGER)", "tables of something else"),
        ("INSERT INTO hv_analytics_positions VALUES ('f', 1)", "records already"),
        ("INSERT INTO alembic_version VALUES ('copying:x')", "unfinished copy"),
    ],
)
@pytest.mark.usefixtures("filled")
def test_another_programs_database_is_refused(
    hv: Hv,
    laid_url: str,
    statement: str,
    said: str,
) -> None:
    _change(laid_url, statement)
    before = _contents(laid_url)

    outcome = hv("migrate", "--to", laid_url)

    assert (outcome.status, said in outcome.stderr) == (1, True), outcome.stderr
    assert {**_contents(laid_url), **before} == _contents(laid_url)


def test_a_running_service_is_not_copied(
    migrated: Hv, tmp_path: Path, source_url: str, target_url: str
) -> None:
    folder = DataFolder(tmp_path / "hv-data")
    folder.make()
    with folder.locked():
        running = migrated("migrate", "--to", target_url)
    later = "INSERT INTO leaders VALUES ('sweep', 'host-b', 9000000000000000)"
    _change(source_url, later)
    elsewhere = migrated("migrate", "--to", target_url)

    assert (running.status, elsewhere.status) == (1, 1)
    assert "already running" in running.stderr
    assert "A sweep (host-b) works" in elsewhere.stderr
    assert not (tmp_path / "copy.sqlite3").exists()


@pytest.mark.services
@pytest.mark.usefixtures("filled")
def test_what_the_other_database_cannot_hold_is_said(
    hv: Hv, source_url: str, postgresql_url: str
) -> None:
    _change(source_url, "UPDATE videos SET name = 'x' || char(0) WHERE rowid = 1")

    outcome = hv("migrate", "--to", postgresql_url)

    assert outcome.status == 1
    assert "A row of videos cannot be copied: " in outcome.stderr
    assert "begin anew with an empty database" in outcome.stderr


@pytest.mark.usefixtures("filled")
def test_a_value_of_another_kind_is_named(
    hv: Hv, source_url: str, laid_url: str
) -> None:
    _change(source_url, "UPDATE videos SET created_at = 'soon' WHERE rowid = 1")

    outcome = hv("migrate", "--to", laid_url)

    assert outcome.status == 1
    assert "videos.created_at holds a value that is no integer" in outcome.stderr


def test_a_wrong_address_is_no_traceback(migrated: Hv) -> None:
    outcome = migrated("migrate", "--to", "mysql://root:secret@db/hv")

    assert outcome.status == 1
    assert outcome.stderr.startswith("Error: --to: mysql is not supported")
    assert "secret" not in outcome.stderr


def _killed_at(point: str, url: str) -> bool:
    """
    Copy in a child that a point kills; tell whether it did.
    """
    child = multiprocessing.get_context("fork").Process(
        target=_copy_until, args=(point, url)
    )
    child.start()
    child.join()
    with closing(child):
        if child.exitcode == 0:
            return False
        assert child.exitcode == -signal.SIGKILL, child.exitcode
    return True


def _copy_until(point: str, url: str) -> None:
    failpoints.arm(f"{point}=kill")
    raise SystemExit(run(["migrate", "--to", url]))


def _refused(hv: Hv, url: str) -> bool:
    """
    Tell whether no service starts on a database.
    """
    started = hv("migrate", HV_DATABASE__URL=url)
    listed = hv("orgs", "list", HV_DATABASE__URL=url)
    return started.status == listed.status == 1 and "unfinished copy" in started.stderr


def _contents(url: str, schema: str = "") -> Mapping[str, list[str]]:
    engine = make_engine(url)
    found = contents(engine, schema)
    engine.dispose()
    return found


def _change(url: str, statement: str) -> None:
    engine: Engine = make_engine(url)
    with engine.connect() as connection, connection.begin():
        assert connection.execute(sa.text(statement)).rowcount != 0
    engine.dispose()
