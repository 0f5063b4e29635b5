"""
A service on five hosts, which lose their database for a while: all of them, and one alone.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.clips import make_clip
from tests.hosts.blows import Blow, apart, struck
from tests.hosts.campaign import Campaign
from tests.hosts.fleet import DELIVERY_PORT, LITTLE
from tests.hosts.interface import Tour
from tests.hosts.probes import Probes
from tests.hosts.site import site
from tests.support.live import until
from tests.torture.customers import Clips, Ledger

TOLD_WITHIN_S: Final = 45.0
"""Room is tried every 30 s, and a statement may wait for a full database."""
WITH_EDGES: Final = {
    **LITTLE,
    "delivery-1": ["delivery", "edge"],
    "delivery-2": ["delivery", "edge"],
}
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


@pytest.mark.long
@pytest.mark.timeout(900)
def test_nginx_answers_for_a_frozen_process_behind_it(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    clip = make_clip(tmp_path / "clips" / "clip.mp4", seconds=2, size="160x90")
    both = f"delivery-1:{DELIVERY_PORT},delivery-2:{DELIVERY_PORT}"
    with site(tmp_path / "fleet", WITH_EDGES, clip, HV_EDGE__SERVICE=both) as tour:
        probes = Probes(client=tour.client, video="")
        probes.wait_whole()
        video = tour.uploaded(is_public=True)
        tour.made(video)
        hurt = Campaign(
            tour=tour,
            probes=Probes(client=tour.client, video=video),
            customers=[],
            ledger=Ledger(),
            clips=Clips(good={clip: 2.0}, broken=clip),
        )

        programs = tour.client.fleet.programs
        for name in ("delivery-1.delivery", "api-1.api", "delivery-1.edge"):
            # The first one of each only watches over the others.
            hurt.freeze(programs[name], programs[name].processes()[1])
        hurt.strike("delivery-1", Blow.FULL)

        assert hurt.faults == []
        assert programs.restarts() == {}
