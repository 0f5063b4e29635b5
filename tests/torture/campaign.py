"""
A service under load, hurt in some way, and what is left when it rests.
"""

import json
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import attrs
import sqlalchemy as sa

from hvcore.assembly import Services, build
from hvcore.domain.tasks.task import ENDED
from hvcore.domain.videos.states import VideoState
from hvcore.domain.webhooks.events import EventKind
from hvcore.errors import UnavailableError
from hvcore.manifests import hls
from hvcore.persistence.tables import tasks, videos
from hvcore.settings import load
from hvcore_worker.sweep import sweep_once
from tests.e2e.clips import ffmpeg_complaints
from tests.support.fakes import MemoryQueue
from tests.support.live import LiveService, files_below, live_service, request, start_up
from tests.support.network.receivers import Receiver, receiver
from tests.torture.customers import Clips, Customer, Ledger
from tests.torture.debts import Debts
from tests.torture.invariants import Findings, counts_of

WORKERS: Final = 2
CUSTOMERS: Final = 5
RESTS_WITHIN_S: Final = 100.0
NEXT_ATTEMPT_WITHIN_S: Final = 30.0
LONGEST_KEPT_S: Final = 3 * 3600
"""Older than what the sweep takes for a running upload's file."""
DECODED: Final = 4
"""Videos that are decoded whole at the end; the others are read as bytes."""
_ENDED: Final = sorted(state.value for state in ENDED)


def seed_of_this_run() -> int:
    """
    Return the seed that was asked for, or a new one; printed either way.
    """
    seed = int(
        os.environ.get("HV_TORTURE_SEED", random.SystemRandom().randrange(10**6))
    )
    print(f"torture: HV_TORTURE_SEED={seed}")  # noqa: T201 - to do it again
    return seed


@attrs.frozen(kw_only=True)
class Campaign:
    """
    A running service with customers and somebody who looks at the tasks.
    """

    service: LiveService
    services: Services
    hook: Receiver
    debts: Debts
    ledger: Ledger
    clips: Clips
    customers: list[Customer]
    marks: dict[str, float] = attrs.field(factory=dict)

    def begin(self) -> None:
        """
        Let everybody begin.
        """
        self.marks["begun"] = time.monotonic()
        self.debts.start()
        for customer in self.customers:
            customer.start()

    def dismiss(self) -> None:
        """
        Have nobody begin anything new, whatever happened.
        """
        for customer in self.customers:
            customer.stop()
        self.debts.stop()

    def end(self, tend: Callable[[], None]) -> list[str]:
        """
        Wait until the service has come to rest; return what does not hold.

        Args:
            tend: Called while waiting; keeps ``hv up`` running.
        """
        self.marks["hurt"] = time.monotonic()
        for customer in self.customers:
            customer.stop()
        found = Findings(services=self.services, data=self.service.data)
        while any(customer.is_busy for customer in self.customers):
            tend()
            time.sleep(0.1)
        self._wait(lambda: not self._is_busy(), tend)
        self._wait(lambda: answers(self.service), tend)

        def has_ended_all() -> bool:
            self._let_time_pass()
            return not list(found.unfinished_tasks())

        self._wait(has_ended_all, tend)
        self._wait(lambda: not self.debts.owed(), tend, within_s=5)
        self.debts.stop()
        self.marks["at rest"] = time.monotonic()
        faults = [*self.debts.redone, *found.unsettled(), *found.unfinished_tasks()]
        faults += self._stopped()
        faults += found.orphans()
        with suppress(UnavailableError):
            sweep_once(self.services, holder="torture", tidies=True)
        lengths_s = self._lengths_s()
        faults += found.unplayable(lengths_s)
        faults += self._undecodable(found)
        faults += self._failed_without_cause(lengths_s)
        faults += found.wrong_histories()
        faults += found.untold(self.hook.received)
        self.services.flusher.run_once()
        faults += found.miscounted(self.ledger, counts_of(self.services))
        faults += found.leftovers()
        faults += found.broken_promises(self.ledger)
        faults += [
            f"a {debt.kind} waited {debt.after_last_s:.0f} s for its next attempt"
            for debt in self.debts.paid
            if debt.after_last_s > NEXT_ATTEMPT_WITHIN_S
        ]
        faults += [
            f"nobody went on with a {d.kind}" for d in self.debts.owed().values()
        ]
        return faults

    def summary(self, dealt: Mapping[str, int]) -> str:
        """
        Say in a line what was done and how quickly it was repaired.
        """
        states: dict[str, int] = {}
        with self.services.engine.connect() as connection:
            for state in connection.execute(sa.select(videos.c.state)).scalars():
                states[state] = states.get(state, 0) + 1
        begun, hurt, rest = self.marks.values()
        worst = max((debt.after_last_s for debt in self.debts.paid), default=0.0)
        whole = max((debt.after_s for debt in self.debts.paid), default=0.0)
        return (
            f"torture: {sum(dealt.values())} blows in {hurt - begun:.0f} s, at rest "
            f"{rest - hurt:.0f} s later: {dict(dealt)}; videos {states}; "
            f"{len(self.debts.paid)} attempts interrupted, next after {worst:.1f} s "
            f"at most ({whole:.1f} s since the first blow); "
            f"{sum(self.ledger.whole.values())} segments watched; "
            f"{len(self.hook.received)} webhooks; {self.ledger.oddities}"
        )

    def _is_busy(self) -> bool:
        statement = sa.select(sa.func.count()).where(videos.c.state == "transcoding")
        with self.services.engine.connect() as connection:
            return bool(connection.execute(statement).scalar())

    def _let_time_pass(self) -> None:
        # What waits for its time is done now; temporary files grow old.
        now = self.services.clock.now()
        with self.services.engine.begin() as connection:
            connection.execute(
                sa.update(tasks)
                .where(tasks.c.state == "due", tasks.c.not_before > now)
                .values(not_before=now)
            )
        long_ago = time.time() - LONGEST_KEPT_S
        for file in files_below(self.service.data / "storage" / ".incoming"):
            with suppress(OSError):
                os.utime(file, (long_ago, long_ago))

    def _wait(
        self,
        condition: Callable[[], bool],
        tend: Callable[[], None],
        *,
        within_s: float = RESTS_WITHIN_S,
    ) -> None:
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            tend()
            with suppress(UnavailableError, sa.exc.OperationalError):
                if condition():
                    return
            time.sleep(0.2)

    def _undecodable(self, found: Findings) -> Iterator[str]:
        ready = [v for v in found.all_videos() if v.state is VideoState.READY]
        ready.sort(key=lambda video: -video.duration_s)
        for video in ready[:DECODED]:
            with tempfile.TemporaryDirectory() as folder:
                found.lay_out(video, Path(folder))
                if said := ffmpeg_complaints(f"{folder}/{hls.MASTER}"):
                    yield f"I2 {video.id} does not decode: {said[-500:]}"

    def _stopped(self) -> Iterator[str]:
        try:
            status = self.service.stop()
        except subprocess.TimeoutExpired:
            yield "hv up does not stop"
            self.service.supervisor.send_signal(signal.SIGKILL)
            self.service.supervisor.wait()
        else:
            if status != 0:
                yield f"hv up ended with status {status}"

    def _lengths_s(self) -> Mapping[str, float]:
        found = {}
        for name, clip in self.ledger.processed.items():
            video = name if name.startswith("vid_") else self._video_at(name)
            if video and clip in self.clips.good:
                found[video] = self.clips.good[clip]
        return found

    def _video_at(self, path: str) -> str | None:
        with self.services.uow.read() as work:
            grant = work.grants.find_path(path)
        return grant.video_id if grant else None

    def _failed_without_cause(self, good: Mapping[str, float]) -> Iterator[str]:
        statement = sa.select(videos.c.id, videos.c.failure_reason).where(
            videos.c.state == "failed", videos.c.id.in_(good)
        )
        with self.services.engine.connect() as connection:
            for row in connection.execute(statement):
                # Three deaths of its encoder are a video's own fault.
                if self.debts.hits.get(row.id, 0) < 3:
                    yield f"{row.id} failed: {row.failure_reason}"


@contextmanager
def campaign(
    folder: Path,
    clips: Clips,
    *,
    seed: int,
    customers: int = CUSTOMERS,
    **settings: str,
) -> Iterator[Campaign]:
    """
    Run a service with customers, a webhook receiver and a look at its tasks.
    """
    own = {
        "HV_LIMITS__ENABLED": "false",
        "HV_FETCH__ALLOWED_HOSTS": "127.0.0.1",
        **settings,
    }
    with (
        receiver() as hook,
        web_server(clips.folder) as web,
        live_service(
            folder, "--workers", str(WORKERS), loads_anew=True, **own
        ) as service,
    ):
        _subscribe(service, hook)
        loaded = load(config_path=None, environ=own, data_dir=service.data)
        # The service's queue ends with the service.
        overrides = {"queue": MemoryQueue()}
        with build(loaded.settings, overrides=overrides, rings=False) as services:
            ledger = Ledger()
            made = Campaign(
                service=service,
                services=services,
                hook=hook,
                debts=Debts(services),
                ledger=ledger,
                clips=clips,
                customers=[
                    Customer(service, clips, ledger, seed=seed + number, web=web)
                    for number in range(customers)
                ],
            )
            try:
                yield made
            finally:
                made.dismiss()


@contextmanager
def web_server(
    folder: Path, address: str = "127.0.0.1", name: str = ""
) -> Iterator[str]:
    """
    Serve the files of a folder until the block ends; give the address.

    Args:
        name: As which others know the address.
    """
    server = ThreadingHTTPServer(
        (address, 0), partial(_QuietFiles, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://{name or address}:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _QuietFiles(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as inherited
        """
        Keep quiet.
        """


def keep_up(service: LiveService) -> None:
    """
    Start ``hv up`` again if it has ended, as an init would.
    """
    if service.supervisor.poll() is not None:
        service.supervisor = start_up(
            service.environ,
            service.data,
            service.port,
            service.words,
            loads_anew=service.loads_anew,
        )


def answers(service: LiveService) -> bool:
    """
    Tell whether the API answers.
    """
    try:
        return request("GET", f"{service.api}/health/live").status == 200
    except OSError:
        return False


def _subscribe(service: LiveService, hook: Receiver) -> None:
    # A test event is not one of those that an endpoint can ask for.
    wanted = [kind for kind in EventKind if kind is not EventKind.TEST]
    kinds = [word for kind in wanted for word in ("--event", kind.value)]
    added = service.hv(
        *("webhooks", "add", "--org", "org_local", "--env", "live", hook.url),
        *(*kinds, "--json"),
    )
    if added.returncode != 0:
        raise AssertionError(added.stderr)
    json.loads(added.stdout)
