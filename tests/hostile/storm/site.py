"""
A whole service with two organizations: one that will misbehave, and its neighbour.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import attrs
import psutil

from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.services.analytics.live import LiveAnalytics
from tests.benchmarks.long_film import PAGE, PLAYLIST, publish_long_film
from tests.hostile.counting_site import running_ingest
from tests.hostile.customers import Customer, new_customer
from tests.hostile.storm.attacks import Targets
from tests.hostile.storm.errand import make_errand
from tests.hostile.storm.neighbour import Errand
from tests.support.live import free_ports, live_service, until
from tests.support.network.edge import running_edge
from tests.support.stores.published import ENV, ORG, publish, services_of

SMALL_SEGMENT_BYTES: Final = 2_000
LARGE_SEGMENT_BYTES: Final = 4_000_000
NAMES: Final = Path(__file__).parent / "names"
FOLLOWED_VIEWERS: Final = 5
"""Of one organization, few for the test: by default they are 20,000."""
ENCODERS: Final = ("ffmpeg", "bwrap")
ANNOUNCED: Final = 6
"""More than one organization may send at a time."""
READY_WITHIN_S: Final = 120.0


@attrs.frozen(kw_only=True)
class StormSite:
    """
    What both need to begin.

    Attributes:
        targets: For the attacker, but for how long and by how many connections.
    """

    attacker: Customer
    neighbour: Customer
    errand: Errand
    targets: Targets
    processes: list[psutil.Process]
    live: LiveAnalytics = attrs.field(repr=False)

    def memory_bytes(self) -> int:
        """
        Return what all processes of the service take, encoders left out.

        What they share is counted once.
        """
        return sum(
            _memory_bytes(process)
            for root in self.processes
            for process in [root, *root.children(recursive=True)]
        )

    def counted(self) -> int:
        """
        Return how many segments the neighbour has served, as its API says.
        """
        usage = self.neighbour.ask("GET", "/v1/analytics/usage")["usage"]
        return sum(one["totalSegmentsServed"] for one in usage)

    def watching(self, customer: Customer) -> tuple[int, bool]:
        """
        Return how many watch a customer's videos now, and whether that is all of them.
        """
        # Not by the API: there the attacker has used up what it may ask in an hour.
        told = self.live.of_environments([customer.env])
        return told.viewers or 0, told.viewers is not None and not told.has_more


def _memory_bytes(process: psutil.Process) -> int:
    with suppress(psutil.NoSuchProcess):
        if process.name() not in ENCODERS:
            return int(process.memory_full_info().pss)
    return 0


@contextmanager
def storm_site(
    folder: Path,
    clip: Path,
    *,
    edge: bool,
    sent_bytes: int = MAX_UPLOAD_BYTES,
    **settings: str,
) -> Iterator[StormSite]:
    """
    Run ``hv up`` until the block ends.

    Args:
        clip: A short one; the attacker's has pictures.
        sent_bytes: What the attacker announces of each file that it will send.
        edge: With the nginx of ``hv edge nginx`` in front of both addresses.
    """
    with ExitStack() as stack:
        api_port, delivery_port = free_ports(), free_ports()
        if edge:
            settings = {
                **settings,
                "HV_EDGE__API_LISTEN": f"127.0.0.1:{api_port}",
                "HV_PUBLIC__WORKER_URL": f"http://127.0.0.1:{delivery_port}",
            }
        settings["HV_SHARES__LIVE_SESSIONS_OF_ONE"] = str(FOLLOWED_VIEWERS)
        settings["PYTHONPATH"] = str(NAMES)
        service = stack.enter_context(live_service(folder, **settings))
        processes = [psutil.Process(service.supervisor.pid)]
        if edge:
            front = stack.enter_context(
                running_edge(
                    service.environ,
                    folder / "out",
                    service=f"127.0.0.1:{service.port + 1}",
                    HV_EDGE__API_SERVICE=f"127.0.0.1:{service.port}",
                )
            )
            stack.enter_context(running_ingest(service.environ))
            processes.append(psutil.Process(front.process.pid))
            delivery_port = front.port
        else:
            api_port, delivery_port = service.port, service.port + 1

        services = stack.enter_context(services_of(service.environ))
        attacker = new_customer(service, services, ORG)
        neighbour = new_customer(service, services, "org_neighbour")
        film = publish_long_film(services)
        large = publish(
            services, attacker.env, {720: [b"x" * LARGE_SEGMENT_BYTES]}, is_public=True
        )
        small = publish(
            services, attacker.env, {720: [b"x" * SMALL_SEGMENT_BYTES]}, is_public=True
        )
        errand = make_errand(
            neighbour, services, api_port=api_port, delivery_port=delivery_port
        )
        pictured = attacker.orders(clip, videoQuality="standard")
        until(lambda: attacker.is_ready(pictured), within_s=READY_WITHIN_S)
        announced = [
            urlsplit(attacker.upload_address(clip, size_bytes=sent_bytes)["signedURL"])
            for _ in range(ANNOUNCED)
        ]
        yield StormSite(
            attacker=attacker,
            neighbour=neighbour,
            processes=processes,
            live=services.live_analytics,
            errand=errand,
            targets=Targets(
                api_port=api_port,
                delivery_port=delivery_port,
                seconds=0,
                connections=0,
                film=film.path(PLAYLIST, film.token),
                page=PAGE["Origin"],
                video=f"/v1/public/{ORG}/{ENV}/{large.id}",
                watched=f"/v1/public/{ORG}/{ENV}/{small.id}/video/720p/0.m4s",
                pictured=pictured,
                uploads=[f"{one.path}?{one.query}" for one in announced],
                key=attacker.key,
            ),
        )
