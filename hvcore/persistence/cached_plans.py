"""
Run a statement again where PostgreSQL refuses its cached plan after a table was changed.

A connection keeps the plans of statements that it has asked several times. Once the type
of a column changes, which migrations do while processes run, the server refuses such a
plan: "cached plan must not change result type".
"""

from typing import Any

from psycopg import Cursor
from psycopg.errors import FeatureNotSupported
from psycopg.pq import TransactionStatus


class AskingAgainCursor(Cursor[Any]):
    """Cursor of psycopg that runs a statement again if PostgreSQL refuses the statement's cached plan."""

    def execute(self, *words: Any, **options: Any) -> "AskingAgainCursor":  # noqa: ANN401 - psycopg's
        """
        Run a statement; run it again if its plan is refused outside of a transaction.

        Within a transaction PostgreSQL refuses every statement until the transaction ends,
        which drops the plans as well; so the error is raised.
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
    """Have a new database connection use AskingAgainCursor, which drops refused plans, for all of its cursors."""
    connection.cursor_factory = AskingAgainCursor
