"""
Which transactions wait for the disk, on SQLite.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import sqlalchemy as sa

from hvcore.persistence.engine import make_engine, writing

FULL: Final = 2
NORMAL: Final = 1


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[sa.Engine]:
    made = make_engine(f"sqlite:///{tmp_path / 'db.sqlite3'}")
    yield made
    made.dispose()


def level(engine: sa.Engine, *, is_durable: bool) -> int:
    with writing(engine, is_durable=is_durable) as connection:
        found: int = connection.exec_driver_sql("PRAGMA synchronous").scalar_one()
        connection.commit()
    return found


def test_only_a_transaction_that_a_power_cut_may_undo_waits_for_no_disk(
    engine: sa.Engine,
) -> None:
    # One connection of the pool, whose last user may have wanted the other.
    order = [True, False, False, True, False, True]

    levels = [level(engine, is_durable=wanted) for wanted in order]

    assert levels == [FULL if wanted else NORMAL for wanted in order]
