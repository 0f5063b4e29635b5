"""
Reads past SQLAlchemy.
"""

import gc
import sqlite3
import threading
import tracemalloc
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.videos.states import VideoState
from hvcore.persistence.engine import POOLED_CONNECTIONS, make_engine
from hvcore.persistence.fast_reads.reads import FastReads
from hvcore.persistence.playback.directory import SqlPlaybackDirectory
from hvcore.persistence.tables import organizations
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.testing.children import in_child
from tests.persistence.samples import NOW, ORG, OTHER_ORG, at_once, media, video
from tests.support.servers import wait_until

BY_ID = sa.select(organizations.c.id).where(organizations.c.id == sa.bindparam("id"))


def test_another_connections_row_is_read_at_once(engine: Engine) -> None:
    reads = FastReads(engine)
    question = reads.prepare(BY_ID)
    assert reads.first(question, {"id": "org_new"}) is None

    with engine.begin() as connection:
        connection.execute(
            sa.insert(organizations).values(id="org_new", created_at=NOW)
        )

    assert reads.first(question, {"id": "org_new"}) == ("org_new",)


def rename(engine: Engine, old: str, new: str) -> None:
    with engine.begin() as connection:
        connection.execute(
            sa.update(organizations).where(organizations.c.id == old).values(id=new)
        )


def add(engine: Engine, org_id: str) -> None:
    with engine.begin() as connection:
        connection.execute(sa.insert(organizations).values(id=org_id, created_at=NOW))


def test_a_moment_sees_all_that_was_committed_before_it(engine: Engine) -> None:
    reads = FastReads(engine)
    question = reads.prepare(BY_ID)

    for number in range(5):
        org_id = f"org_{number}"
        with reads.moment():
            assert reads.first(question, {"id": org_id}) is None
        add(engine, org_id)
        with reads.moment():
            assert reads.first(question, {"id": org_id}) == (org_id,)
        rename(engine, org_id, f"org_gone_{number}")
        with reads.moment():
            assert reads.first(question, {"id": org_id}) is None
        assert reads.first(question, {"id": f"org_gone_{number}"}) is not None


def test_a_moment_is_one_threads_own(engine: Engine) -> None:
    reads = FastReads(engine)
    question = reads.prepare(BY_ID)

    with reads.moment():
        assert reads.first(question, {"id": "org_new"}) is None
        add(engine, "org_new")
        found = at_once(lambda _: reads.first(question, {"id": "org_new"}), threads=2)

    assert found == [("org_new",)] * 2
    assert reads.first(question, {"id": "org_new"}) == ("org_new",)


def test_only_so_many_answers_are_remembered(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore.persistence.fast_reads.sqlite.MAX_REMEMBERED", 2)
    reads = FastReads(engine)
    question = reads.prepare(BY_ID)

    with reads.moment():
        found = [reads.first(question, {"id": o}) for o in (ORG, OTHER_ORG, "x", ORG)]

    assert found == [(ORG,), (OTHER_ORG,), None, (ORG,)]


def test_a_read_outlives_the_end_of_its_connections(engine: Engine) -> None:
    own = make_engine(engine.url.render_as_string(hide_password=False))
    reads = FastReads(own)
    question = reads.prepare(BY_ID)
    threads = POOLED_CONNECTIONS + 3
    at_once(lambda _: reads.first(question, {"id": ORG}), threads=threads)

    if engine.dialect.name == "postgresql":
        # As a restart of the server does it.
        with engine.connect() as connection:
            connection.execute(
                sa.text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            )
    found = at_once(lambda _: reads.first(question, {"id": OTHER_ORG}), threads=threads)
    own.dispose()

    assert found == [(OTHER_ORG,)] * threads


def test_a_closed_engine_keeps_no_connection(engine: Engine) -> None:
    own = make_engine(engine.url.render_as_string(hide_password=False))
    reads = FastReads(own)
    reads.first(reads.prepare(BY_ID), {"id": ORG})

    own.dispose()

    if engine.dialect.name == "postgresql":
        wait_until(lambda: count_other_clients(engine) == 0)


def test_readers_of_a_process_share_their_connections(engine: Engine) -> None:
    own = make_engine(engine.url.render_as_string(hide_password=False))
    readers = [FastReads(own) for _ in range(4)]

    def ask(_: int) -> None:
        for reads in readers:
            assert reads.first(reads.prepare(BY_ID), {"id": ORG}) == (ORG,)

    at_once(ask, threads=POOLED_CONNECTIONS + 3)

    if engine.dialect.name == "postgresql":
        wait_until(lambda: count_other_clients(engine) <= POOLED_CONNECTIONS)
    own.dispose()


def count_other_clients(engine: Engine) -> int:
    """
    Count who else is connected to this database.

    In a transaction of its own each time: PostgreSQL shows one transaction
    the same picture of the server's activity from its first look to its end.
    """
    others = sa.text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    with engine.connect() as connection:
        return int(connection.execute(others).scalar_one())


def test_the_media_of_videos_are_not_remembered(
    engine: Engine, uow: SqlUnitOfWork
) -> None:
    """
    It is large and kept elsewhere, by its size; answers are only counted.
    """
    of_all = media(500)
    made = [video(state=VideoState.READY, media=of_all) for _ in range(5)]
    with uow.write() as work:
        for one in made:
            work.videos.add(one)
        work.commit()
    directory = SqlPlaybackDirectory(engine)
    with directory.moment():
        found = [directory.find(one.id) for one in made]

    tracemalloc.start()
    with directory.moment():
        assert all(one is not None and one.load_media() for one in found)
        reads = tracemalloc.Filter(inclusive=True, filename_pattern="*_read*.py")
        kept = tracemalloc.take_snapshot().filter_traces([reads]).traces
    tracemalloc.stop()

    assert sum(trace.size for trace in kept) < 100_000


def test_a_forked_child_closes_no_connection_of_its_parents_threads(
    tmp_path: Path,
) -> None:
    engine = make_engine(f"sqlite:///{tmp_path}/hvcore.db")
    reads = FastReads(engine)
    question = reads.prepare(sa.select(sa.text("1")))
    has_read, goes_on = threading.Event(), threading.Event()

    def read() -> None:
        reads.first(question, {})
        has_read.set()
        goes_on.wait()

    reader = threading.Thread(target=read)
    reader.start()
    try:
        assert has_read.wait(30), "the read has failed"
        gc.collect()
        assert in_child(lambda: str(open_connections())) == str(open_connections())
    finally:
        goes_on.set()
        reader.join()
        engine.dispose()


def open_connections() -> int:
    return sum(isinstance(one, sqlite3.Connection) for one in gc.get_objects())
