"""
Services with damaged files and rows.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.services.conftest import make_world
from tests.services.repair.planting import Site
from tests.support.fakes import SettableClock


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with make_world(tmp_path, {}, clock=SettableClock(datetime.now(UTC))) as world:
        yield Site(world=world)
