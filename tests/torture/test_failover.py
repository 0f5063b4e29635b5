"""
The database's primary dies while videos are made and watched, and its standby goes on.
"""

import http.client
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Final

import attrs
import pytest

from tests.support.databases.postgresql_pair import PostgresqlPair, postgresql_pair
from tests.support.live import Answer, LiveService, live_service, request
from tests.support.network.silent_line import silent_line
from tests.torture.campaign import Campaign, campaign, keep_up, seed_of_this_run
from tests.torture.customers import Clips, Ledger

FAILOVERS: Final = 3
CUSTOMERS: Final = 2
"""Beside those who watch all the time."""
PROMOTED_AFTER_S: Final = 6.0
"""As long as who watches over a primary takes to be sure."""
LOAD_S: Final = 10.0
"""Before, between and after."""
ASKS_EVERY_S: Final = 0.1
ANSWERS_WITHIN_S: Final = 5.0
BACK_WITHIN_S: Final = 5.0
"""After the promotion."""
VIDEOS: Final = "/v1/api/org_local/environments/live/videos"
FILM: Final = {"filename": "a.mp4", "fileSize": 1000, "contentType": "video/mp4"}


@attrs.define
class Watch:
    """
    Asks for one thing again and again, and writes down what came.

    Attributes:
        slowest_s: Of all answers.
        gaps_s: Each time from the first answer that was none to the next good one.
    """

    name: str
    ask: Callable[[], Answer]
    statuses: Counter[int] = attrs.field(factory=Counter)
    faults: list[str] = attrs.field(factory=list)
    slowest_s: float = 0.0
    gaps_s: list[float] = attrs.field(factory=list)
    _stops: threading.Event = attrs.field(factory=threading.Event)
    _bad_since_s: float | None = None

    def run(self) -> None:
        """
        Ask until the end.
        """
        while not self._stops.wait(ASKS_EVERY_S):
            self._look()

    def stop(self) -> None:
        """
        Ask no more.
        """
        self._stops.set()

    def _look(self) -> None:
        began_s = time.monotonic()
        try:
            answer = self.ask()
        except (OSError, http.client.HTTPException) as error:
            self.faults.append(f"{self.name}: {error!r}")
            return
        now_s = time.monotonic()
        self.statuses[answer.status] += 1
        self.slowest_s = max(self.slowest_s, now_s - began_s)
        if answer.status == 200:
            if self._bad_since_s is not None:
                self.gaps_s.append(now_s - self._bad_since_s)
            self._bad_since_s = None
            return
        if self._bad_since_s is None:
            self._bad_since_s = began_s
        told = {name.lower() for name in answer.headers}
        if answer.status != 503 or "retry-after" not in told:
            self.faults.append(f"{self.name}: {answer.status} {answer.data[:300]!r}")


def watches_of(service: LiveService, ledger: Ledger, video_id: str) -> list[Watch]:
    """
    Return what a caller and a viewer ask for all the time.
    """
    master = service.public_url(video_id)
    (segment,) = segments(service, video_id)[:1]

    def watched() -> Answer:
        ledger.begun[video_id] += 1
        answer = request("GET", segment)
        ledger.whole[video_id] += answer.status == 200
        return answer

    asks: Mapping[str, Callable[[], Answer]] = {
        "list": lambda: service.call("GET", VIDEOS),
        "upload address": lambda: service.call("POST", f"{VIDEOS}/upload-url", FILM),
        "playlist": lambda: request("GET", master),
        "segment": watched,
    }
    return [Watch(name, ask) for name, ask in asks.items()]


def segments(service: LiveService, video_id: str) -> list[str]:
    """
    Return the addresses of the segments of a video's first rung.
    """

    def names(file: str) -> list[str]:
        lines = request("GET", service.public_url(video_id, file)).data.decode()
        return [line for line in lines.splitlines() if line and line[0] != "#"]

    return [
        service.public_url(video_id, name) for name in names(names("master.m3u8")[0])
    ]


def fail_over(pair: PostgresqlPair) -> None:
    """
    Kill the primary, promote its standby, and have the old one come back as standby.
    """
    pair.primary.kill()
    time.sleep(PROMOTED_AFTER_S)
    pair.promote()
    time.sleep(LOAD_S)
    pair.rejoin()
    time.sleep(LOAD_S)


@contextmanager
def running(watches: Sequence[Watch]) -> Iterator[None]:
    """
    Ask for all of it until the block ends.
    """
    threads = [threading.Thread(target=watch.run) for watch in watches]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for watch in watches:
            watch.stop()
        for thread in threads:
            thread.join()


def faults_of(watches: Sequence[Watch]) -> list[str]:
    """
    Say what was wrong, and print what was measured.
    """
    faults = [fault for watch in watches for fault in watch.faults]
    for watch in watches:
        print(  # noqa: T201 - for docs/measured/silence.md
            f"{watch.name}: {dict(watch.statuses)}, slowest {watch.slowest_s:.1f} s, "
            f"away for {', '.join(f'{one:.1f}' for one in watch.gaps_s)} s"
        )
        if watch.slowest_s > ANSWERS_WITHIN_S:
            faults.append(f"{watch.name}: an answer took {watch.slowest_s:.1f} s")
        faults += [
            f"{watch.name}: away for {gap_s:.1f} s"
            for gap_s in watch.gaps_s
            if gap_s > PROMOTED_AFTER_S + BACK_WITHIN_S
        ]
    return faults


def failed_over(made: Campaign, pair: PostgresqlPair, clip: Path) -> list[str]:
    video_id = made.service.made(clip)["id"]
    watches = watches_of(made.service, made.ledger, video_id)
    made.begin()
    with running(watches):
        time.sleep(LOAD_S)
        for _ in range(FAILOVERS):
            fail_over(pair)
    faults = faults_of(watches)
    faults += made.end(lambda: keep_up(made.service))
    print(made.summary({"fail-over": FAILOVERS}))  # noqa: T201
    print(*faults, sep="\n")  # noqa: T201 - each whole
    return faults


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_service_goes_on_at_the_standby_and_loses_nothing(
    tmp_path: Path, clips: Clips
) -> None:
    seed = seed_of_this_run()
    short, middle, _ = sorted(clips.good.items(), key=itemgetter(1))
    few = attrs.evolve(clips, good=dict([short, middle]))
    with postgresql_pair() as pair:
        pair.primary.ask("CREATE DATABASE hvcore")
        url = pair.url("hvcore")
        with campaign(
            tmp_path, few, seed=seed, customers=CUSTOMERS, HV_DATABASE__URL=url
        ) as made:
            assert failed_over(made, pair, short[0]) == []


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_primary_that_says_nothing_more_is_left_for_the_standby(
    tmp_path: Path, clips: Clips
) -> None:
    """
    As when its machine is off: nothing refuses, and nothing closes a connection.
    """
    clip = min(clips.good, key=clips.good.__getitem__)
    with postgresql_pair() as pair, ExitStack() as stack:
        pair.primary.ask("CREATE DATABASE hvcore")
        first, second = (
            stack.enter_context(silent_line(("127.0.0.1", server.port)))
            for server in (pair.primary, pair.standby)
        )
        hosts = f"127.0.0.1:{first.port},127.0.0.1:{second.port}"
        url = f"postgresql://postgres@{hosts}/hvcore"
        settings = {"HV_DATABASE__URL": url, "HV_LIMITS__ENABLED": "false"}
        service = stack.enter_context(
            live_service(tmp_path, loads_anew=True, **settings)
        )
        watches = watches_of(service, Ledger(), service.made(clip)["id"])
        with running(watches):
            time.sleep(LOAD_S)
            first.fall_silent()
            time.sleep(PROMOTED_AFTER_S)
            pair.promote()
            time.sleep(LOAD_S)
        faults = faults_of(watches)
        ended = service.made(clip)["status"]
        first.speak()

        assert (faults, ended["ready"]) == ([], True)
        assert all(watch.gaps_s for watch in watches)
