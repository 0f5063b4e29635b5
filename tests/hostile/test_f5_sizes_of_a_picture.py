"""
Somebody asks for one public video's picture in every size there is.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from falcon.testing import Result

from hvcore.domain.limits import MAX_THUMBNAIL_SIZES
from hvcore.domain.videos.thumbnails import USUAL_THUMBNAILS
from hvcore.pictures.cropping import crop_to_fill
from hvcore.pictures.drawing_process import DrawingProcess
from hvcore.services.playback.thumbnails import renders as thumbnail_renders
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
def worker(clock: SettableClock) -> DeliveryWorker:
    return make_worker(clock, None, is_public=True)


def ask(worker: DeliveryWorker, name: str, client: str = ATTACKER) -> Result:
    return worker.get(f"/t/{VIDEO}/{name}", headers={"X-Forwarded-For": client})


def kept(worker: DeliveryWorker) -> set[str]:
    found = worker.storage.walk(f"media/{VIDEO}/thumbnails")
    return {info.path.rpartition("/")[2] for info in found}


class Renders:
    """
    Pictures that are being made: of odd sizes when they are released.
    """

    def __init__(self) -> None:
        self.released = threading.Event()
        self.made: list[str] = []

    def __call__(self, picture: bytes, width_px: int, height_px: int) -> bytes:
        """
        Make one.
        """
        name = f"{width_px}x{height_px}.jpg"
        if name not in USUAL_THUMBNAILS:
            self.released.wait(30)
        self.made.append(name)
        return crop_to_fill(picture, width_px, height_px)


@pytest.fixture
def renders(monkeypatch: pytest.MonkeyPatch) -> Iterator[Renders]:
    found = Renders()
    monkeypatch.setattr(
        DrawingProcess, "crop_to_fill", lambda _, *wanted: found(*wanted)
    )
    monkeypatch.setattr(thumbnail_renders, "WAIT_FOR_RENDER_S", 30)
    yield found
    found.released.set()


@contextmanager
def attacked(
    worker: DeliveryWorker, renders: Renders
) -> Iterator[list[Future[Result]]]:
    """
    Give the requests that hold the attacker's share.
    """
    before = REFUSALS.total("renders_of_one")
    with ThreadPoolExecutor(SHARE + 4) as pool:
        asked = [pool.submit(ask, worker, f"{64 + n}x64.jpg") for n in range(SHARE + 4)]
        until(lambda: sum(one.done() for one in asked) == 4, within_s=20)
        assert REFUSALS.total("renders_of_one") == before + 4
        yield asked
        renders.released.set()


def test_who_has_a_share_is_refused_at_once_and_told_when_to_come_back(
    worker: DeliveryWorker, renders: Renders
) -> None:
    with attacked(worker, renders) as asked:
        refused = [one.result() for one in asked if one.done()]

        assert [outcome(one) for one in refused] == [(503, "unavailable")] * 4
        assert all(int(one.headers["retry-after"]) > 0 for one in refused)
    assert [one.result().status_code for one in asked].count(200) == SHARE


def test_usual_sizes_are_made_meanwhile(
    worker: DeliveryWorker, renders: Renders
) -> None:
    with attacked(worker, renders):
        for name in sorted(USUAL_THUMBNAILS):
            assert ask(worker, name, VIEWER).status_code == 200
        assert not renders.released.is_set()


def test_another_organizations_new_size_is_not_refused(
    worker: DeliveryWorker, renders: Renders
) -> None:
    with attacked(worker, renders), ThreadPoolExecutor(1) as pool:
        worker.change(org_id="org_b")
        theirs = pool.submit(ask, worker, "400x225.jpg", VIEWER)
        renders.released.set()

        assert theirs.result().status_code == 200


def test_a_usual_size_is_made_once_whatever_else_is_asked_for(
    worker: DeliveryWorker, renders: Renders
) -> None:
    renders.released.set()
    for side in range(100, 100 + MAX_THUMBNAIL_SIZES + 10):
        assert ask(worker, f"{side}x{side}.jpg").status_code == 200

    for _ in range(3):
        assert ask(worker, "640x360.jpg", VIEWER).status_code == 200

    assert renders.made.count("640x360.jpg") == 1


def test_the_newest_sizes_stay_and_there_are_never_more_than_64_odd_ones(
    worker: DeliveryWorker, renders: Renders
) -> None:
    renders.released.set()
    last = 100 + MAX_THUMBNAIL_SIZES + 10
    for side in range(100, last):
        ask(worker, f"{side}x{side}.jpg")

    newest = range(last - MAX_THUMBNAIL_SIZES, last)
    assert kept(worker) == {f"{side}x{side}.jpg" for side in newest}


def test_a_size_that_two_clients_want_is_not_driven_out_by_a_third(
    worker: DeliveryWorker, renders: Renders
) -> None:
    renders.released.set()
    for client in (VIEWER, OTHER_VIEWER):
        ask(worker, "400x225.jpg", client)
    for side in range(100, 100 + 2 * MAX_THUMBNAIL_SIZES):
        ask(worker, f"{side}x{side}.jpg")

    assert ask(worker, "400x225.jpg", VIEWER).status_code == 200

    assert renders.made.count("400x225.jpg") == 1
