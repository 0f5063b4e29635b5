"""
A service on nine hosts, with those it depends on: one after the other fails in each way.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.hosts.blows import Blow
from tests.hosts.campaign import Campaign, campaign
from tests.torture.customers import Clips, make_clips

pytestmark = [pytest.mark.services, pytest.mark.long, pytest.mark.timeout(7200)]

ORDER: Final = (
    *("api-1", "api-2", "delivery-1", "delivery-2", "worker-1", "worker-2"),
    *("light-1", "sweep-1", "sweep-2", "valkey", "store", "database", "resolver"),
)
CHOSEN: Final = os.environ.get("HV_HOSTS_BLOWS", "").split(",")
"""Only blows with one of these texts in their names, such as ``worker`` or ``frozen``."""


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    return make_clips(tmp_path_factory.mktemp("clips"))


@pytest.fixture
def hurt(tmp_path: Path, clips: Clips) -> Iterator[Campaign]:
    with campaign(tmp_path / "fleet", clips) as made:
        made.begin()
        yield made


def test_whoever_fails_nothing_is_lost_stuck_or_made_twice(hurt: Campaign) -> None:
    for name in ORDER:
        for blow in Blow:
            if is_chosen(f"{name} {blow.value}"):
                hurt.strike(name, blow)

    see_whole(hurt)


def test_whichever_process_freezes_the_service_goes_on(hurt: Campaign) -> None:
    programs = hurt.tour.client.fleet.programs
    for host in hurt.tour.client.fleet.hosts.values():
        for program in programs.of(host):
            for number, process in enumerate(program.processes()):
                # An encoder ends by itself.
                lives = process in program.processes()
                if lives and is_chosen(f"{program.name} process {number} frozen"):
                    hurt.freeze(program, process)

    assert programs.restarts() == {}
    see_whole(hurt)


def is_chosen(blow: str) -> bool:
    return any(words in blow for words in CHOSEN)


def see_whole(hurt: Campaign) -> None:
    print(hurt.summary())  # noqa: T201 - what a long run is for
    faults = hurt.faults + hurt.rest()
    print(*faults, sep="\n")  # noqa: T201 - each whole
    assert faults == []
