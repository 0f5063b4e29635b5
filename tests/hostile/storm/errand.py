"""
What the neighbour asks for: health, its API, and two videos, one of them private.
"""

import json
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from hvcore.assembly import Services
from tests.hostile.customers import Customer
from tests.hostile.storm.neighbour import SEGMENT, Ask, Errand
from tests.support.stores.published import ENV, publish

SEGMENT_BYTES: Final = 300_000
SEGMENTS: Final = 4
VIEWERS: Final = 2
"""One whose player names a session, and one with a token."""
_CONTENTS: Final = [bytes([number]) * SEGMENT_BYTES for number in range(SEGMENTS)]


def make_errand(
    neighbour: Customer, services: Services, *, api_port: int, delivery_port: int
) -> Errand:
    """
    Publish the neighbour's videos, and say what is asked for in turn.
    """
    watched = publish(services, neighbour.env, {720: _CONTENTS}, is_public=True)
    private = publish(services, neighbour.env, {720: _CONTENTS})
    signed = neighbour.ask("GET", f"/v1/videos/{private.id}/signed-url")["signed_url"]
    public = f"/v1/public/{neighbour.env.org_id}/{ENV}/{watched.id}"
    alone = neighbour.service.port
    return Errand(
        asks=[
            # Not through an edge: monitors ask the processes themselves.
            Ask(name="health", port=alone, path="/health"),
            Ask(name="health", port=alone + 1, path="/health/live"),
            *_api_asks(neighbour, api_port, watched.id, private.id),
            *_playback(delivery_port, public, "", 'CMCD-Session: sid="neighbour"'),
            *_playback(
                delivery_port,
                f"/v1/private/{private.id}",
                f"?{urlsplit(signed).query}",
            ),
        ]
    )


def _api_asks(
    neighbour: Customer, port: int, watched: str, private: str
) -> Iterator[Ask]:
    key = f"X-Api-Key: {neighbour.key}"

    def read(name: str, path: str) -> Ask:
        return Ask(name=name, port=port, path=path, lines=[key])

    yield read("list", "/v1/videos?search=film")
    yield read("details", f"/v1/videos/{watched}")
    yield read("signed address", f"/v1/videos/{private}/signed-url")
    yield Ask(
        name="change",
        port=port,
        path=f"/v1/videos/{private}",
        method="PATCH",
        lines=[key, "Content-Type: application/json"],
        body=json.dumps({"videoName": "Another film"}),
    )


def _playback(port: int, root: str, query: str, *lines: str) -> Iterator[Ask]:
    playlist = f"{root}/video-720p.m3u8{query}"
    yield Ask(name="playlist", port=port, path=playlist, lines=list(lines))
    for number in range(SEGMENTS):
        path = f"{root}/video/720p/{number}.m4s{query}"
        yield Ask(name=SEGMENT, port=port, path=path, lines=list(lines))
