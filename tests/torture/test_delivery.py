"""
Servers are killed while viewers play: each segment that was served is counted.
"""

import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

import attrs
import pytest

from hvcore.assembly import Services
from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.segments import ALL_TIME, VideoScope
from hvcore.domain.ids import VideoId
from hvcore.spool import spool_files
from tests.support.servers import PostgresqlServer, postgresql_server
from tests.support.stores.published import migrate, new_tenant, publish, services_of
from tests.torture.campaign import seed_of_this_run
from tests.torture.delivery_fleet import (
    DeliveryFleet,
    delivery_fleet,
    plain_environ,
)
from tests.torture.segment_asks import Film, Place, Way, unbuffered_bytes
from tests.torture.viewers import Accounts, Viewer

REQUESTS: Final = 12_000
KILLS: Final = 5
MANY_REQUESTS: Final = 1_000_000
MANY_KILLS: Final = 100
VIEWERS: Final = 8
TOKENS: Final = 200
WORST: Final = ("spool.written", "answer.sent", "flush.applied")
"""Further deaths, at the moments that a random blow hardly ever meets."""
MANY_AT_THE_WORST: Final = 10
SHORT_PX, MIDDLE_PX, LONG_PX = 360, 720, 1080
SHORT_BYTES, MIDDLE_BYTES = 30_000, 150_000
POLL_S: Final = 0.05


class Tended(Protocol):
    """
    Processes that serve on a port, and are started again when they have ended.
    """

    @property
    def port(self) -> int: ...

    def tend(self) -> None: ...


Blow = Callable[[random.Random], None]


@attrs.frozen(kw_only=True)
class Cinema:
    """
    A service with films, without any process yet.
    """

    folder: Path
    environ: Mapping[str, str] = attrs.field(repr=False)
    films: Sequence[Film]


def make_cinema(folder: Path, seed: int, **settings: str) -> Cinema:
    environ = plain_environ(folder / "data", **settings)
    migrate(environ)
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    with services_of(environ) as services:
        env = new_tenant(services)
        films = [
            make_film(services, env, chance, is_public=is_public)
            for is_public in (False, False, True)
        ]
    return Cinema(folder=folder, environ=environ, films=films)


def make_film(
    services: Services, env: Environment, chance: random.Random, *, is_public: bool
) -> Film:
    # A client that leaves reads a little, and the rest must not have been sent.
    long_bytes = unbuffered_bytes() + 1_000_000
    rungs = {
        SHORT_PX: [chance.randbytes(SHORT_BYTES + n) for n in range(5)],
        MIDDLE_PX: [chance.randbytes(MIDDLE_BYTES + n) for n in range(5)],
        LONG_PX: [chance.randbytes(long_bytes)],
    }
    video = publish(services, env, rungs, is_public=is_public)
    tokens = []
    for _ in range(0 if is_public else TOKENS):
        now = services.clock.now()
        token = services.key_ring.issue(
            video_id=video.id, public_id=video.public_id, now=now, valid_s=86_400
        )
        tokens.append(token)
    return Film(video=video, rungs=rungs, long_px=LONG_PX, tokens=tokens)


def tortured(
    cinema: Cinema,
    fleet: Tended,
    accounts: Accounts,
    blows: Sequence[Blow],
    seed: int,
) -> None:
    """
    Let viewers play, and deal the blows one by one while they do.
    """
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    viewers = [
        Viewer(fleet.port, cinema.films, accounts, seed + number)
        for number in range(VIEWERS)
    ]
    for viewer in viewers:
        viewer.start()
    dealt = 0
    while any(viewer.is_busy for viewer in viewers):
        fleet.tend()
        due = accounts.wanted * (dealt + 1) // (len(blows) + 1)
        if dealt < len(blows) and accounts.answered >= due:
            blows[dealt](chance)
            dealt += 1
        time.sleep(POLL_S)


def counted(cinema: Cinema) -> Counter[Place]:
    """
    Bring what is left in the folder to the tables, and read them.
    """
    found: Counter[Place] = Counter()
    with services_of(cinema.environ) as services:
        # The first reads what was added last, the second removes the files.
        services.flusher.run_once()
        services.flusher.run_once()
        assert spool_files(services.spool_dir) == []
        for film in cinema.films:
            scope = VideoScope(video_id=VideoId(film.video.id))
            for height in services.analytics_store.by_height(scope, ALL_TIME):
                found[film.video.id, height.height_px] = height.segments
    return found


def miscounted(accounts: Accounts, found: Counter[Place]) -> Iterator[str]:
    """
    Yield where more was counted than may have been served, or less than was.
    """
    for place in {*found, *accounts.whole, *accounts.unsure}:
        least = accounts.whole[place]
        most = least + accounts.unsure[place]
        if not least <= found[place] <= most:
            yield f"{place}: {found[place]} were counted, served were {least} to {most}"


def check(cinema: Cinema, fleet: DeliveryFleet, accounts: Accounts) -> None:
    # Who was told to end while it started had no time to learn how.
    assert set(fleet.stop()) <= {0, -signal.SIGTERM}
    found = counted(cinema)
    unsure = accounts.unsure.total()
    print(  # noqa: T201 - what a long run is for
        f"torture: {accounts.answered} answers and {accounts.away} refusals, "
        f"{dict(fleet.dealt)} killed and {fleet.deaths} deaths in all; "
        f"{accounts.whole.total()} segments arrived, {unsure} answers broke off, "
        f"{found.total()} are counted; { ({w.value: n for w, n in accounts.ways.items()}) }"
    )
    assert accounts.faults == []
    assert list(miscounted(accounts, found)) == []
    assert unsure <= VIEWERS * fleet.deaths
    assert set(accounts.ways) == set(Way)


def deadly(times: int) -> str:
    return ";".join(f"{point}=kill*{times}" for point in WORST)


def on_sqlite(folder: Path, *, requests: int, kills: int, worst: int = 1) -> None:
    seed = seed_of_this_run()
    cinema = make_cinema(folder, seed)
    accounts = Accounts(wanted=requests)
    with delivery_fleet(folder, cinema.environ, points=deadly(worst)) as fleet:
        blows = [fleet.kill_one, fleet.kill_a_child] * kills
        tortured(cinema, fleet, accounts, blows[:kills], seed)
        check(cinema, fleet, accounts)


def on_postgresql(folder: Path, *, requests: int, kills: int, worst: int = 1) -> None:
    seed = seed_of_this_run()
    accounts = Accounts(wanted=requests)
    with postgresql_server() as server:
        cinema = make_cinema(folder, seed, HV_DATABASE__URL=server.new_database())
        with delivery_fleet(folder, cinema.environ, points=deadly(worst)) as fleet:
            blows = [database_dies(server, fleet), fleet.kill_one, fleet.kill_a_child]
            blows *= kills
            tortured(cinema, fleet, accounts, blows[:kills], seed)
            check(cinema, fleet, accounts)


def database_dies(server: PostgresqlServer, fleet: DeliveryFleet) -> Blow:
    def blow(_chance: random.Random) -> None:
        server.kill()
        fleet.dealt["database"] += 1
        server.start()

    return blow


@pytest.mark.long
@pytest.mark.timeout(300)
def test_what_was_served_is_counted_whoever_dies(tmp_path: Path) -> None:
    on_sqlite(tmp_path, requests=REQUESTS, kills=KILLS)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_what_was_served_is_counted_though_the_database_dies(tmp_path: Path) -> None:
    on_postgresql(tmp_path, requests=REQUESTS, kills=KILLS)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("run", [on_sqlite, on_postgresql])
def test_a_million_segments_and_a_hundred_deaths(
    tmp_path: Path, run: Callable[..., None]
) -> None:
    run(
        tmp_path,
        requests=MANY_REQUESTS,
        kills=MANY_KILLS,
        worst=MANY_AT_THE_WORST,
    )
