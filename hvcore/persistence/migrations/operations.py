"""
Run Alembic operations on tables whose names have a prefix, written as if there were none.

SQL texts write table names in braces, as in ``UPDATE {videos} SET …``.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from alembic.operations import BatchOperations, Operations
from alembic.operations.ops import CreateTableOp, ExecuteSQLOp, MigrateOperation
from alembic.runtime.migration import MigrationContext
from sqlalchemy.schema import SchemaItem

from hvcore.persistence.naming import prefix_of, with_prefix


def run_migrations(context: MigrationContext) -> None:
    """Run the outstanding migrations within the open transaction."""
    with Operations.context(context) as operations:
        prefixed = _Prefixed(operations, prefix_of(context.dialect))
        # What ``alembic.op`` calls; it makes its operations by itself.
        for name in ("invoke", "batch_alter_table"):
            setattr(operations, name, getattr(prefixed, name))
        context.run_migrations()


class _Prefixed:
    """Puts the prefix before the names of tables and indexes."""

    def __init__(self, operations: Operations, prefix: str) -> None:
        self._invoke = operations.invoke
        self._batch = operations.batch_alter_table
        self._prefix = prefix

    def invoke(self, operation: MigrateOperation) -> Any:  # noqa: ANN401 - Alembic's
        """Carry out an operation under the names that the database has."""
        if isinstance(operation, ExecuteSQLOp) and isinstance(operation.sqltext, str):
            operation.sqltext = with_prefix(operation.sqltext, self._prefix)
        if isinstance(operation, CreateTableOp) and self._prefix:
            operation.columns = _renamed(operation.columns, self._prefix)
        for attribute in ("table_name", "index_name"):
            name = getattr(operation, attribute, None)
            if isinstance(name, str):
                setattr(operation, attribute, self._prefix + name)
        return self._invoke(operation)

    @contextmanager
    def batch_alter_table(
        self,
        table_name: str,
        *args: Any,  # noqa: ANN401 - Alembic's
        **options: Any,  # noqa: ANN401 - see above
    ) -> Iterator[BatchOperations]:
        """Change a table by copying it, under the name that the database has."""
        with self._batch(self._prefix + table_name, *args, **options) as batch:
            yield batch


def _renamed(items: Sequence[SchemaItem], prefix: str) -> Sequence[SchemaItem]:
    return [
        _referring(item, prefix) if isinstance(item, sa.ForeignKeyConstraint) else item
        for item in items
    ]


def _referring(
    constraint: sa.ForeignKeyConstraint, prefix: str
) -> sa.ForeignKeyConstraint:
    targets = [prefix + element.target_fullname for element in constraint.elements]
    return sa.ForeignKeyConstraint(
        constraint.column_keys,
        targets,
        name=constraint.name,
        ondelete=constraint.ondelete,
    )
