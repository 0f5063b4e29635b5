"""
The API of tests.support.http, with other limits.
"""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from hvcore.settings.tree import LimitSettings
from tests.conftest import SettableClock
from tests.support.http.fixtures import (
    Template,
    _template,
    api,
    fresh,
    settings_of,
    shared,
)
from tests.support.http.world import World

__all__ = ["_template", "api", "fresh", "limited", "shared"]


@pytest.fixture
def limited(
    _template: Template, tmp_path: Path, clock: SettableClock
) -> Iterator[World]:
    """
    The API with limits that three requests reach.
    """
    few = LimitSettings(
        upload_url_per_hour=2,
        video_operations_per_hour=2,
        analytics_per_hour=2,
        thumbnails_per_hour=2,
    )
    settings = attrs.evolve(settings_of(tmp_path), limits=few)
    with _template.open(settings, clock) as world:
        yield world
