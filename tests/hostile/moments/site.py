"""
Two organizations with a film each, and a delivery process that makes pictures of moments.
"""

import itertools
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Final

import attrs
from PIL import Image

from hvcore.assembly import Services
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.media_paths import moments_prefix, posters_prefix
from tests.benchmarks.delivery.servers import Server, running_delivery
from tests.hostile.strangers import Answer, ask
from tests.support.stores.published import (
    ENV,
    SEGMENT_S,
    Published,
    migrate,
    publish,
    services_of,
)
from tests.torture.delivery_fleet import plain_environ

SEGMENTS: Final = 5
CONNECTIONS: Final = 3
"""Of each stranger: one more than a client's share of pictures being made."""
_EDGE_PX: Final = 360


@attrs.frozen(kw_only=True)
class MomentSite:
    """
    A delivery process, and a public film of each of two organizations.

    Attributes:
        environ: The settings of the service.
        attacked: The film whose moments strangers ask for.
    """

    server: Server
    environ: dict[str, str]
    attacked: Published
    other: Published

    def moment(self, film: Published, name: str, time_s: float, address: str) -> Answer:
        """
        Ask for a picture at a moment on a connection of its own.
        """
        path = f"/t/{film.id}/{name}?time={time_s:.1f}"
        return ask(self.server.port, path, address=address)

    def kept(self, film: Published) -> int:
        """
        Return the number of pictures at moments of a film in the storage.
        """
        with services_of(self.environ) as services:
            return sum(
                1 for _ in services.storage.walk(moments_prefix(film.id, film.root))
            )

    def fill(self, film: Published, count: int) -> None:
        """
        Keep pictures of a film that nobody has asked for lately.
        """
        folder = moments_prefix(film.id, film.root)
        with services_of(self.environ) as services:
            for number in range(count):
                path = f"{folder}/{number}-9x9.jpg"
                services.storage.write(path, BytesIO(b"x"), content_type="image/jpeg")


@attrs.define(kw_only=True)
class Storm:
    """
    The answers to strangers so far.
    """

    begun: float = attrs.field(factory=time.monotonic)
    statuses: list[int] = attrs.field(factory=list)

    @property
    def made(self) -> int:
        """
        The pictures that they got.
        """
        return self.statuses.count(200)


@contextmanager
def moment_site(folder: Path) -> Iterator[MomentSite]:
    """
    Run ``hv delivery`` until the block ends.
    """
    environ = dict(plain_environ(folder / "data"))
    migrate(environ)
    init, segments = _film(folder)
    with services_of(environ) as services:
        films = [
            _published(services, org, init, segments) for org in ("org_a", "org_b")
        ]
    with running_delivery(environ, folder / "log") as server:
        yield MomentSite(
            server=server, environ=environ, attacked=films[0], other=films[1]
        )


@contextmanager
def moments_asked_for(site: MomentSite, addresses: Sequence[str]) -> Iterator[Storm]:
    """
    Have strangers ask for every moment of a film in every size, until the block ends.
    """
    over = threading.Event()
    storm = Storm()
    # Each once: every tenth of a second, in one size after the other.
    wanted = itertools.product(range(64, 4_000), range(int(SEGMENTS * SEGMENT_S * 10)))
    lock = threading.Lock()

    def attack(address: str) -> None:
        while not over.is_set():
            with lock:
                side, tenths = next(wanted)
            name = f"{side}x64.jpg"
            answer = site.moment(site.attacked, name, tenths / 10, address)
            storm.statuses.append(answer.status)
            if answer.status != 200:
                # They heed no time to retry; this one only bounds their number.
                over.wait(0.2)

    with ThreadPoolExecutor(CONNECTIONS * len(addresses)) as pool:
        attacks = [
            pool.submit(attack, address)
            for address in addresses
            for _ in range(CONNECTIONS)
        ]
        try:
            yield storm
        finally:
            over.set()
    for one in attacks:
        one.result()


def _film(folder: Path) -> tuple[bytes, Sequence[bytes]]:
    """
    Return the init segment and the segments of a film, as an encoder makes them.
    """
    ffmpeg = shutil.which("ffmpeg")
    assert ffmpeg is not None
    made = folder / "film"
    made.mkdir(parents=True)
    source = f"testsrc2=size=640x{_EDGE_PX}:rate=30:duration={SEGMENTS * SEGMENT_S}"
    frames = str(int(SEGMENT_S * 30))
    subprocess.run(
        [
            *(ffmpeg, "-v", "error", "-f", "lavfi", "-i", source),
            *("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"),
            *("-g", frames, "-keyint_min", frames, "-sc_threshold", "0"),
            *("-f", "hls", "-hls_segment_type", "fmp4", "-hls_playlist_type", "vod"),
            *("-hls_time", str(SEGMENT_S), "-hls_segment_filename", "%d.m4s"),
            *("-hls_fmp4_init_filename", "init.mp4", "film.m3u8"),
        ],
        cwd=made,
        check=True,
    )
    segments = [(made / f"{number}.m4s").read_bytes() for number in range(SEGMENTS)]
    return (made / "init.mp4").read_bytes(), segments


def _published(
    services: Services, org: str, init: bytes, segments: Sequence[bytes]
) -> Published:
    services.tenants.create_organization(org)
    env = services.tenants.create_environment(org, ENV, EnvironmentKind.PRODUCTION)
    film = publish(services, env, {_EDGE_PX: segments}, is_public=True, init=init)
    path = f"{posters_prefix(film.id)}/chosen.jpg"
    picture = BytesIO()
    Image.effect_noise((640, _EDGE_PX), 60).convert("RGB").save(picture, "JPEG")
    services.storage.write(path, BytesIO(picture.getvalue()), content_type="image/jpeg")
    with services.uow.write() as work:
        video = work.videos.find(film.id)
        assert video is not None
        video.choose_picture(path)
        work.videos.save(video)
        work.commit()
    return film
