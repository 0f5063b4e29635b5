"""
Databases that share what was written for one of them.
"""

from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.errors import UnavailableError
from hvcore.persistence.engine import make_engine, reading, writing
from hvcore.persistence.shared_statements import write_statement
from hvcore.persistence.tables import leaders

WHO = sa.select(leaders.c.holder)


def _engine(path: Path, schema: str = "", holder: str = "") -> Engine:
    engine = make_engine(f"sqlite:///{path}", schema=schema)
    table = f"{schema}_leaders" if schema else "leaders"
    with writing(engine) as connection:
        connection.exec_driver_sql(f"CREATE TABLE {table} (holder TEXT)")
        connection.exec_driver_sql(f"INSERT INTO {table} VALUES (?)", (holder,))  # noqa: S608 - our own names
        connection.commit()
    return engine


def _holders(engine: Engine) -> list[str]:
    with reading(engine) as connection:
        return list(connection.scalars(WHO))


def test_each_database_answers_for_itself(tmp_path: Path) -> None:
    one = _engine(tmp_path / "one", holder="one")
    other = _engine(tmp_path / "other", holder="other")

    assert (_holders(one), _holders(other)) == (["one"], ["other"])


def test_names_with_a_prefix_are_written_apart(tmp_path: Path) -> None:
    plain = _engine(tmp_path / "db", holder="plain")
    prefixed = _engine(tmp_path / "db", schema="hv", holder="prefixed")

    assert (_holders(plain), _holders(prefixed)) == (["plain"], ["prefixed"])


def test_a_second_database_has_nothing_written_anew() -> None:
    statement = sa.select(leaders.c.name)
    written = write_statement(statement, make_engine("sqlite:////a").dialect)

    again = write_statement(statement, make_engine("sqlite:////b").dialect)

    assert again is written


def test_errors_of_each_database_are_translated(tmp_path: Path) -> None:
    engines = [make_engine(f"sqlite:///{tmp_path}/no/{n}") for n in ("a", "b")]

    for engine in engines:
        with pytest.raises(UnavailableError, match="does not answer"):
            _holders(engine)
