"""
Videos are deleted and links revoked while everybody watches.

A client asks for a file on several connections, deletes its video or revokes
the link to it, and asks again on all of them as soon as that is answered. No
such answer may be a 200, whichever process gives it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Final

import attrs

from hvcore.domain.ids import VideoId
from tests.benchmarks.delivery.data import (
    SMALL_PX,
    Stock,
    private_path,
)
from tests.benchmarks.delivery.servers import Server
from tests.support.live import Answer, request
from tests.support.network.plain_http import Connection
from tests.support.stores.published import Published

ENDINGS: Final = 1_000
CONNECTIONS: Final = 8
"""Of the client that checks, to each server: some to every process."""
SEGMENT: Final = f"video/{SMALL_PX}p/0.m4s"


@attrs.frozen(kw_only=True)
class Doomed:
    """
    What can be watched until it is ended.

    Attributes:
        kind: How it ends.
        ending: The API's address that a DELETE goes to.
        paths: What must not be served afterwards.
    """

    kind: str
    ending: str
    paths: Sequence[str] = attrs.field(repr=False)


@attrs.define
class Endings:
    """
    The counts of deletions and answers.

    Attributes:
        late: Answers 200 that began after the end was answered, by kind.
        odd: Everything else that should not be.
    """

    done: Counter[str] = attrs.field(factory=Counter)
    checked: int = 0
    late: Counter[str] = attrs.field(factory=Counter)
    odd: Counter[str] = attrs.field(factory=Counter)


def doomed_videos(signed: Sequence[tuple[Published, str]]) -> Iterator[Doomed]:
    """
    Yield videos that are deleted.
    """
    for film, token in signed:
        yield Doomed(
            kind="deleted",
            ending=f"/v1/videos/{film.id}",
            paths=[private_path(film, name, token) for name in _files()],
        )


def doomed_links(
    api: Server, worker: Server, stock: Stock, count: int
) -> Iterator[Doomed]:
    """
    Yield links that are revoked: edge keys and share links in turn.
    """
    for number in range(count):
        film = stock.films[number % len(stock.films)]
        if number % 2:
            yield _edge_key(api, stock.key, film.id)
        else:
            yield _share_link(api, worker, stock.key, film.id)


def end_all(
    api: Server, servers: Sequence[Server], key: str, doomed: Sequence[Doomed]
) -> Endings:
    """
    End one after the other, and look at once whether anything is still served.

    Args:
        servers: All that must obey.
    """
    seen = Endings()
    with ExitStack() as stack:
        connections = []
        for server in servers:
            for _ in range(CONNECTIONS):
                connections.append(Connection(server.port))
                stack.callback(connections[-1].close)
        for one in doomed:
            for path in one.paths:
                before = _statuses(connections, path)
                seen.odd["not served before"] += before.total() - before[200]
            answer = _call(api, key, "DELETE", one.ending)
            seen.odd[f"DELETE: {answer.status}"] += answer.status != 200
            for path in one.paths:
                after = _statuses(connections, path)
                seen.checked += after.total()
                seen.late[one.kind] += after[200]
                for status in after.keys() - {200, 401, 403, 404, 410}:
                    seen.odd[f"answered {status}"] += after[status]
            seen.done[one.kind] += 1
    return seen


def tell(seen: Endings) -> None:
    """
    Print the counts of deletions and answers.
    """
    done = ", ".join(f"{count} x {kind}" for kind, count in seen.done.items())
    print(f"\n{done}; {seen.checked:,} answers afterwards")
    print(f"late answers 200: {seen.late.total()}   goal 0")
    for what, count in (+seen.odd).items():
        print(f"odd: {what}, {count} times")


def _statuses(connections: Sequence[Connection], path: str) -> Counter[int]:
    """
    Ask on all connections at once; nobody's answer is waited for before.
    """
    for connection in connections:
        connection.send("GET", path, {})
    found: Counter[int] = Counter()
    for connection in connections:
        head = connection.head("GET")
        connection.read(head.length_bytes)
        found[head.status] += 1
    return found


def _files() -> list[str]:
    return ["master.m3u8", SEGMENT]


def _edge_key(api: Server, key: str, video: VideoId) -> Doomed:
    body = _made(api, key, f"/v1/videos/{video}/edge-keys")
    edge_key = body["edgeKey"]
    return Doomed(
        kind="edge key revoked",
        ending=f"/v1/edge-keys/{edge_key}",
        paths=[f"/v1/{edge_key}/{name}" for name in _files()],
    )


def _share_link(api: Server, worker: Server, key: str, video: VideoId) -> Doomed:
    body = _made(api, key, f"/v1/videos/{video}/share")
    share = body["shareID"]
    master = request("GET", f"{worker.url}/v1/share/{share}/master.m3u8").data.decode()
    # A session of a viewer who is watching.
    token = master.partition("token=")[2].partition("\n")[0].partition('"')[0]
    return Doomed(
        kind="share link revoked",
        ending=f"/v1/videos/{video}/shares/{share}",
        paths=[f"/v1/share/{share}/{name}?token={token}" for name in _files()],
    )


def _made(api: Server, key: str, path: str) -> Mapping[str, str]:
    answer = _call(api, key, "POST", path)
    if answer.status not in {200, 201}:
        raise SystemExit(f"POST {path}: {answer.status} {answer.data!r}")
    made: Mapping[str, str] = answer.body
    return made


def _call(api: Server, key: str, method: str, path: str) -> Answer:
    return request(method, f"{api.url}{path}", headers={"X-Api-Key": key})
