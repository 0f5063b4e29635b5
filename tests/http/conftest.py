"""
The API over real services, with SQLite and ports in memory.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.safe_http import OutboundHttp
from hvcore.settings import (
    DatabaseSettings,
    PlaybackSettings,
    PublicSettings,
    Settings,
    UploadSettings,
)
from tests.conftest import SettableClock
from tests.http.fakes import MemoryStorage, RememberingQueue, ScratchTranscoder
from tests.http.world import ORIGIN, World
from tests.outbound import Names


def settings_of(folder: Path) -> Settings:
    """
    Return the settings of a service in a folder.
    """
    return Settings(
        data_dir=folder,
        public=PublicSettings(
            api_url="https://api.test",
            worker_url="https://worker.test",
            upload_url="https://upload.test",
            cors_origins=(ORIGIN,),
        ),
        database=DatabaseSettings(url=f"sqlite:///{folder / 'hvcore.sqlite3'}"),
        playback=PlaybackSettings(signing_key="p" * 16 + "0123456789abcdef" * 2),
        uploads=UploadSettings(signing_key="u" * 16 + "0123456789abcdef" * 2),
        plugin_modules=(
            "hv_analytics_sql.plugin",
            "hv_auth_apikey.plugin",
            "hv_ratelimit.plugin",
        ),
    )


@pytest.fixture(scope="session")
def _empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Migrating takes longer than a whole test; a copy does not.
    folder = tmp_path_factory.mktemp("database")
    with build(settings_of(folder)) as services:
        services.migrate()
    return folder / "hvcore.sqlite3"


@pytest.fixture
def api(_empty_database: Path, tmp_path: Path, clock: SettableClock) -> Iterator[World]:
    """
    The API with its organizations, environments and a key.
    """
    shutil.copy(_empty_database, tmp_path / "hvcore.sqlite3")
    with open_world(settings_of(tmp_path), clock) as world:
        yield world


@contextmanager
def open_world(settings: Settings, clock: SettableClock) -> Iterator[World]:
    """
    Run the API with some settings, on a database that is up to date.
    """
    storage, queue = MemoryStorage(), RememberingQueue()
    transcoder, names = ScratchTranscoder(), Names()
    overrides = {
        "clock": clock,
        "storage": storage,
        "queue": queue,
        "transcoder": transcoder,
        # No test asks the name servers of the world.
        "outbound": OutboundHttp(allowed_hosts=[], resolve=names),
    }
    with build(settings, overrides=overrides) as services:
        world = World(
            services=services,
            clock=clock,
            storage=storage,
            queue=queue,
            transcoder=transcoder,
            names=names,
            folder=settings.data_dir,
        )
        yield world
        for further in world.further:
            further.close()
