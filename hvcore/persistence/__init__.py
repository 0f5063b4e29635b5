"""Store the service's data in SQLite or PostgreSQL: tables, migrations and repositories."""
