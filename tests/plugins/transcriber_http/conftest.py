"""
A server that transcribes, a sound, and a database.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import Engine

from hvcore.persistence.engine import make_engine
from hvcore.plugin_api import SoundFile
from hvcore.testing.transcriber import tones, write_sound
from tests.plugins.transcriber_http.imitated_server import (
    ImitatedServer,
    imitated_server,
)


@pytest.fixture
def server() -> Iterator[ImitatedServer]:
    with imitated_server() as made:
        yield made


@pytest.fixture
def sound(tmp_path: Path) -> SoundFile:
    return write_sound(tmp_path / "a.wav", tones(1_000))


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Engine]:
    engine = make_engine(f"sqlite:///{tmp_path}/hvcore.db")
    yield engine
    engine.dispose()
