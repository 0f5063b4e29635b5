"""
Reports of environments where no sink keeps what they are made of.
"""

from hvcore.domain.analytics.breakdown import BreakdownBy
from hvcore.domain.analytics.segments import DateRange, SegmentPlace, SegmentServed
from hvcore.domain.ids import VideoId
from hvcore.services.analytics.by_environment import EnvironmentAnalytics
from tests.services.conftest import World


def test_without_a_sink_that_keeps_it_nothing_is_claimed(world: World) -> None:
    services = world.services
    place = SegmentPlace(
        org_id=world.env.org_id,
        env_id=world.env.id,
        video_id=VideoId("vid_1"),
        height_px=720,
    )
    services.spool.append(SegmentServed(place=place, at=world.clock.now()))
    services.flusher.run_once()
    reports = EnvironmentAnalytics(
        store=services.analytics_store, quality=None, origins=None
    )
    day = world.clock.now().date()
    days = DateRange(first=day, last=day)

    found = reports.breakdown([world.env], days, BreakdownBy.COUNTRY)

    assert not found.is_stored
    assert found.totals == [(None, 1)]
    assert reports.playback_quality([world.env], days) is None
