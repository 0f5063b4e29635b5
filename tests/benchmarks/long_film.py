"""
A film of twelve hours, the longest there is, and readers of its playlist.

Its playlist is as assembly writes it; of its segments, two are there.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from io import BytesIO
from typing import Final

import attrs

from hvcore.assembly import Services
from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType
from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import KeyId
from hvcore.domain.limits import MAX_SOURCE_DURATION_S, SEGMENT_S
from hvcore.manifests.hls import media_playlist
from tests.support.media_samples import segments, video_track
from tests.support.network.plain_http import Connection
from tests.support.stores.published import ENV, ORG, Published, new_tenant, publish

SEGMENTS: Final = MAX_SOURCE_DURATION_S // SEGMENT_S
PLAYLIST: Final = "video-720p.m3u8"
SEGMENT: Final = "video/720p/0.m4s"
SEGMENT_BYTES: Final = 100_000
VALID_S: Final = 7 * 86_400
DOMAINS: Final = [
    f"a-name-of-a-customer-that-is-as-long-as-names-may-well-become-{n}.example.com"
    for n in range(32)
]
PAGE: Final = {"Origin": f"https://{DOMAINS[0]}"}
LITTLE_ROOM_BYTES: Final = 16 * 1024
READERS_OF_ONE: Final = 50
_OPERATOR: Final = Principal(
    key_id=KeyId("key_operator"),
    type=KeyType.SYSTEM,
    org_id=None,
    env_id=None,
    permissions=ALL_PERMISSIONS,
)


@attrs.frozen(kw_only=True)
class LongFilm:
    """
    A film, and tokens for 32 pages.

    Attributes:
        token: As it is issued.
        old_token: As it was issued before, with all of the pages in it.
    """

    published: Published
    token: str = attrs.field(repr=False)
    old_token: str = attrs.field(repr=False)

    def path(self, name: str, token: str) -> str:
        """
        Return the address of a file.
        """
        return f"/v1/private/{self.published.id}/{name}?token={token}"


def publish_long_film(services: Services) -> LongFilm:
    """
    Publish it in an organization, which is made if it is not there.
    """
    is_there = any(org.id == ORG for org in services.tenants.organizations())
    env = services.tenants.environment(ORG, ENV) if is_there else new_tenant(services)
    film = publish(services, env, {720: [b"x" * SEGMENT_BYTES] * 2})
    text = media_playlist(video_track(of=segments([1000] * SEGMENTS)), target_s=6)
    services.storage.write(
        f"{film.root}/{PLAYLIST}", BytesIO(text.encode()), content_type=""
    )
    signed = services.playback.sign(
        _OPERATOR, ORG, film.id, expires_in_s=VALID_S, domains=DOMAINS
    )
    old_token = services.key_ring.issue(
        video_id=film.id,
        public_id=film.public_id,
        now=services.clock.now(),
        valid_s=VALID_S,
        domains=DOMAINS,
    )
    return LongFilm(
        published=film, token=signed.url.partition("?token=")[2], old_token=old_token
    )


@contextmanager
def idle_readers(
    port: int, path: str, headers: Mapping[str, str], *, count: int
) -> Iterator[list[int]]:
    """
    Have readers who take the beginning of an answer and then nothing more.

    Yields: How long the answer of each is.
    """
    with ExitStack() as stack:
        found = []
        for number in range(count):
            # Of one address a server may take so many and no more.
            source = f"127.0.{1 + number // READERS_OF_ONE}.1"
            made = Connection(port, buffer_bytes=LITTLE_ROOM_BYTES, source=source)
            reader = stack.enter_context(closing(made))
            reader.send("GET", path, headers)
            head = reader.head("GET")
            if head.status != 200:
                raise AssertionError(f"{path} is answered with {head.status}")
            found.append(head.length_bytes)
        yield found
