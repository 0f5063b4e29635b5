"""Commands about the whole database and storage: backups, migrations, repair."""
