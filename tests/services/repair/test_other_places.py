"""
The same with PostgreSQL and an object store.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.fakes import SettableClock
from tests.object_store import environ_of_swift, new_swift_bucket
from tests.servers import PostgresqlServer
from tests.services.conftest import make_world
from tests.services.repair.planting import PLANTS, Site, found, mend

pytestmark = pytest.mark.services

SOME = (
    "a_segment_is_missing",
    "a_sheet_is_missing",
    "a_playlist_names_other_files",
    "the_task_of_a_video_has_failed",
    "a_folder_is_of_no_video",
    "files_of_an_attempt_are_left",
    "the_number_of_videos_is_wrong",
)


@pytest.fixture
def site(
    tmp_path: Path, swift: str, postgresql: PostgresqlServer
) -> Iterator[Site]:
    environ = {
        **environ_of_swift(swift, new_swift_bucket(swift)),
        "HV_DATABASE__URL": postgresql.new_database(),
    }
    with make_world(tmp_path, environ, clock=SettableClock(datetime.now(UTC))) as world:
        yield Site(world=world)


def test_damages_are_found_and_mended_there_too(site: Site) -> None:
    planted = [(PLANTS[name][0], *PLANTS[name][1](site)) for name in SOME]
    site.world.clock.move(days=8)

    damages = found(site.world)

    kinds = sorted((one.kind.value, one.video_id or "") for one in damages)
    assert kinds == sorted((kind, video) for kind, video, _ in planted)
    mend(site.world)
    site.settle()
    site.world.clock.move(days=8)
    assert found(site.world) == []
