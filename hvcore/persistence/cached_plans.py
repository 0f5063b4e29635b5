"""
Ask PostgreSQL once more where a table has changed since a statement was prepared.

A connection keeps the plans of statements that it has asked several times. Once the type
of a column changes, which migrations do while processes run, the server refuses such a
plan: "cached plan must not change result type".
"""

from typing import Any

from psycopg import Cursor
from psycopg.errors import FeatureNotSupported
from psycopg.pq import TransactionStatus


class AskingAgainCursor(Cursor[Any]):
    """A cursor that forgets the plans of its connection when one is refused."""

    def execute(self, *words: Any, **options: Any) -> "AskingAgainCursor":  # noqa: ANN401 - psycopg's
        """
        Ask a question; twice, if a plan is refused outside of a transaction.

        Within one everything is refused until its end, which forgets the plans as well.
        """
        try:
            return super().execute(*words, **options)
        except FeatureNotSupported:
            status = self.connection.info.transaction_status
            if status is not TransactionStatus.IDLE:
                raise
        self.connection.execute("DEALLOCATE ALL")
        return super().execute(*words, **options)


def forget_refused_plans(connection: Any, _record: object) -> None:  # noqa: ANN401 - psycopg's
    """Have all cursors of a new connection ask again."""
    connection.cursor_factory = AskingAgainCursor
