"""
Rows that a transaction saves as a whole, though it has locked none of their table.

Only PostgreSQL locks rows, and two callers must meet there before anybody sees the
difference. What SQLite is asked to run tells as much at once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine

from hvcore.persistence.tables import edge_keys, videos

LOCKED_FIRST: Final = frozenset({edge_keys, videos})
"""
Of the tables whose rows are saved whole. A grant's row is locked by its save as well, which
would hide that nobody has locked it before; a delivery's row is kept by its task's lease.
"""


@contextmanager
def noting_unlocked_saves() -> Iterator[list[str]]:
    """Note, within the block, each statement that saves a row without a lock before."""
    saved: list[str] = []
    locked: WeakKeyDictionary[object, set[sa.FromClause]] = WeakKeyDictionary()

    def note(
        connection: Connection, statement: object, _: object, __: object, ___: object
    ) -> None:
        transaction = connection.get_transaction()
        if transaction is None:
            return
        known = locked.setdefault(transaction, set())
        match statement:
            case sa.Select(_for_update_arg=asked) if asked is not None:
                known.update(statement.get_final_froms())
            case sa.Insert(table=table):
                known.add(table)
            case sa.Update(table=table) if table in LOCKED_FIRST - known:
                # Other updates change rows as they are, not as they were read.
                if " SET id=" in (text := str(statement)):
                    saved.append(text)

    event.listen(Engine, "before_execute", note)
    try:
        yield saved
    finally:
        event.remove(Engine, "before_execute", note)
