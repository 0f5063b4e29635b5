"""
The sweep learns lengths of videos for some seconds a round; migrating ends what is left.
"""

import pytest
import sqlalchemy as sa

from hvcore.persistence.tables import video_lengths
from hvcore.testing.analytics.served import batch, segment
from hvcore_analytics_sql import learning
from hvcore_analytics_sql.tables import lengths_read, months_recount
from hvcore_worker.sweep import sweep_once
from tests.services.conftest import World


@pytest.fixture
def served(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """
    A video that was served, and rounds that have time for one slice of all months.
    """
    monkeypatch.setattr(learning, "_ROUND_S", 0.0)
    video = world.video(world.processed())
    length = {
        "video_id": video.id,
        "org_id": video.org_id,
        "env_id": video.env_id,
        "length_s": 12.0,
        "changed_at": world.clock.now(),
    }
    with world.services.engine.begin() as connection:
        connection.execute(sa.insert(video_lengths).values(length))
    world.services.analytics_store.write(batch(segment(video.id)))
    return world


def rows(world: World, table: sa.Table) -> int:
    with world.services.engine.connect() as connection:
        return len(connection.execute(sa.select(table)).all())


def test_a_round_of_the_sweep_counts_a_slice_of_all_months(served: World) -> None:
    sweep_once(served.services, holder="test", tidies=True)

    assert (rows(served, months_recount), rows(served, lengths_read)) == (1, 0)


def test_rounds_of_the_sweep_count_all_months_in_the_end(served: World) -> None:
    for _ in range(10):
        sweep_once(served.services, holder="test", tidies=True)

    assert (rows(served, months_recount), rows(served, lengths_read)) == (0, 1)


@pytest.mark.parametrize("has_begun", [False, True])
def test_migrating_ends_a_count_of_all_months(
    served: World, *, has_begun: bool
) -> None:
    if has_begun:
        sweep_once(served.services, holder="test", tidies=True)

    served.services.migrate()

    assert (rows(served, months_recount), rows(served, lengths_read)) == (0, 1)
