"""
The queue's server loses everything, again and again, while videos are made.
"""

import random
import time
from pathlib import Path
from typing import Final

import psutil
import pytest
import redis

from hvcore_cli.data_folder import DataFolder
from hvcore_cli.processes.queue_server import queue_socket
from tests.support.live import LiveService
from tests.torture.campaign import Campaign, campaign, keep_up, seed_of_this_run
from tests.torture.customers import Clips
from tests.torture.killer import family, kind_of

WIPES: Final = 3
MANY_WIPES: Final = 150
PAUSE_S: Final = (0.2, 1.0)
KILLED_ONE_IN: Final = 4
"""The others are FLUSHALL: the server stays, and all that was in it is gone."""


def wiped(made: Campaign, *, seed: int, wipes: int) -> list[str]:
    luck = random.Random(seed)  # noqa: S311 - to be repeated
    made.begin()
    flushed = killed = 0
    while flushed + killed < wipes:
        if luck.randrange(KILLED_ONE_IN) == 0:
            killed += kill_queue(made.service)
        else:
            flushed += flush_queue(made.service)
        time.sleep(luck.uniform(*PAUSE_S))
    faults = made.end(lambda: keep_up(made.service))
    print(made.summary({"FLUSHALL": flushed, "SIGKILL": killed}))  # noqa: T201
    print(*faults, sep="\n")  # noqa: T201 - each whole
    return faults


def kill_queue(service: LiveService) -> int:
    servers = [p for p in family(service.supervisor) if kind_of(p) == "queue"]
    for server in servers:
        try:
            server.kill()
        except psutil.Error:
            return 0
    return len(servers)


def flush_queue(service: LiveService) -> int:
    socket = queue_socket(DataFolder(service.data))
    try:
        with redis.Redis(unix_socket_path=str(socket)) as client:
            client.flushall()
    except redis.RedisError:
        return 0
    return 1


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_queue_that_forgets_everything_loses_nothing(
    tmp_path: Path, clips: Clips
) -> None:
    seed = seed_of_this_run()
    with campaign(tmp_path, clips, seed=seed) as made:
        assert wiped(made, seed=seed, wipes=WIPES) == []


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_a_queue_that_forgets_everything_all_the_time_loses_nothing(
    tmp_path: Path, clips: Clips
) -> None:
    seed = seed_of_this_run()
    with campaign(tmp_path, clips, seed=seed) as made:
        assert wiped(made, seed=seed, wipes=MANY_WIPES) == []
