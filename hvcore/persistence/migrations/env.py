"""Alembic's entry to the migrations: runs them in the open transaction that ``persistence.migrate`` passes."""

from alembic import context

from hvcore.persistence.migrations.operations import run_migrations
from hvcore.persistence.naming import prefix_of
from hvcore.persistence.schema_version import VERSION_TABLE
from hvcore.persistence.tables import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    version_table=prefix_of(connection.dialect) + VERSION_TABLE,
    # SQLite changes columns by copying the table.
    render_as_batch=True,
)
run_migrations(context.get_context())
