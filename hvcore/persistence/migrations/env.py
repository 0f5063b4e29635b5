"""
How Alembic reaches the database: migrate.py passes an open transaction.
"""

from alembic import context

from hvcore.persistence.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite changes columns by copying the table.
    render_as_batch=True,
)
context.run_migrations()
