"""
Somebody asks for every moment of one public video.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest
from falcon.testing import Result

from hvcore.domain.limits import MAX_MOMENT_PICTURES
from hvcore.services.playback.moments import renders as moment_renders
from hvcore.settings.shares import ShareSettings
from hvcore.throttling.shares import REFUSALS
from tests.conftest import SettableClock
from tests.delivery.test_app import outcome
from tests.support.http.delivery_worker import DeliveryWorker, make_worker
from tests.support.live import until
from tests.support.media_samples import VIDEO

ATTACKER = "203.0.113.9"
VIEWER = "198.51.100.7"
OTHER_VIEWER = "198.51.100.8"
SHARE = ShareSettings().renders_of_one


@pytest.fixture
def worker(
    clock: SettableClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> DeliveryWorker:
    made = make_worker(clock, None, is_public=True)
    frames = attrs.evolve(made.thumbnails.moments.frames, work_dir=tmp_path)
    moments = attrs.evolve(
        made.thumbnails.moments,
        frames=frames,
        renders=moment_renders.MomentRenders(SHARE),
    )
    object.__setattr__(made.thumbnails, "moments", moments)
    monkeypatch.setattr(moment_renders, "WAIT_FOR_RENDER_S", 30)
    return made


def ask(
    worker: DeliveryWorker, tenths: int, client: str = ATTACKER, size: str = "16x16"
) -> Result:
    query = f"time={tenths // 10}.{tenths % 10}"
    headers = {"X-Forwarded-For": client}
    return worker.get(f"/t/{VIDEO}/{size}.jpg", query, headers=headers)


def kept(worker: DeliveryWorker) -> set[str]:
    found = worker.storage.walk(f"media/{VIDEO}/moments")
    return {info.path.rpartition("/")[2] for info in found}


@contextmanager
def attacked(
    worker: DeliveryWorker, release: threading.Event
) -> Iterator[list[Future[Result]]]:
    """
    Give the requests that hold the attacker's share.
    """
    worker.photographer.meanwhile = lambda: release.wait(30) and None
    before = REFUSALS.total("renders_of_one")
    with ThreadPoolExecutor(SHARE + 4) as pool:
        asked = [pool.submit(ask, worker, number) for number in range(SHARE + 4)]
        until(lambda: sum(one.done() for one in asked) == 4, within_s=20)
        assert REFUSALS.total("renders_of_one") == before + 4
        try:
            yield asked
        finally:
            release.set()


def test_a_client_above_its_share_is_refused_at_once_with_a_time_to_retry(
    worker: DeliveryWorker,
) -> None:
    with attacked(worker, threading.Event()) as asked:
        refused = [one.result() for one in asked if one.done()]

        assert [outcome(one) for one in refused] == [(503, "unavailable")] * 4
        assert all(int(one.headers["retry-after"]) > 0 for one in refused)


def test_thumbnails_of_all_sizes_are_made_meanwhile(worker: DeliveryWorker) -> None:
    with attacked(worker, threading.Event()):
        for name in ("640x360.jpg", "33x44.jpg", "33x44.webp"):
            headers = {"X-Forwarded-For": VIEWER}
            result = worker.get(f"/t/{VIDEO}/{name}", headers=headers)
            assert result.status_code == 200


def test_another_client_gets_a_moment_and_an_animation_meanwhile(
    worker: DeliveryWorker,
) -> None:
    release = threading.Event()
    with attacked(worker, release), ThreadPoolExecutor(2) as pool:
        worker.photographer.meanwhile = lambda: None
        moment = pool.submit(ask, worker, 99, VIEWER)

        assert moment.result().status_code == 200
        headers = {"X-Forwarded-For": OTHER_VIEWER}
        moving = worker.get(f"/t/{VIDEO}/animated.webp", "end=1", headers=headers)
        assert moving.status_code == 200
        assert not release.is_set()


def test_every_moment_of_a_film_fills_no_store(worker: DeliveryWorker) -> None:
    wanted = ask(worker, 5, VIEWER, "32x18")
    ask(worker, 5, OTHER_VIEWER, "32x18")
    asked = [
        ask(worker, tenths, size=size)
        for size in ("16x16", "17x16")
        for tenths in range(111)
    ]

    assert {one.status_code for one in asked} == {200}
    assert len(kept(worker)) == MAX_MOMENT_PICTURES
    made = len(worker.photographer.seen)
    # What two clients want is driven out by no third.
    assert ask(worker, 5, VIEWER, "32x18").content == wanted.content
    assert len(worker.photographer.seen) == made


def test_one_moment_in_other_words_is_made_once(worker: DeliveryWorker) -> None:
    for query in (
        "time=1",
        "time=1.0",
        "time=01.00&a=1",
        "b=2&time=1.0999",
        "time=1&c",
    ):
        result = worker.get(f"/t/{VIDEO}/16x16.jpg", query)
        assert result.status_code == 200

    assert len(worker.photographer.seen) == 1
    assert len(kept(worker)) == 1


def test_requests_that_wait_for_one_picture_leave_threads_to_those_who_watch(
    worker: DeliveryWorker,
) -> None:
    release = threading.Event()
    worker.photographer.meanwhile = lambda: release.wait(30) and None
    more = 3
    clients = [f"198.51.100.{n}" for n in range(1 + moment_renders.JOINING + more)]
    with ThreadPoolExecutor(len(clients)) as pool:
        asked = [pool.submit(ask, worker, 7, client) for client in clients]
        until(lambda: sum(one.done() for one in asked) == more, within_s=20)
        release.set()

    statuses = [one.result().status_code for one in asked]
    assert statuses.count(503) == more
    assert statuses.count(200) == 1 + moment_renders.JOINING
    assert len(worker.photographer.seen) == 1
