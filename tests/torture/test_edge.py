"""
An edge's processes are killed while viewers play: each segment is counted once.

What nginx has served and what the service has served through it are counted
together, because no viewer can tell them apart.
"""

import signal
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.torture.campaign import seed_of_this_run
from tests.torture.delivery_fleet import delivery_fleet
from tests.torture.edge_fleet import EdgeFleet, edge_fleet
from tests.torture.segment_asks import Place, Way
from tests.torture.test_delivery import (
    KILLS,
    MANY_AT_THE_WORST,
    MANY_KILLS,
    MANY_REQUESTS,
    REQUESTS,
    VIEWERS,
    counted,
    make_cinema,
    tortured,
)
from tests.torture.viewers import Accounts

FEWER_REQUESTS: Final = 8_000
GRACEFUL: Final = ("kill_ingest", "reload")
"""After these, nothing that a client has read whole is uncounted."""
ANY: Final = ("kill_a_worker", "kill_ingest", "kill_a_worker", "reload")


def torture(
    folder: Path, blows: Sequence[str], *, requests: int, worst: int = 1
) -> tuple[Accounts, Counter[Place], EdgeFleet]:
    """
    Let viewers play behind an edge while blows fall; then count everything.

    Args:
        worst: How often ``hv edge ingest`` dies between a count and its file's end.
    """
    seed = seed_of_this_run()
    cinema = make_cinema(folder, seed)
    accounts = Accounts(wanted=requests)
    with delivery_fleet(folder, cinema.environ) as service:
        with edge_fleet(
            folder,
            cinema.environ,
            service_port=service.port,
            points=f"flush.applied=kill*{worst}",
        ) as fleet:
            dealt = [getattr(fleet, blow) for blow in blows]
            tortured(cinema, fleet, accounts, dealt, seed)
        fleet.read_the_rest()
        assert set(service.stop()) <= {0, -signal.SIGTERM}
    found = counted(cinema)
    print(  # noqa: T201 - what a long run is for
        f"torture: {accounts.answered} answers, {accounts.away} refusals; "
        f"{dict(fleet.dealt)}; ingest ended {len(fleet.ends)} times; "
        f"{accounts.whole.total()} segments arrived, "
        f"{accounts.unsure.total()} answers broke off, {found.total()} are counted; "
        f"{ ({w.value: n for w, n in accounts.ways.items()}) }"
    )
    assert accounts.faults == []
    assert accounts.away == 0
    assert set(accounts.ways) == set(Way)
    assert len(list(fleet.reached.iterdir())) == worst
    return accounts, found, fleet


def check(accounts: Accounts, found: Counter[Place], fleet: EdgeFleet) -> None:
    too_many = found - (accounts.whole + accounts.unsure)
    lost = accounts.whole - found
    assert too_many == Counter()
    # Each killed worker was at one request at a time.
    assert lost.total() <= fleet.dealt["worker of nginx"], lost
    # Each viewer has one connection, and each blow ends it at most once.
    blows = fleet.dealt["worker of nginx"] + fleet.dealt["reload"]
    assert accounts.unsure.total() <= VIEWERS * blows


def repeated(blows: Sequence[str], kills: int) -> list[str]:
    """
    Return so many kills, with what else belongs between them.
    """
    found: list[str] = []
    while sum(blow != "reload" for blow in found) < kills:
        found.append(blows[len(found) % len(blows)])
    return found


@pytest.mark.long
@pytest.mark.timeout(300)
def test_what_an_edge_served_is_counted_once_whoever_dies(tmp_path: Path) -> None:
    check(*torture(tmp_path, repeated(ANY, KILLS), requests=REQUESTS))


@pytest.mark.long
@pytest.mark.timeout(300)
def test_where_no_worker_is_killed_each_segment_is_counted_exactly_once(
    tmp_path: Path,
) -> None:
    blows = [*GRACEFUL, *GRACEFUL]

    accounts, found, _ = torture(tmp_path, blows, requests=FEWER_REQUESTS)

    assert found == accounts.whole


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_million_segments_of_an_edge_and_a_hundred_deaths(tmp_path: Path) -> None:
    blows = repeated(ANY, MANY_KILLS)
    check(*torture(tmp_path, blows, requests=MANY_REQUESTS, worst=MANY_AT_THE_WORST))
