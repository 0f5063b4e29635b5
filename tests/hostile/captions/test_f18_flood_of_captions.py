"""
One key orders, cancels, sends and reads captions as fast as it can; its neighbour's are made all the same.
"""

import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs
import pytest

from tests.e2e.clips import make_clip
from tests.hostile.api_memory import Memory, api_process
from tests.hostile.customers import Customer, new_customer
from tests.hostile.storm.costly import CAPTIONS
from tests.support.live import LiveService, files_below, live_service, request, until
from tests.support.stores.published import services_of

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

ATTACKERS: Final = 6
VIDEOS: Final = 4
ORDERS: Final = 5
"""Of captions by the neighbour, one after the other."""
UNDER_WAY: Final = 30
MORE_MEMORY_BYTES: Final = 300_000_000
QUICK: Final = {"videoQuality": "standard", "compressionRatio": "superfast"}
LANGUAGES: Final = ["de", "en", "es"]
CUE: Final = "{0:02}:{1:02}:00.000 --> {0:02}:{1:02}:50.000\n{2}\n\n"
LONG: Final = (
    "WEBVTT\n\n"
    + "".join(CUE.format(n // 60, n % 60, "several words " * 100) for n in range(1_000))
).encode()
TAGS: Final = [f"{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}" for n in range(1_000)]


@attrs.define
class Flood:
    """
    A flood of requests of one key, and the statuses of their answers.

    Attributes:
        theirs: A video of the neighbour.
        outcomes: How often each kind of request had each status.
    """

    customer: Customer
    videos: list[str]
    theirs: str
    outcomes: Counter[str] = attrs.field(factory=Counter)
    ended: threading.Event = attrs.field(factory=threading.Event)

    def send(self, seed: int) -> None:
        """
        Ask for something else each time, until the flood ends.
        """
        chance = random.Random(seed)  # noqa: S311 - the same flood each time
        while not self.ended.is_set():
            video = chance.choice(self.videos)
            kind = chance.choice(tuple(self.kinds))
            method, path, body = self.kinds[kind]
            url = f"{self.customer.service.api}/v1/videos/{path.format(video)}"
            media = "application/json" if method == "POST" else "text/vtt"
            headers = {"X-Api-Key": self.customer.key, "Content-Type": media}
            got = request(method, url, data=body, headers=headers)
            self.outcomes[f"{kind}: {got.status}"] += 1

    @property
    def kinds(self) -> dict[str, tuple[str, str, bytes | None]]:
        """The requests by name: method, path and body."""
        endless = f'{{"languages": {TAGS}}}'.replace("'", '"').encode()
        return {
            "order": ("POST", "{}/captions/generate", b'{"languages": ["de", "en"]}'),
            "cancel": ("DELETE", "{}/captions/generate", None),
            "endless": ("POST", "{}/captions/generate", endless),
            "huge": ("PUT", "{}/captions/fr", CAPTIONS + CAPTIONS),
            "markup": ("PUT", "{}/captions/it", CAPTIONS),
            "long": ("PUT", "{}/captions/pt", LONG),
            "read": ("GET", "{}/transcript/pt", None),
            "missing": ("GET", "{}/transcript/zu", None),
            "theirs": ("GET", f"{self.theirs}/transcript/en", None),
            "order theirs": ("POST", f"{self.theirs}/captions/generate", b"{}"),
        }

    @contextmanager
    def running(self) -> Iterator[None]:
        """
        Send by several connections until the block ends.
        """
        with ThreadPoolExecutor(ATTACKERS) as pool:
            sending = [pool.submit(self.send, seed) for seed in range(ATTACKERS)]
            try:
                yield
            finally:
                self.ended.set()
            for one in sending:
                one.result()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    settings = {
        "HV_EXTRA_PLUGINS": "hvcore.testing.memory_transcriber",
        "HV_TRANSCRIBER__BACKEND": "memory",
        "HV_SHARES__ENCODERS_RESERVED": "0",
        "HV_LIMITS__API_PER_HOUR": "1000000",
        "HV_LIMITS__VIDEO_OPERATIONS_PER_HOUR": "1000000",
    }
    folder = tmp_path_factory.mktemp("f18")
    with live_service(folder, "--workers", "1", **settings) as running:
        yield running


def made(customer: Customer, clip: Path) -> str:
    video_id = customer.orders(clip, **QUICK)
    until(lambda: customer.is_ready(video_id), within_s=300, what="the clip")
    return video_id


def captioned_s(customer: Customer, video_id: str, language: str) -> float:
    """
    Order captions of a video, and return the seconds until they are made.
    """
    began = time.monotonic()
    path = f"/v1/videos/{video_id}/captions"
    customer.ask("POST", f"{path}/generate", languages=[language])

    def ended() -> list[str]:
        jobs = customer.ask("GET", path)["jobs"]
        states = [job["state"] for job in jobs]
        return [] if {"waiting", "running"} & set(states) else states

    states = until(ended, within_s=180, what="the captions of the neighbour")
    assert set(states) == {"ready"}
    return time.monotonic() - began


def unlisted(customer: Customer, video_id: str) -> set[str]:
    """
    Return the caption files of a video that it does not list.
    """
    folder = customer.service.data / "storage" / "media" / video_id / "captions"
    with services_of(customer.service.environ) as services, services.uow.read() as work:
        listed = {
            Path(path).name
            for track in work.captions.of_video(video_id)  # type: ignore[arg-type]  # an id
            for path in track.paths
        }
    return {file.name for file in files_below(folder)} - listed


def test_a_flood_of_caption_requests_keeps_nobodys_captions_waiting(
    service: LiveService, tmp_path: Path
) -> None:
    clip = make_clip(tmp_path / "a.mp4", seconds=4, size="320x180")
    with services_of(service.environ) as services:
        busy, neighbour = (
            new_customer(service, services, f"org_{name}")
            for name in ("busy", "neighbour")
        )
    videos, theirs = [made(busy, clip) for _ in range(VIDEOS)], made(neighbour, clip)
    alone_s = [captioned_s(neighbour, theirs, one) for one in LANGUAGES]
    flood, memory = Flood(busy, videos, theirs), Memory(api_process(service))

    with memory.watched(), flood.running():
        until(lambda: flood.outcomes.total() > UNDER_WAY, within_s=120, what="a flood")
        beside_s = [
            captioned_s(neighbour, theirs, LANGUAGES[n % len(LANGUAGES)])
            for n in range(ORDERS)
        ]

    sys.stdout.write(
        f"\ncaptions after {max(alone_s):.1f} s at most alone, and {max(beside_s):.1f} s "
        f"beside {flood.outcomes.total()} requests; the API took "
        f"{memory.more_bytes / 1e6:.0f} MB more\n{dict(flood.outcomes)}\n"
    )
    statuses = {kind.partition(": ")[2] for kind in flood.outcomes}
    assert statuses <= {"200", "400", "404", "409", "413", "503"}
    of_theirs = {kind for kind in flood.outcomes if "theirs" in kind}
    assert of_theirs <= {"theirs: 404", "order theirs: 404"}
    assert {"huge: 413", "endless: 400"} <= set(flood.outcomes)
    assert memory.more_bytes < MORE_MEMORY_BYTES
    for video_id in videos:
        busy.ask("DELETE", f"/v1/videos/{video_id}/captions/generate")
    for video_id in videos:
        until(
            lambda: not unlisted(busy, video_id),  # noqa: B023 - waited for
            within_s=120,
            what=f"the files of cancelled captions of {video_id}",
        )
