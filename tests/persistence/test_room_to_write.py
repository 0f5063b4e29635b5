"""
A database without room says so, and is asked without being changed.
"""

from collections.abc import Sequence

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.errors import NoRoomError, UnavailableError
from hvcore.persistence.engine import make_engine, writing
from hvcore.persistence.room_to_write import check_room
from tests.support.servers import PostgresqlServer

# As PostgreSQL says that a file cannot be extended.
_RAISED = "DO $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'; END $$"


def test_a_full_disk_of_the_database_is_no_silence(empty_engine: Engine) -> None:
    statements = ["PRAGMA max_page_count = 1", "CREATE TABLE more (large BLOB)"]
    if empty_engine.dialect.name == "postgresql":
        statements = [_RAISED]

    with pytest.raises(NoRoomError, match="no room") as seen:
        _write(empty_engine, statements)

    assert seen.value.headers["Retry-After"] == "60"


def test_a_database_with_room_is_tried_and_stays_as_it_is(
    empty_engine: Engine,
) -> None:
    check_room(empty_engine)
    check_room(empty_engine)

    assert sa.inspect(empty_engine).get_table_names() == []


@pytest.mark.services
def test_the_trial_of_postgresql_writes_to_its_disk(
    postgresql: PostgresqlServer,
) -> None:
    url = postgresql.new_database()
    engine = make_engine(url)
    # Refused as the disk would be, with another code.
    limit = f"ALTER DATABASE {engine.url.database} SET temp_file_limit = '64kB'"
    try:
        _write(engine, [limit])
        engine.dispose()
        with pytest.raises(UnavailableError, match="does not answer") as seen:
            check_room(engine)
    finally:
        engine.dispose()
        postgresql.drop_database(url)

    assert "temporary file size" in str(seen.value.__cause__)


def _write(engine: Engine, statements: Sequence[str]) -> None:
    with writing(engine) as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
        connection.commit()
