"""
Counts are brought to the tables by one process, whoever of the others dies.
"""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from hvcore.assembly import Services
from hvcore.domain.ids import VideoId
from tests.benchmarks.delivery.servers import Server, running_delivery
from tests.support.live import request, until
from tests.support.stores.published import (
    ENV,
    ORG,
    Published,
    migrate,
    new_tenant,
    publish,
    services_of,
)
from tests.torture.delivery_fleet import plain_environ

SHOWN_WITHIN_S = 20
SEGMENT = b"a segment" * 100
SETTINGS = "settings.toml"
GOOD = "[analytics]\nreferrers = false\n"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    settings = tmp_path / SETTINGS
    settings.write_text(GOOD)
    made = plain_environ(tmp_path / "data", HV_CONFIG=str(settings))
    migrate(made)
    return made


@pytest.fixture
def services(environ: dict[str, str]) -> Iterator[Services]:
    with services_of(environ) as made:
        yield made


@pytest.fixture
def film(services: Services) -> Published:
    return publish(services, new_tenant(services), {720: [SEGMENT]}, is_public=True)


@pytest.fixture
def server(
    environ: dict[str, str], film: Published, tmp_path: Path
) -> Iterator[Server]:
    with running_delivery(environ, tmp_path / "delivery.log", workers=2) as made:
        yield made


def flushers(server: Server) -> list[psutil.Process]:
    children = server.roots[0].children(recursive=True)
    return [child for child in children if child.cmdline()[-1:] == ["flush"]]


def play(server: Server, film: Published) -> None:
    path = f"/v1/public/{ORG}/{ENV}/{film.id}/video/720p/0.m4s"
    answer = request("GET", f"{server.url}{path}")
    assert (answer.status, answer.data) == (200, SEGMENT)


def await_count(services: Services, film: Published, segments: int) -> None:
    video_id = VideoId(film.id)
    until(
        lambda: services.analytics_store.served([video_id]) == {video_id: segments},
        within_s=SHOWN_WITHIN_S,
        what=f"{segments} counted segments",
    )


def test_one_process_counts_for_all_that_serve_and_is_replaced(
    server: Server, services: Services, film: Published, tmp_path: Path
) -> None:
    # Who has served nothing pays for none.
    assert flushers(server) == []

    # What a server has read holds for what it starts.
    (tmp_path / SETTINGS).write_text("[analytics]\nspool_di = 1\n")
    play(server, film)
    await_count(services, film, 1)
    (first,) = flushers(server)

    first.kill()
    play(server, film)
    await_count(services, film, 2)
    (second,) = flushers(server)

    # A worker that starts anew reads them anew.
    (tmp_path / SETTINGS).write_text(GOOD)
    owner = second.parent()
    assert owner is not None
    owner.kill()
    second.wait(timeout=SHOWN_WITHIN_S)
    play(server, film)
    await_count(services, film, 3)
    assert len(flushers(server)) == 1
    assert "Traceback" not in (tmp_path / "delivery.log").read_text()
