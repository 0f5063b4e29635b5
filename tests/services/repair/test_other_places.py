"""
The same with PostgreSQL and an object store.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.services.conftest import make_world
from tests.services.repair.planting import PLANTS, Site, found, names, repair
from tests.support.fakes import SettableClock
from tests.support.servers import PostgresqlServer
from tests.support.stores.object_store import environ_of_swift, new_swift_bucket

pytestmark = pytest.mark.services

OF_A_DATABASE = (
    "a_segment_is_missing",
    "a_sheet_is_missing",
    "nobody_makes_a_video",
    "a_task_is_about_no_video",
    "a_folder_is_of_no_video",
    "files_of_an_attempt_are_left",
    "an_upload_is_of_nobody",
    "the_stored_bytes_are_wrong",
    "the_number_of_videos_is_wrong",
)
OF_A_STORE = (
    "a_segment_has_other_bytes",
    "the_source_is_missing",
    "a_folder_is_of_no_video",
)


@contextmanager
def site_of(folder: Path, environ: Mapping[str, str]) -> Iterator[Site]:
    clock = SettableClock(datetime.now(UTC))
    with make_world(folder, environ, clock=clock) as world:
        yield Site(world=world)


def plant_and_repair(site: Site, wanted: Sequence[str]) -> None:
    planted = [(PLANTS[name][0], *PLANTS[name][1](site)) for name in wanted]
    site.world.clock.move(days=8)

    assert sorted(names(site.world)) == sorted(
        (kind, video) for kind, video, _ in planted
    )
    repair(site.world)
    site.settle()
    site.world.clock.move(days=8)
    assert found(site.world) == []


def test_damages_are_repaired_with_postgresql(
    tmp_path: Path, postgresql: PostgresqlServer
) -> None:
    environ = {"HV_DATABASE__URL": postgresql.new_database()}
    with site_of(tmp_path, environ) as site:
        plant_and_repair(site, OF_A_DATABASE)


@pytest.mark.long
def test_damages_are_repaired_in_an_object_store(tmp_path: Path, swift: str) -> None:
    environ = environ_of_swift(swift, new_swift_bucket(swift))
    with site_of(tmp_path, environ) as site:
        plant_and_repair(site, OF_A_STORE)
