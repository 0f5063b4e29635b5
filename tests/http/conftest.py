"""
The API over real services, with SQLite and ports in memory.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.assembly import build
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


def _settings(folder: Path) -> Settings:
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
        plugin_modules=("hv_auth_apikey.plugin",),
    )


@pytest.fixture(scope="session")
def _empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Migrating takes longer than a whole test; a copy does not.
    folder = tmp_path_factory.mktemp("database")
    with build(_settings(folder)) as services:
        services.migrate()
    return folder / "hvcore.sqlite3"


@pytest.fixture
def api(_empty_database: Path, tmp_path: Path, clock: SettableClock) -> Iterator[World]:
    """
    The API with its organizations, environments and a key.
    """
    shutil.copy(_empty_database, tmp_path / "hvcore.sqlite3")
    storage, queue = MemoryStorage(), RememberingQueue()
    transcoder = ScratchTranscoder()
    overrides = {
        "clock": clock,
        "storage": storage,
        "queue": queue,
        "transcoder": transcoder,
    }
    with build(_settings(tmp_path), overrides=overrides) as services:
        yield World(
            services=services,
            clock=clock,
            storage=storage,
            queue=queue,
            transcoder=transcoder,
            folder=tmp_path,
        )
