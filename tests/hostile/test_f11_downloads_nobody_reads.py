"""
Somebody begins downloads of files in an object store, and reads nothing of them.

From an address for each, so that no share of a client stops it.
"""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from typing import Final

import attrs
import pytest

from hvcore.playback_tokens import TokenUse
from hvcore.progressive.head import VERSION
from tests.benchmarks.delivery.servers import Server, running_delivery
from tests.hostile.strangers import OTHER, ask, assert_answered, connect, head
from tests.support.stores.object_store import environ_of_bucket, new_bucket, s3_server
from tests.support.stores.published import (
    ENV,
    ORG,
    migrate,
    new_tenant,
    publish,
    services_of,
)
from tests.torture.delivery_fleet import plain_environ

pytestmark = pytest.mark.services

READERS: Final = 60
"""More than delivery has threads."""
SEGMENT_BYTES: Final = 3 * 1024 * 1024 + 1
SEGMENTS: Final = 4
"""Eleven of these downloads would take all the memory that unsent answers have."""
MOVIE: Final = "downloads/360p.mp4"
SOURCE: Final = "source.mp4"
HEAD: Final = b"a head that was made before"


@attrs.frozen(kw_only=True)
class Shop:
    """
    A delivery process whose files lie in an object store, and a video to take away.

    Attributes:
        movie: What a download has.
        source: Where the source is, and what it has.
    """

    server: Server
    root: str
    movie: bytes = attrs.field(repr=False)
    source: tuple[str, bytes] = attrs.field(repr=False)

    @property
    def others_ask(self) -> dict[str, int]:
        """
        What those want who take nothing away.
        """
        playlists = ("master.m3u8", "video-360p.m3u8")
        return {f"{self.root}/{name}": 200 for name in playlists}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    folder = tmp_path_factory.mktemp("f11")
    chance = random.Random(11)  # noqa: S311 - made-up data
    segments = [chance.randbytes(SEGMENT_BYTES) for _ in range(SEGMENTS)]
    with s3_server() as endpoint:
        bucket = new_bucket(endpoint)
        environ = plain_environ(folder / "data", **environ_of_bucket(endpoint, bucket))
        migrate(environ)
        with services_of(environ) as services:
            film = publish(
                services, new_tenant(services), {360: segments}, is_public=True
            )
            services.storage.write(
                f"{film.root}/{MOVIE}.{VERSION}.head", BytesIO(HEAD), content_type=""
            )
            with services.uow.write() as work:
                video = work.videos.find(film.id)
                assert video is not None
                video.allows_download = True
                work.videos.save(video)
                work.commit()
            source = b"".join(segments)
            services.storage.write(video.source_path, BytesIO(source), content_type="")
            token = services.key_ring.issue(
                video_id=film.id,
                public_id=film.public_id,
                now=services.clock.now(),
                valid_s=3600,
                use=TokenUse.SOURCE,
            )
        with running_delivery(environ, folder / "log") as server:
            yield Shop(
                server=server,
                root=f"/v1/public/{ORG}/{ENV}/{film.id}",
                movie=HEAD + source,
                source=(f"/v1/private/{film.id}/{SOURCE}?token={token}", source),
            )


@pytest.mark.parametrize(
    "kind", ["movie", pytest.param("source", marks=pytest.mark.long)]
)
def test_downloads_that_nobody_reads_hold_up_nobody(shop: Shop, kind: str) -> None:
    port = shop.server.port
    path, wanted = f"{shop.root}/{MOVIE}", shop.movie
    if kind == "source":
        path, wanted = shop.source
    with ExitStack() as stack:
        for number in range(READERS):
            address = f"127.0.1.{number + 1}"
            sock = stack.enter_context(connect(port, address, buffer_bytes=2048))
            sock.sendall(head("GET", path))
            assert sock.recv(12) == b"HTTP/1.1 200"

        assert_answered(port, shop.others_ask)

        # Nor those who do read theirs.
        assert ask(port, path).body == wanted
        part = ask(port, path, "Range: bytes=70000-9000000", address=OTHER)
        assert part.body == wanted[70_000:9_000_001]
