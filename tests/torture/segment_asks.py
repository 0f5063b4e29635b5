"""
The ways to ask for a segment, and the answer that each must have.
"""

import random
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias

import attrs

from tests.support.stores.published import ENV, ORG, Published

OWN_BUFFER_BYTES: Final = 64 * 1024
"""What a client that leaves lets its kernel take in before it is read."""
LONG_ONE_IN: Final = 150
"""How many segments are too long for any buffer, where that is not the point."""

Place: TypeAlias = tuple[str, int]
"""A video and the short edge of a rung."""


class Way(Enum):
    """
    How a segment is asked for.
    """

    WHOLE = "whole"
    BEGINNING = "range from 0"
    PART = "range from later on"
    CHANGED = "range of another version"
    HEAD = "head"
    KNOWN = "conditional"
    BEHIND = "range behind the end"
    UNSIGNED = "without a token"
    LEFT = "left in the middle"


WAYS: Final[Mapping[Way, int]] = {
    Way.WHOLE: 47,
    Way.BEGINNING: 15,
    Way.PART: 12,
    Way.CHANGED: 3,
    Way.HEAD: 7,
    Way.KNOWN: 7,
    Way.BEHIND: 2,
    Way.UNSIGNED: 2,
    Way.LEFT: 5,
}
"""How often each is chosen."""


def unbuffered_bytes() -> int:
    """
    Return a length of which kernels do not hold half for who does not read.

    The sender's takes up to net.ipv4.tcp_wmem by itself and twice
    net.core.wmem_max if it is told to, the receiver's twice OWN_BUFFER_BYTES.
    """
    system = Path("/proc/sys/net")
    by_itself = int((system / "ipv4" / "tcp_wmem").read_text().split()[2])
    wmem_bytes = 2 * int((system / "core" / "wmem_max").read_text())
    return 2 * (max(by_itself, wmem_bytes) + 2 * OWN_BUFFER_BYTES)


@attrs.frozen(kw_only=True, eq=False)
class Film:
    """
    A video, and what every byte of it must be.

    Attributes:
        long_px: The rung whose segments no buffer holds.
        tokens: Some of many; none where the video is public.
    """

    video: Published
    rungs: Mapping[int, Sequence[bytes]] = attrs.field(repr=False)
    long_px: int
    tokens: Sequence[str] = attrs.field(default=(), repr=False)


@attrs.frozen(kw_only=True, eq=False)
class Ask:
    """
    One request and the answer that it must have.

    Attributes:
        headers: Of the request.
        counts: Its complete answer is a segment that was served: it has more than
            half of it.
        body: None where only the status is known before.
        reads_bytes: What is read before the client leaves.
    """

    way: Way
    place: Place
    path: str = attrs.field(repr=False)
    headers: Mapping[str, str]
    status: int
    counts: bool
    size_bytes: int
    body: bytes | None = attrs.field(repr=False)
    reads_bytes: int

    @property
    def method(self) -> str:
        """
        Of the request.
        """
        return "HEAD" if self.way is Way.HEAD else "GET"


def choose(films: Sequence[Film], chance: random.Random) -> Ask:
    """
    Return a request for one segment of all.
    """
    (way,) = chance.choices(list(WAYS), list(WAYS.values()))
    film = chance.choice(films)
    height_px = film.long_px
    if way is not Way.LEFT and chance.randrange(LONG_ONE_IN):
        height_px = chance.choice([px for px in film.rungs if px != film.long_px])
    number = chance.randrange(len(film.rungs[height_px]))
    if way is Way.UNSIGNED and not film.tokens:
        way = Way.WHOLE
    content = film.rungs[height_px][number]
    status, headers, first, end = _asked(way, len(content), chance)
    has_body = way not in {Way.BEHIND, Way.UNSIGNED}
    is_sent = has_body and way not in {Way.HEAD, Way.KNOWN, Way.LEFT}
    return Ask(
        way=way,
        place=(film.video.id, height_px),
        path=_path(film, f"video/{height_px}p/{number}.m4s", way, chance),
        headers=headers,
        status=status,
        counts=is_sent and 2 * (end - first) > len(content),
        size_bytes=end - first,
        body=content[first:end] if has_body else None,
        reads_bytes=chance.choice([0, 1, 10_000, OWN_BUFFER_BYTES]),
    )


def _asked(
    way: Way, size: int, chance: random.Random
) -> tuple[int, Mapping[str, str], int, int]:
    """
    Return the answer's status, the request's headers, and what is sent of all.
    """
    if way is Way.BEGINNING:
        end = chance.choice([1, size // 2, size // 2 + 1, size, size])
        return 206, {"Range": f"bytes=0-{'' if end == size else end - 1}"}, 0, end
    if way is Way.PART:
        first = chance.choice([1, size // 3, size // 2, size - 1])
        return 206, {"Range": f"bytes={first}-"}, first, size
    if way is Way.CHANGED:
        return 200, {"Range": "bytes=1-", "If-Range": '"another"'}, 0, size
    if way is Way.BEHIND:
        return 416, {"Range": f"bytes={size}-"}, 0, 0
    if way is Way.KNOWN:
        return 304, {"If-None-Match": "*"}, 0, 0
    return 401 if way is Way.UNSIGNED else 200, {}, 0, size


def _path(film: Film, name: str, way: Way, chance: random.Random) -> str:
    if not film.tokens:
        return f"/v1/public/{ORG}/{ENV}/{film.video.id}/{name}"
    token = "" if way is Way.UNSIGNED else chance.choice(film.tokens)
    query = f"?token={token}" if token else ""
    return f"/v1/private/{film.video.id}/{name}{query}"
