"""
Pictures of a few kB have 36 million pixels, and come 24 at once; so do large requests.

What is measured is printed: ``pytest -s``.
"""

import io
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import attrs
import pytest
from PIL import Image

from hvcore.pictures.drawing_process import MOST_MEMORY_BYTES
from tests.hostile.api_memory import Memory, api_process
from tests.hostile.customers import Customer, new_customer
from tests.support.live import LiveService, live_service, request, until
from tests.support.stores.published import Published, publish, services_of

AT_ONCE: Final = 24
CUSTOMERS: Final = 6
PEAK_BYTES: Final = 150 * 10**6
LEFT_BYTES: Final = 30 * 10**6
FREED_WITHIN_S: Final = 10.0
OF_CHILDREN_BYTES: Final = MOST_MEMORY_BYTES
PNG: Final = "image/png"
JPEG: Final = "image/jpeg"

pytestmark = pytest.mark.long


@attrs.frozen(kw_only=True)
class Senders:
    """
    Customers, each with a video, and the process that they send to.
    """

    service: LiveService
    customers: list[Customer]
    films: list[Published]
    memory: Memory

    def send(self, number: int, picture: bytes, content_type: str) -> int:
        """
        Send a picture in the name of one of them; return the status.
        """
        who = number % CUSTOMERS
        headers = {"X-Api-Key": self.customers[who].key, "Content-Type": content_type}
        path = f"/v1/videos/{self.films[who].id}/thumbnail"
        return request(
            "POST", self.service.api + path, data=picture, headers=headers
        ).status

    def send_at_once(self, picture: bytes, content_type: str) -> list[int]:
        """
        Send a picture by all connections.
        """
        with ThreadPoolExecutor(AT_ONCE) as pool:
            numbers = range(AT_ONCE)
            return list(
                pool.map(lambda one: self.send(one, picture, content_type), numbers)
            )


@pytest.fixture(scope="module")
def senders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Senders]:
    with live_service(tmp_path_factory.mktemp("f13")) as service:
        with services_of(service.environ) as services:
            customers = [
                new_customer(service, services, f"org_{number}")
                for number in range(CUSTOMERS)
            ]
            films = [publish(services, one.env, {720: [b"x"]}) for one in customers]
        found = Senders(
            service=service,
            customers=customers,
            films=films,
            memory=Memory(api_process(service)),
        )
        # What a process has after its first request, it keeps.
        assert found.send(0, unfolding("RGB", "PNG", (64, 64)), PNG) == 200
        yield found


def unfolding(mode: str, kind: str, size: tuple[int, int] = (5900, 6000)) -> bytes:
    made = io.BytesIO()
    Image.new(mode, size).save(made, kind, progressive=True)
    return made.getvalue()


def much() -> bytes:
    """
    A picture of almost as many bytes as are taken.
    """
    made = io.BytesIO()
    noise = Image.frombytes("RGB", (1850, 1850), os.urandom(1850 * 1850 * 3))
    noise.save(made, "PNG", compress_level=1)
    return made.getvalue()


@pytest.mark.parametrize(
    ("make", "content_type"),
    [
        pytest.param(partial(unfolding, "RGB", "PNG"), PNG, id="rgb"),
        pytest.param(partial(unfolding, "RGBA", "PNG"), PNG, id="rgba"),
        pytest.param(partial(unfolding, "CMYK", "JPEG"), JPEG, id="progressive"),
        pytest.param(much, PNG, id="much"),
    ],
)
def test_pictures_that_come_at_once_take_little_memory_and_leave_none(
    senders: Senders, make: Callable[[], bytes], content_type: str
) -> None:
    memory, picture = senders.memory, make()

    with memory.watched():
        statuses = senders.send_at_once(picture, content_type)

    print(  # noqa: T201 - figures
        f"{len(picture):,} bytes, {statuses.count(200)} taken: "
        f"{memory.before_bytes / 1e6:.0f} MB, at most {memory.more_bytes / 1e6:+.0f}, "
        f"its children {memory.children_bytes / 1e6:.0f}"
    )
    assert set(statuses) <= {200, 503}
    assert 200 in statuses
    assert memory.more_bytes < PEAK_BYTES
    assert memory.children_bytes < OF_CHILDREN_BYTES
    left_bytes = memory.before_bytes + LEFT_BYTES
    until(lambda: memory.now_bytes() < left_bytes, within_s=FREED_WITHIN_S)
