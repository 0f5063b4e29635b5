"""
The same API as in tests/http, with other limits.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from hvcore.settings.tree import LimitSettings
from tests.conftest import SettableClock
from tests.http.conftest import _empty_database, open_world, settings_of
from tests.http.world import World

__all__ = ["_empty_database", "api", "limited"]


@pytest.fixture
def api(_empty_database: Path, tmp_path: Path, clock: SettableClock) -> Iterator[World]:
    """
    The API without limits: a test here sends every value of a field.
    """
    shutil.copy(_empty_database, tmp_path / "hvcore.sqlite3")
    none = LimitSettings(enabled=False)
    settings = attrs.evolve(settings_of(tmp_path), limits=none)
    with open_world(settings, clock) as world:
        yield world


@pytest.fixture
def limited(
    _empty_database: Path, tmp_path: Path, clock: SettableClock
) -> Iterator[World]:
    """
    The API with limits that three requests reach.
    """
    shutil.copy(_empty_database, tmp_path / "hvcore.sqlite3")
    few = LimitSettings(
        upload_url_per_hour=2,
        video_operations_per_hour=2,
        analytics_per_hour=2,
        thumbnails_per_hour=2,
    )
    settings = attrs.evolve(settings_of(tmp_path), limits=few)
    with open_world(settings, clock) as world:
        yield world
