"""
Databases that are up to date, copied: to make one takes longer than most tests.
"""

import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from sqlalchemy.engine import make_url

from hvcore.assembly import build
from hvcore.persistence.engine import make_engine
from hvcore.persistence.migrate import migrate
from hvcore.settings import Settings, load


def lay_database(settings: Settings) -> None:
    """
    Put a service's database where ``migrate`` would make it, if that is SQLite.

    Nothing happens if one is there.
    """
    url = make_url(settings.database.url)
    if url.get_backend_name() == "sqlite" and url.database is not None:
        path = Path(unquote(url.database))
        if not path.exists():
            path.write_bytes(sqlite_of_a_service())


def lay_database_in(data: Path) -> None:
    """
    Make a data folder with the database that the default settings have there.

    Nothing happens if one is there.
    """
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = data / "hvcore.sqlite3"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_bytes(sqlite_of_a_service())


@cache
def sqlite_of_a_service() -> bytes:
    """
    Return the file that the default settings make, with the tables of all sinks.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = load(config_path=None, environ={}, data_dir=folder).settings
        with build(settings, rings=False) as services:
            services.migrate()
        return (folder / "hvcore.sqlite3").read_bytes()


@cache
def sqlite_of_the_core() -> bytes:
    """
    Return the file that the migrations alone make.
    """
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "hvcore.db"
        engine = make_engine(f"sqlite:///{path}")
        migrate(engine)
        engine.dispose()
        return path.read_bytes()
