"""
What is left when a service on several hosts has come to rest.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import attrs
import sqlalchemy as sa

from hvcore.domain.tasks.task import ENDED
from hvcore.persistence.tables import tasks, videos
from hvcore_worker.sweep import sweep_once
from tests.e2e.clips import ffmpeg_complaints
from tests.hosts.clients import Client
from tests.hosts.findings import FleetFindings
from tests.support.live import until
from tests.support.network.receivers import Receiver
from tests.torture.customers import Clips, Customer, Ledger
from tests.torture.invariants import counts_of

RESTS_WITHIN_S: Final = 240.0
COUNTED_WITHIN_S: Final = 30.0
DECODED: Final = 4
"""Videos that are decoded whole; the others are read as bytes."""
ENDS_WITHIN_S: Final = 30.0
_ENDED: Final = sorted(state.value for state in ENDED)


@attrs.frozen(kw_only=True)
class Rest:
    """
    Waits until a service has nothing left to do, and looks at it.

    Attributes:
        lost_counts: How many segments a killed nginx may have sent uncounted.
    """

    client: Client
    customers: Sequence[Customer]
    ledger: Ledger
    clips: Clips
    hook: Receiver
    lost_counts: int

    def faults(self) -> list[str]:
        """
        Return what does not hold.
        """
        fleet = self.client.fleet
        found = FleetFindings(services=fleet.services, data=Path(), fleet=fleet)
        self._wait()
        faults = [*found.unsettled(), *found.unfinished_tasks()]
        faults += self._miscounted(found)
        # Which watches more.
        faults += self._undecodable()
        lengths_s = self._lengths_s()
        faults += found.unplayable(lengths_s)
        faults += self._failed_without_cause(lengths_s)
        faults += found.wrong_histories()
        faults += found.untold(self.hook.received)
        faults += self._unended()
        sweep_once(fleet.services, holder="tests", tidies=True)
        faults += found.leftovers()
        faults += found.broken_promises(self.ledger)
        return faults

    @property
    def _engine(self) -> sa.Engine:
        return self.client.fleet.services.engine

    def _wait(self) -> None:
        for customer in self.customers:
            customer.stop()
        until(
            lambda: not any(customer.is_busy for customer in self.customers),
            within_s=RESTS_WITHIN_S,
            what="the end of all customers",
        )
        until(self._is_idle, within_s=RESTS_WITHIN_S, what="rest")

    def _is_idle(self) -> bool:
        # What waits for its time is done now.
        with self.client.fleet.services.uow.read() as work:
            now = work.now()
        with self._engine.begin() as connection:
            connection.execute(
                sa.update(tasks)
                .where(tasks.c.state == "due", tasks.c.not_before > now)
                .values(not_before=now)
            )
        time.sleep(0.5)
        left = sa.select(tasks.c.id).where(tasks.c.state.not_in(_ENDED)).limit(1)
        busy = sa.select(videos.c.id).where(videos.c.state == "transcoding").limit(1)
        with self._engine.connect() as connection:
            return not any(connection.execute(one).all() for one in (left, busy))

    def _undecodable(self) -> Iterator[str]:
        """
        Decode some videos, as a player has them from one of the hosts.
        """
        ready = sa.select(videos.c.id).where(videos.c.state == "ready")
        longest = ready.order_by(videos.c.duration_s.desc()).limit(DECODED)
        with self._engine.connect() as connection:
            ids = connection.execute(longest).scalars().all()
        halls = self.client.fleet.delivery_hosts
        for number, video in enumerate(ids):
            host = halls[number % len(halls)]
            path = f"/v1/videos/{video}/signed-url?expiration=1h"
            url = str(self.client.body("GET", path)["signed_url"])
            said = ffmpeg_complaints(url.replace("video.test", host.address))
            if said:
                yield f"I2 {video} does not decode: {said[-500:]}"

    def _lengths_s(self) -> dict[str, float]:
        found = {}
        for name, clip in self.ledger.processed.items():
            video = name if name.startswith("vid_") else self._video_at(name)
            if video and clip in self.clips.good:
                found[video] = self.clips.good[clip]
        return found

    def _video_at(self, path: str) -> str | None:
        with self.client.fleet.services.uow.read() as work:
            grant = work.grants.find_path(path)
        return grant.video_id if grant else None

    def _failed_without_cause(self, good: dict[str, float]) -> Iterator[str]:
        statement = sa.select(videos.c.id, videos.c.failure_reason).where(
            videos.c.state == "failed", videos.c.id.in_(good)
        )
        with self._engine.connect() as connection:
            for row in connection.execute(statement):
                yield f"{row.id} failed: {row.failure_reason}"

    def _miscounted(self, found: FleetFindings) -> list[str]:
        faults: list[str] = []

        def are_counted() -> bool:
            counts = counts_of(self.client.fleet.services)
            faults[:] = found.miscounted(self.ledger, counts)
            missing = sum(
                max(0, whole - counts.get(video, 0))
                for video, whole in self.ledger.whole.items()
            )
            too_many = sum(
                max(0, number - self.ledger.begun[video])
                for video, number in counts.items()
            )
            return not faults or (missing <= self.lost_counts and not too_many)

        try:
            until(are_counted, within_s=COUNTED_WITHIN_S)
        except TimeoutError:
            return faults
        return []

    def _unended(self) -> Iterator[str]:
        """
        Ask every process of the service to end, and expect that it does in order.
        """
        fleet = self.client.fleet
        for host in fleet.hosts.values():
            for program in fleet.programs.of(host):
                if program.name.endswith(".edge"):
                    continue
                status = fleet.programs.terminate(program.name, within_s=ENDS_WITHIN_S)
                if status != 0:
                    yield f"{program.name} ended with status {status}"
