"""
A service on five hosts, which lose their database for a while: all of them, and one alone.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.clips import make_clip
from tests.hosts.blows import Blow, apart, struck
from tests.hosts.fleet import LITTLE
from tests.hosts.interface import Tour
from tests.hosts.probes import Probes
from tests.hosts.site import site
from tests.live import until

TOLD_WITHIN_S: Final = 45.0
"""Room is tried every 30 s, and a statement may wait for a full database."""
pytestmark = [pytest.mark.services, pytest.mark.matrix]


@pytest.fixture
def tour(tmp_path: Path) -> Iterator[Tour]:
    clips = tmp_path / "clips"
    clips.mkdir()
    clip = make_clip(clips / "clip.mp4", seconds=2, size="160x90")
    with site(tmp_path / "fleet", LITTLE, clip) as made:
        yield made


@pytest.mark.long
def test_a_video_outlives_the_loss_of_the_database_and_plays_everywhere(
    tour: Tour,
) -> None:
    fleet = tour.client.fleet
    probes = Probes(client=tour.client, video="")
    probes.wait_whole()
    # Made, as far as that goes, while the database is away.
    video = tour.uploaded(is_public=True)

    with struck(fleet.programs, fleet.servers.database, Blow.CUT_OFF):
        found, _ = probes.untruths(probes.fronts(), "database")
        assert found == []

    alone, *others = probes.fronts()
    probes.wait_whole()
    with apart(alone, fleet.servers.database):
        found, _ = probes.untruths([alone], "database")
        assert found == []
        found, _ = probes.untruths(others, "")
        assert found == []

    probes.wait_whole()
    tour.made(video)
    tour.play(tour.client.public_url(video), video)
    tour.counted()
    tour.delete(video)
    assert fleet.programs.restarts() == {}


@pytest.mark.long
@pytest.mark.parametrize("name", ["api-1", "delivery-1", "database"])
def test_a_full_disk_is_told_before_and_when_something_is_refused(
    tour: Tour, name: str
) -> None:
    fleet = tour.client.fleet
    probes = Probes(client=tour.client, video="")
    probes.wait_whole()
    host = fleet.everyone()[name]
    told_by = probes.fronts() if name == "database" else [host]

    with struck(fleet.programs, host, Blow.FULL):
        until(
            lambda: probes.tell_no_room(told_by),
            within_s=TOLD_WITHIN_S,
            what=f"what {name} lacks",
        )

    probes.wait_whole()
