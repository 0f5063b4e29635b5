"""
Two organizations with pictured videos, and a delivery process that makes sizes of them.
"""

import itertools
import random
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Final

import attrs
from PIL import Image

from hvcore.assembly import Services
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import VideoId
from hvcore.domain.limits import MAX_THUMBNAIL_PX
from hvcore.domain.media_paths import posters_prefix
from tests.benchmarks.delivery.servers import Server, running_delivery
from tests.hostile.strangers import ATTACKER, Answer, ask
from tests.support.stores.published import ENV, migrate, publish, services_of
from tests.torture.delivery_fleet import plain_environ

CONNECTIONS: Final = 8


@attrs.frozen(kw_only=True)
class PictureSite:
    """
    A delivery process, and public videos with the largest pictures.

    Attributes:
        attacked: Videos of the organization whose sizes somebody asks for.
    """

    server: Server
    attacked: Sequence[VideoId]
    other: Sequence[VideoId]

    def ask(self, video: VideoId, size: str, address: str) -> Answer:
        """
        Ask for a picture on a connection of its own.
        """
        return ask(self.server.port, f"/t/{video}/{size}.jpg", address=address)


@contextmanager
def picture_site(folder: Path, videos: int) -> Iterator[PictureSite]:
    """
    Run ``hv delivery`` until the block ends.
    """
    environ = plain_environ(folder / "data")
    migrate(environ)
    with services_of(environ) as services:
        published = [
            [_pictured(services, env) for _ in range(videos)]
            for env in (_tenant(services, org) for org in ("org_a", "org_b"))
        ]
    with running_delivery(environ, folder / "log") as server:
        yield PictureSite(server=server, attacked=published[0], other=published[1])


@contextmanager
def sizes_asked_for(site: PictureSite) -> Iterator[list[int]]:
    """
    Have one client ask for large sizes, all of them new, until the block ends.

    Gives the statuses of its answers.
    """
    over = threading.Event()
    # Each size once, and none of them small.
    sides = random.Random(7).sample(range(3000, MAX_THUMBNAIL_PX), 800)  # noqa: S311 - made-up data
    sizes = itertools.product(site.attacked, sides, sides)
    statuses: list[int] = []

    def attack() -> None:
        while not over.is_set():
            video, width_px, height_px = next(sizes)
            answer = site.ask(video, f"{width_px}x{height_px}", ATTACKER)
            statuses.append(answer.status)

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        attacks = [pool.submit(attack) for _ in range(CONNECTIONS)]
        try:
            yield statuses
        finally:
            over.set()
    for one in attacks:
        one.result()


def _tenant(services: Services, org: str) -> Environment:
    services.tenants.create_organization(org)
    return services.tenants.create_environment(org, ENV, EnvironmentKind.PRODUCTION)


def _pictured(services: Services, env: Environment) -> VideoId:
    film = publish(services, env, {720: [b"x" * 2000]}, is_public=True)
    made = BytesIO()
    # As much to decode as a photograph.
    noise = Image.effect_noise((MAX_THUMBNAIL_PX // 16, MAX_THUMBNAIL_PX // 16), 60)
    noise.resize((MAX_THUMBNAIL_PX, MAX_THUMBNAIL_PX)).convert("RGB").save(made, "JPEG")
    path = f"{posters_prefix(film.id)}/chosen.jpg"
    services.storage.write(path, BytesIO(made.getvalue()), content_type="image/jpeg")
    with services.uow.write() as work:
        video = work.videos.find(film.id)
        assert video is not None
        video.choose_picture(path)
        work.videos.save(video)
        work.commit()
    return film.id
