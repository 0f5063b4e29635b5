"""
Reads past SQLAlchemy.
"""

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.persistence.engine import make_engine
from hvcore.persistence.fast_reads import KEPT_CONNECTIONS, FastReads
from hvcore.persistence.tables import organizations
from tests.persistence.samples import NOW, ORG, OTHER_ORG, at_once
from tests.servers import wait_until

BY_ID = sa.select(organizations.c.id).where(organizations.c.id == sa.bindparam("id"))


def test_what_another_connection_wrote_is_read_at_once(engine: Engine) -> None:
    reads = FastReads(engine)
    question = reads.prepare(BY_ID)
    assert reads.first(question, {"id": "org_new"}) is None

    with engine.begin() as connection:
        connection.execute(
            sa.insert(organizations).values(id="org_new", created_at=NOW)
        )

    assert reads.first(question, {"id": "org_new"}) == ("org_new",)


def test_a_read_outlives_the_end_of_its_connections(engine: Engine) -> None:
    own = make_engine(engine.url.render_as_string(hide_password=False))
    reads = FastReads(own)
    question = reads.prepare(BY_ID)
    threads = KEPT_CONNECTIONS + 3
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
