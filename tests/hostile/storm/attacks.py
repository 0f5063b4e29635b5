"""
The ones who misbehave: ``python -m tests.hostile.storm.attacks``.

A stranger, at one address, who sends nothing; and an organization, whose machines
have an address for each of its attacks: an address has a share, too, and no attack
shall end there already.

Reads :class:`Targets` as JSON from standard input, attacks until its time is over,
and prints :class:`Attacked`.
"""

import asyncio
import itertools
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from typing import ClassVar, Final, TypeAlias

import attrs
import cattrs

from hvcore.processes.child_launcher import share_processors_as_nice
from tests.hostile.storm.exchange import (
    GIVES_UP_AFTER_S,
    READ_BYTES,
    ask,
    connection,
    outcome,
)
from tests.hostile.storm.outcomes import LANDS, NO_ANSWER, not_landed
from tests.hostile.strangers import ATTACKER, head

LITTLE_ROOM_BYTES: Final = 16 * 1024
AGAIN_AFTER_S: Final = 0.2
LANDS_WITHIN_S: Final = 30.0
"""After the time is over, on a machine that has much else to do."""
ANNOUNCED_BYTES: Final = 5 << 30
WAITS: Final = "Content-Length: 4096"
HANGS: Final = "hangs.example"
"""Who looks up a name below this one waits: see ``tests/hostile/storm/names``."""


@attrs.frozen(kw_only=True)
class Targets:
    """
    Where the attacks go.

    Attributes:
        seconds: How long they last.
        lands_within_s: How long beyond that they go on if one has reached nothing yet.
        connections: How many there are at a time, about.
        film: Address of a playlist of twelve hours, with a token.
        page: The page that this token is for.
        video: The path of a public video, of large segments.
        watched: The path of a small segment of a public video.
        pictured: The id of a public video that has a picture.
        uploads: Addresses to which large files can be sent.
        picture: The path of a picture of many pixels.
        key: Of the attacker's organization.
    """

    api_port: int
    delivery_port: int
    seconds: float
    connections: int
    film: str
    page: str
    video: str
    watched: str
    pictured: str
    uploads: list[str]
    picture: str = ""
    lands_within_s: float = LANDS_WITHIN_S
    key: str = attrs.field(repr=False)


@attrs.define(kw_only=True)
class Attacked:
    """
    What came of it.

    Attributes:
        outcomes: How often each attack got which status and code.
        processor_s: What the attackers themselves took of the machine.
    """

    outcomes: dict[str, dict[str, int]] = attrs.field(factory=dict)
    processor_s: float = 0.0


Attack: TypeAlias = Callable[[str, int], Awaitable[str]]
"""Takes an address to come from and a number; returns what it got."""


class Attackers:
    """
    Some attacks, each by several connections that never end.

    Attributes:
        niceness: Of their process; attackers have machines of their own, so here they
            take what the service leaves.
        again_after_s: How long a connection rests between two of them.
        lands: What shows that an attack reached what it is for.
    """

    niceness: ClassVar[int] = 10
    again_after_s: ClassVar[float] = AGAIN_AFTER_S
    lands: ClassVar[Mapping[str, frozenset[str]]] = LANDS

    def __init__(self, targets: Targets) -> None:
        self._targets = targets
        self._segment = f"{targets.video}/video/720p/0.m4s"
        self._numbers = itertools.count()
        self._chance = random.Random(21)  # noqa: S311 - the same each time
        self._have_landed = asyncio.Event()
        self.outcomes: dict[str, Counter[str]] = {}

    async def run(self) -> None:
        """
        Do everything at once until the time is over and each attack has landed.
        """
        by_stranger, by_organization = self._of_stranger(), self._of_organization()
        plan = [(ATTACKER, *attack) for attack in by_stranger]
        plan += [
            (f"127.0.2.{place}", *attack)
            for place, attack in enumerate(by_organization, start=1)
        ]
        tasks = [
            asyncio.create_task(self._again(name, attack, address))
            for address, name, attack, count in plan
            for _ in range(count)
        ]
        await asyncio.sleep(self._targets.seconds)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._targets.lands_within_s):
                await self._have_landed.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _of_stranger(self) -> Iterator[tuple[str, Attack, int]]:
        api, delivery = self._targets.api_port, self._targets.delivery_port
        # As many as all others are not.
        half_heads = max(10, (self._targets.connections - 400) // 2)
        posted = head("POST", "/v1/watch/x", WAITS)
        segment = head("GET", self._segment, WAITS)
        by_edge_key = head("GET", "/v1/ek_x/video/720p/0.m4s", WAITS)
        yield "half a head, API", silent(api, b"GET / HT"), half_heads
        yield "half a head, delivery", silent(delivery, b"GET / HT"), half_heads
        yield "no body, delivery", silent(delivery, posted), 60
        yield "no body, segment", silent(delivery, segment), 40
        yield "no body, edge key", silent(delivery, by_edge_key), 20

    def _of_organization(self) -> Iterator[tuple[str, Attack, int]]:
        api, delivery = self._targets.api_port, self._targets.delivery_port
        key = f"X-Api-Key: {self._targets.key}"
        posted = head("POST", "/v1/videos/upload-url", key, WAITS)
        patched = head("PATCH", "/v1/videos/vid_x", key, WAITS)
        yield "no body, API", silent(api, posted), 60
        yield "no body, PATCH", silent(api, patched), 20
        yield "announced upload", self._announce, 6
        yield "idle reader", self._read_little, 60
        yield "slow reader", self._read_slowly, 40
        yield "greedy reader", self._read_all, 4
        yield "odd picture", self._odd_picture, 4
        yield "one byte", self._one_byte, 4
        yield "invented viewer", self._invented_viewer, 4
        yield "malformed, API", self._malformed(api), 4
        yield "malformed, delivery", self._malformed(delivery), 4
        yield "slow name", self._slow_name, 60
        yield "grants", self._grant, 4
        yield "lists", self._list, 10

    async def _again(self, name: str, attack: Attack, address: str) -> None:
        outcomes = self.outcomes.setdefault(name, Counter())
        while True:
            try:
                outcomes[await attack(address, next(self._numbers))] += 1
            except (OSError, TimeoutError, asyncio.IncompleteReadError):
                outcomes[NO_ANSWER] += 1
            if not self._have_landed.is_set() and not not_landed(
                self.outcomes, self.lands
            ):
                self._have_landed.set()
            await asyncio.sleep(self.again_after_s)

    async def _announce(self, address: str, number: int) -> str:
        path = self._targets.uploads[number % len(self._targets.uploads)]
        lines = ("Content-Type: video/mp4", f"Content-Length: {ANNOUNCED_BYTES}")
        beginning = head("PUT", path, *lines) + bytes(2000)
        return await silent(self._targets.delivery_port, beginning)(address, number)

    async def _read_little(self, address: str, _: int) -> str:
        return await self._read(self._film("keep-alive"), address, GIVES_UP_AFTER_S)

    async def _read_slowly(self, address: str, _: int) -> str:
        return await self._read(head("GET", self._segment) * 20, address, AGAIN_AFTER_S)

    async def _read(self, request: bytes, address: str, every_s: float) -> str:
        port, room_bytes = self._targets.delivery_port, LITTLE_ROOM_BYTES
        async with connection(address, port, room_bytes=room_bytes) as (reader, writer):
            writer.write(request)
            found = await outcome(reader)
            async for _piece in _slowly(reader, every_s):
                pass
            return found

    async def _read_all(self, address: str, _: int) -> str:
        async with connection(address, self._targets.delivery_port) as (reader, writer):
            writer.write(self._film("close"))
            found = await outcome(reader)
            while await reader.read(READ_BYTES):
                pass
            return found

    def _film(self, afterwards: str) -> bytes:
        lines = (f"Origin: {self._targets.page}", f"Connection: {afterwards}")
        return head("GET", self._targets.film, *lines)

    async def _odd_picture(self, address: str, _: int) -> str:
        width, height = (self._chance.randrange(16, 3840) for _ in range(2))
        path = f"/t/{self._targets.pictured}/{width}x{height}.jpg"
        return await ask(address, self._targets.delivery_port, "GET", path)

    async def _one_byte(self, address: str, number: int) -> str:
        lines = ("Range: bytes=0-0", *_viewer(number))
        port = self._targets.delivery_port
        return await ask(address, port, "GET", self._segment, *lines)

    async def _invented_viewer(self, address: str, number: int) -> str:
        port, path = self._targets.delivery_port, self._targets.watched
        return await ask(address, port, "GET", path, *_viewer(number))

    def _malformed(self, port: int) -> Attack:
        broken = itertools.cycle(
            [
                b"GET / HTTP/1.1\r\n\r\n",
                b"GET /\x00\x1b[2J HTTP/1.1\r\nHost: hv\r\n\r\n",
                b"NONSENSE\r\n\r\n",
                head("GET", "/v1/share/shr_0123456789012345678901/master.m3u8"),
                head("POST", "/v1/videos", "Content-Length: -1"),
                head("GET", "/" + "x" * 9000),
            ]
        )

        async def send(address: str, number: int) -> str:
            return await silent(port, next(broken))(address, number)

        return send

    async def _slow_name(self, address: str, number: int) -> str:
        url = f"https://name-{number}.{HANGS}/a.mp4"
        return await self._post(address, "upload", fileName="a.mp4", videoURL=url)

    async def _grant(self, address: str, _: int) -> str:
        return await self._post(address, "upload-url", fileName="a.mp4", fileSize=1000)

    async def _list(self, address: str, number: int) -> str:
        path = f"/v1/videos?search={number}"
        key = f"X-Api-Key: {self._targets.key}"
        return await ask(address, self._targets.api_port, "GET", path, key)

    async def _post(self, address: str, name: str, **body: object) -> str:
        lines = (f"X-Api-Key: {self._targets.key}", "Content-Type: application/json")
        data = json.dumps(body).encode()
        port, path = self._targets.api_port, f"/v1/videos/{name}"
        return await ask(address, port, "POST", path, *lines, body=data)


async def _slowly(reader: asyncio.StreamReader, every_s: float) -> AsyncIterator[bytes]:
    while piece := await reader.read(100):
        yield piece
        await asyncio.sleep(every_s)


def _viewer(number: int) -> tuple[str, str]:
    return f'CMCD-Session: sid="{number}"', f"User-Agent: player {number}"


def silent(port: int, beginning: bytes) -> Attack:
    """
    Send the beginning of a request, or what is none, and wait for an answer.
    """

    async def wait(address: str, _: int) -> str:
        async with connection(address, port) as (reader, writer):
            writer.write(beginning)
            return await outcome(reader)

    return wait


def attack_as(kind: type[Attackers]) -> None:
    """
    Attack, and print what came of it.
    """
    os.nice(kind.niceness)
    share_processors_as_nice()
    targets = cattrs.structure(json.load(sys.stdin), Targets)
    attackers = kind(targets)
    asyncio.run(attackers.run())
    attacked = Attacked(
        outcomes={name: dict(counts) for name, counts in attackers.outcomes.items()},
        processor_s=time.process_time(),
    )
    json.dump(cattrs.unstructure(attacked), sys.stdout)


if __name__ == "__main__":
    attack_as(Attackers)
