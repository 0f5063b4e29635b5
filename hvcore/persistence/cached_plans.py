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
    """Cursor that drops the cached plans of its connection when PostgreSQL refuses one."""

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
    """Have a new connection use AskingAgainCursor for all of its cursors."""
    connection.cursor_factory = AskingAgainCursor
