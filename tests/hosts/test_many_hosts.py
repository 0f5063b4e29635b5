"""
A service on nine hosts, with those it depends on: one after the other fails in each way.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs
import pytest

from tests.hosts.blows import Blow, struck
from tests.hosts.clients import CustomerOfHosts
from tests.hosts.fleet import EVERYTHING
from tests.hosts.interface import Tour
from tests.hosts.probes import Probes
from tests.hosts.rest import Rest
from tests.hosts.site import site
from tests.torture.customers import Clips, Ledger, make_clips

pytestmark = [pytest.mark.services, pytest.mark.long, pytest.mark.timeout(7200)]

CUSTOMERS: Final = 3
LASTS_S: Final = 4.0
OUTLASTS_A_LEASE_S: Final = 25.0
"""Who wakes up then is a worker, or a sweep, that others took for dead."""
ORDER: Final = (
    *("api-1", "api-2", "delivery-1", "delivery-2", "worker-1", "worker-2"),
    *("light-1", "sweep-1", "sweep-2", "valkey", "store", "database", "resolver"),
)
CHOSEN: Final = os.environ.get("HV_HOSTS_BLOWS", "").split(",")
"""Only blows with one of these texts in their names, such as ``worker`` or ``frozen``."""


@attrs.define(kw_only=True)
class Campaign:
    """
    A service under load, which is hurt.
    """

    tour: Tour
    probes: Probes
    customers: list[CustomerOfHosts]
    ledger: Ledger
    clips: Clips
    faults: list[str] = attrs.field(factory=list)

    def strike(self, name: str, blow: Blow) -> None:
        """
        Have something befall a host, look at the others, and see the service go on.
        """
        fleet = self.tour.client.fleet
        # The store's disk is behind its gateway.
        has_disk = "objects" if (name, blow) == ("store", Blow.FULL) else name
        host = fleet.everyone()[has_disk]
        fronts = [f for f in self.probes.fronts() if f != host or blow is Blow.FULL]
        # A full disk silences nobody by itself.
        silent = "" if blow is Blow.FULL else name
        with struck(fleet.programs, host, blow):
            began_s = time.monotonic()
            found, told = self.probes.untruths(fronts, silent)
            slowest = max(told, key=lambda one: one.took_s)
            if blow is Blow.FULL and name.startswith("worker"):
                # The other one does the work, which this one must not take again and again.
                self._makes_one()
            outlasts = blow.is_silent and name.startswith(("worker", "light", "sweep"))
            lasts_s = OUTLASTS_A_LEASE_S if outlasts else LASTS_S
            time.sleep(max(0.0, began_s + lasts_s - time.monotonic()))
        well_s, made_s = self.probes.wait_whole(), self._makes_one()
        self.faults += [f"{name} {blow.value}: {fault}" for fault in found]
        print(  # noqa: T201 - what a long run is for
            f"{name} {blow.value}: slowest answer {slowest.took_s:.1f} s "
            f"({slowest.what}: {slowest.status}), well after {well_s:.1f} s, "
            f"a new video after {made_s:.1f} s",
            *found,
            sep="\n  ",
            flush=True,
        )

    def summary(self) -> str:
        """
        Say what has happened so far.
        """
        return (
            f"{len(self.ledger.processed)} videos begun, "
            f"{sum(self.ledger.whole.values())} segments watched, "
            f"{len(self.tour.hook.received)} webhooks; started again: "
            f"{dict(self.tour.client.fleet.programs.restarts())}; "
            f"{self.ledger.oddities}"
        )

    def rest(self) -> list[str]:
        """
        Return what does not hold when everything is done.
        """
        tour = self.tour
        for video, number in tour.watched.items():
            self.ledger.whole[video] += number
            self.ledger.begun[video] += number
        return Rest(
            client=tour.client,
            customers=self.customers,
            ledger=self.ledger,
            clips=self.clips,
            hook=tour.hook,
            # Each worker of nginx was at one answer of each client, when it was killed.
            lost_counts=2 * CUSTOMERS,
        ).faults()

    def _makes_one(self) -> float:
        began_s = time.monotonic()
        video = self.tour.uploaded(is_public=True)
        self.tour.made(video)
        return time.monotonic() - began_s


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    return make_clips(tmp_path_factory.mktemp("clips"))


@pytest.fixture
def campaign(tmp_path: Path, clips: Clips) -> Iterator[Campaign]:
    clip = next(iter(clips.good))
    with site(tmp_path / "fleet", EVERYTHING, clip) as tour:
        ledger = Ledger()
        customers = [
            CustomerOfHosts(tour.client, clips, ledger, seed=number, web=tour.web)
            for number in range(CUSTOMERS)
        ]
        try:
            yield Campaign(
                tour=tour,
                probes=Probes(client=tour.client, video=""),
                customers=customers,
                ledger=ledger,
                clips=clips,
            )
        finally:
            for customer in customers:
                customer.stop()


def test_whoever_fails_nothing_is_lost_stuck_or_made_twice(campaign: Campaign) -> None:
    tour = campaign.tour
    campaign.probes.wait_whole()
    campaign.probes = attrs.evolve(campaign.probes, video=tour.go())
    for customer in campaign.customers:
        customer.start()

    for name in ORDER:
        for blow in Blow:
            if any(words in f"{name} {blow.value}" for words in CHOSEN):
                campaign.strike(name, blow)

    print(campaign.summary())  # noqa: T201 - what a long run is for
    faults = campaign.faults + campaign.rest()
    print(*faults, sep="\n")  # noqa: T201 - each whole
    assert faults == []
