"""
Processes of every kind are killed at random: no video is lost and none made twice.
"""

import os
import random
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from tests.support.live import until
from tests.support.servers import PostgresqlServer
from tests.support.stores.sqs_server import environ_of_queue, sqs_server
from tests.torture.campaign import Campaign, answers, campaign, seed_of_this_run
from tests.torture.customers import Clips
from tests.torture.killer import Killer

KILLS: Final = 6
WORST: Final = ("part.stored", "assemble.written", "assemble.published")
"""Points that a random blow hardly ever meets; see test_failpoints.py."""
MANY_KILLS: Final = int(os.environ.get("HV_TORTURE_KILLS", "220"))
FURTHER_KILLS: Final = 60
"""With PostgreSQL, and with another queue."""
PAUSE_S: Final = (0.1, 0.8)
"""Between two blows: too short for hv up to be whole again each time."""
LETS_THEM_WORK: Final = 0.8
"""How often a killed hv up may start, and workers finish a task, in peace."""
LONGEST_PEACE_S: Final = 3.0


def deadly(folder: Path, points: Iterable[str]) -> dict[str, str]:
    """
    Have a process of the service die at each of these points, once.
    """
    reached = folder / "reached"
    reached.mkdir()
    orders = ";".join(f"{point}=kill*1" for point in points)
    return {"HV_FAILPOINTS": orders, "HV_FAILPOINTS_DIR": str(reached)}


def tortured(made: Campaign, *, seed: int, kills: int) -> list[str]:
    killer = Killer(made.service, made.debts, seed)
    pauses = random.Random(seed)  # noqa: S311 - to be repeated
    made.begin()

    def is_up() -> bool:
        killer.look_after()
        return answers(made.service)

    def let_them_work() -> None:
        # Who is always dead is never interrupted.
        before, end = made.debts.ended, time.monotonic() + LONGEST_PEACE_S
        while made.debts.ended == before and time.monotonic() < end:
            killer.look_after()
            time.sleep(0.05)

    while killer.blows < kills:
        has_hit = killer.strike()
        end = time.monotonic() + (pauses.uniform(*PAUSE_S) if has_hit else 0.05)
        while time.monotonic() < end:
            killer.look_after()
            time.sleep(0.05)
        if not killer.is_up() and pauses.random() < LETS_THEM_WORK:
            until(is_up, within_s=150, what="the start of hv up")
        if has_hit and pauses.random() < LETS_THEM_WORK:
            let_them_work()
    killer.rest()
    faults = made.end(killer.look_after)
    print(made.summary(killer.dealt))  # noqa: T201 - what a long run is for
    print(*faults, sep="\n")  # noqa: T201 - each whole
    return faults


@pytest.mark.long
@pytest.mark.timeout(300)
def test_random_kills_lose_nothing_and_make_nothing_twice(
    tmp_path: Path, clips: Clips
) -> None:
    seed = seed_of_this_run()
    with campaign(tmp_path, clips, seed=seed, **deadly(tmp_path, WORST)) as made:
        assert tortured(made, seed=seed, kills=KILLS) == []


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_hundreds_of_kills_lose_nothing_and_make_nothing_twice(
    tmp_path: Path, clips: Clips
) -> None:
    seed = seed_of_this_run()
    with campaign(tmp_path, clips, seed=seed) as made:
        assert tortured(made, seed=seed, kills=MANY_KILLS) == []


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_random_kills_lose_nothing_on_postgresql(
    tmp_path: Path, clips: Clips, postgresql: PostgresqlServer
) -> None:
    seed = seed_of_this_run()
    url = postgresql.new_database()
    with campaign(tmp_path, clips, seed=seed, HV_DATABASE__URL=url) as made:
        assert tortured(made, seed=seed, kills=FURTHER_KILLS) == []


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_random_kills_lose_nothing_with_the_queue_in_the_database(
    tmp_path: Path, clips: Clips
) -> None:
    seed = seed_of_this_run()
    with campaign(tmp_path, clips, seed=seed, HV_QUEUE__BACKEND="sql") as made:
        assert tortured(made, seed=seed, kills=FURTHER_KILLS) == []


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_random_kills_lose_nothing_with_the_queue_in_postgresql(
    tmp_path: Path, clips: Clips, postgresql: PostgresqlServer
) -> None:
    seed = seed_of_this_run()
    settings = {
        "HV_QUEUE__BACKEND": "sql",
        "HV_DATABASE__URL": postgresql.new_database(),
    }
    with campaign(tmp_path, clips, seed=seed, **settings) as made:
        assert tortured(made, seed=seed, kills=FURTHER_KILLS) == []


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_random_kills_lose_nothing_with_the_queue_at_sqs(
    tmp_path: Path, clips: Clips
) -> None:
    seed = seed_of_this_run()
    with (
        sqs_server() as server,
        campaign(tmp_path, clips, seed=seed, **environ_of_queue(server)) as made,
    ):
        assert tortured(made, seed=seed, kills=FURTHER_KILLS) == []
