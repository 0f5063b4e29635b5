"""
Hosts whose clocks are off by minutes, and a name server that says nothing.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import sqlalchemy as sa

from hvcore.persistence.tables import tasks
from tests.e2e.clips import make_clip
from tests.hosts.blows import Blow, struck
from tests.hosts.fleet import API_PORT, LITTLE, environ_of, hv_on
from tests.hosts.interface import Tour
from tests.hosts.probes import Probes
from tests.hosts.site import site
from tests.support.live import request

pytestmark = [pytest.mark.services, pytest.mark.long, pytest.mark.timeout(900)]

OFF_S: Final = {"api-2": 300, "worker-2": -300}
LAYOUT: Final = {**LITTLE, "worker-2": ["worker"]}
MANY: Final = 6
"""Fetches: more than an organization may have looked up at a time."""


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    clips = tmp_path / "clips"
    clips.mkdir()
    # Of several parts, so that both workers have some.
    return make_clip(clips / "clip.mp4", seconds=50, size="128x72")


@pytest.fixture
def tour(tmp_path: Path, clip: Path) -> Iterator[Tour]:
    with site(tmp_path / "fleet", LAYOUT, clip, clocks_s=OFF_S) as made:
        yield made


def test_clocks_that_are_off_are_told_and_cost_no_lease(tour: Tour) -> None:
    fleet = tour.client.fleet
    exact, ahead = fleet.api_hosts
    behind = fleet.hosts["worker-2"]

    told = request("GET", f"http://{ahead.address}:{API_PORT}/health").body
    assert told["status"] == "degraded"
    assert "ahead of the database's" in told["checks"]["clock"]
    well = request("GET", f"http://{exact.address}:{API_PORT}/health").body
    assert well["checks"]["clock"] == "ok"
    assert "behind the database's" in doctor_of(tour, behind.name)["clock"]

    videos = [tour.uploaded(is_public=False) for _ in range(3)]
    for video in videos:
        tour.made(video)
    attempts = sa.select(tasks.c.kind, tasks.c.attempts, tasks.c.error)
    with fleet.services.engine.connect() as connection:
        rows = connection.execute(attempts).all()
    assert [row for row in rows if row.attempts > 1] == []

    path = f"/v1/videos/{videos[0]}/signed-url?expiration=1h"
    good = tour.client.call("GET", path, host=exact).body["signed_url"]
    tour.play(good, videos[0])
    early = tour.client.call("GET", path, host=ahead).body["signed_url"]
    # What /health has warned of.
    tour.refused(early, {401})


def doctor_of(tour: Tour, name: str) -> dict[str, str]:
    fleet = tour.client.fleet
    host = fleet.hosts[name]
    words = f"{' '.join(hv_on(fleet, host))} doctor --json 2>/dev/null || true"
    environ = environ_of("worker", host, fleet.secrets, fleet.own)
    found = json.loads(host.run("sh", "-c", words, environ=environ))
    return {one["check"]: one["found"] for one in found["checks"]}


def test_a_silent_name_server_holds_up_nothing_but_what_needs_names(
    tmp_path: Path, clip: Path
) -> None:
    with site(tmp_path / "fleet", LITTLE, clip) as tour:
        fleet = tour.client.fleet
        probes = Probes(client=tour.client, video="")
        probes.wait_whole()
        with struck(fleet.programs, fleet.servers.resolver, Blow.CUT_OFF):
            fetched = [tour.fetched() for _ in range(MANY)]
            found, _ = probes.untruths(probes.fronts(), "resolver")
            assert found == []
            # It needs no names, and finds workers that wait for none.
            uploaded = tour.uploaded(is_public=True)
            tour.made(uploaded)
        for video in fetched:
            tour.made(video)
        for video in (*fetched, uploaded):
            tour.told(video, "video.processing.completed")
        assert fleet.programs.restarts() == {}
