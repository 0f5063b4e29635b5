"""A service on several hosts under load, of which one after the other is hurt."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

import attrs
import psutil

from tests.hosts.blows import Blow, stopped, struck
from tests.hosts.clients import CustomerOfHosts
from tests.hosts.fleet import DELIVERY_PORT, EVERYTHING
from tests.hosts.interface import Tour
from tests.hosts.network import Host
from tests.hosts.probes import Probes
from tests.hosts.programs import Program
from tests.hosts.rest import Rest
from tests.hosts.site import site
from tests.support.live import until
from tests.torture.customers import Clips, Ledger

CUSTOMERS: Final = 3
LASTS_S: Final = 4.0
SILENT_S: Final = 40.0
"""Longer than a lease, and than what nginx leaves out: who wakes up then is a worker, or a
sweep, that others took for dead."""
ASKED_EVERY_S: Final = 2.0
TOLD_WITHIN_S: Final = 60.0
"""Room is tried every 30 s, and a statement may wait for a full database."""


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

    def begin(self) -> None:
        """Use everything once, and have the customers begin."""
        self.probes.wait_whole()
        self.probes = attrs.evolve(self.probes, video=self.tour.go())
        for customer in self.customers:
            customer.start()

    def strike(self, name: str, blow: Blow) -> None:
        """Have something befall a host, look at the others, and see the service go on."""
        fleet = self.tour.client.fleet
        # The store's disk is behind its gateway.
        has_disk = "objects" if (name, blow) == ("store", Blow.FULL) else name
        host = fleet.everyone()[has_disk]
        # A full disk silences nobody by itself.
        is_full = blow is Blow.FULL
        self._watch(
            f"{name} {blow.value}",
            struck(fleet.programs, host, blow),
            fronts=[f for f in self.probes.fronts() if is_full or f != host],
            silent="" if is_full else name,
            lasts_s=SILENT_S if blow.is_silent else LASTS_S,
            full=host if is_full else None,
        )

    def freeze(self, program: Program, process: psutil.Process) -> None:
        """Freeze one process of a host, see others answer for it, and the service go on."""
        number = program.processes().index(process)
        # Who asks an API host itself waits for it; through nginx another one answers.
        silent = program.host if program.name.endswith(".api") else None
        self._watch(
            f"{program.name} process {number} frozen",
            stopped(program, process),
            fronts=[front for front in self.probes.fronts() if front != silent],
            silent="",
            lasts_s=SILENT_S,
            full=None,
        )

    def summary(self) -> str:
        """Summarize the campaign so far."""
        return (
            f"{len(self.ledger.processed)} videos begun, "
            f"{sum(self.ledger.whole.values())} segments watched, "
            f"{len(self.tour.hook.received)} webhooks; started again: "
            f"{dict(self.tour.client.fleet.programs.restarts())}; "
            f"{self.ledger.oddities}"
        )

    def rest(self) -> list[str]:
        """Return the broken promises of a service at rest."""
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

    def _watch(  # noqa: PLR0913 - the parts of a blow
        self,
        what: str,
        blow: AbstractContextManager[None],
        *,
        fronts: list[Host],
        silent: str,
        lasts_s: float,
        full: Host | None,
    ) -> None:
        found, slowest_s, asked = [], 0.0, 0
        with blow:
            ends_s = time.monotonic() + lasts_s
            while not asked or time.monotonic() < ends_s:
                untrue, told = self.probes.untruths(
                    fronts, silent, full=full.name if full else ""
                )
                found += untrue
                slowest_s = max(slowest_s, *(one.took_s for one in told))
                asked += 1
                time.sleep(min(ASKED_EVERY_S, max(0.0, ends_s - time.monotonic())))
            if full is not None:
                self._see_full(full)
        well_s, made_s = self.probes.wait_whole(), self._makes_one()
        self.faults += [f"{what}: {fault}" for fault in found]
        print(  # noqa: T201 - what a long run is for
            f"{what}: slowest answer {slowest_s:.1f} s, well after {well_s:.1f} s, "
            f"a new video after {made_s:.1f} s",
            *found,
            sep="\n  ",
            flush=True,
        )

    def _see_full(self, host: Host) -> None:
        if host.name.startswith("worker"):
            # The other one does the work, which this one must not take again and again.
            self._makes_one()
        of_database = host.name == "database"
        fronts = [f for f in self.probes.fronts() if of_database or f == host]
        until(
            lambda: self.probes.tell_no_room(fronts),
            within_s=TOLD_WITHIN_S,
            what=f"what {host.name} lacks",
        )

    def _makes_one(self) -> float:
        began_s = time.monotonic()
        video = self.tour.uploaded(is_public=True)
        self.tour.made(video)
        return time.monotonic() - began_s


@contextmanager
def campaign(folder: Path, clips: Clips) -> Iterator[Campaign]:
    """Run a service on nine hosts until the block ends, and what is to load it."""
    clip = next(iter(clips.good))
    # As for several hosts: each nginx knows the deliveries of all.
    both = f"delivery-1:{DELIVERY_PORT},delivery-2:{DELIVERY_PORT}"
    with site(folder, EVERYTHING, clip, HV_EDGE__SERVICE=both) as tour:
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
