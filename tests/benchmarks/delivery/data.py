"""
A service with private videos of chosen segment sizes, and what is asked of it.
"""

import os
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from hvcore.assembly import Services
from hvcore.domain.access.keys import KeyType
from hvcore.ports.storage import SupportsLocalPath
from hvcore.services.access.keys import KeyWanted
from tests.support.stores.published import ENV, ORG, Published, new_tenant, publish

SMALL, LARGE, PLAYLISTS = "300 kB", "4 MB", "playlist"
FILMS: Final = 8
SMALL_PX, LARGE_PX = 720, 1080
SMALL_BYTES, LARGE_BYTES = 300_000, 4_000_000
SMALL_COUNT, LARGE_COUNT = 6, 2
"""Six addresses with a token each make a playlist of 3 kB."""
TOKENS: Final = 1_000
PLAYLIST: Final = f"video-{SMALL_PX}p.m3u8"
VALID_S: Final = 86_400


@attrs.frozen(kw_only=True)
class Stock:
    """
    What there is to ask for.

    Attributes:
        environ: For the processes of the service.
        media: The local folder under which ``root`` of each film lies.
        signed: Films with a token each, in no order.
    """

    environ: Mapping[str, str] = attrs.field(repr=False)
    key: str = attrs.field(repr=False)
    media: Path
    films: Sequence[Published]
    signed: Sequence[tuple[Published, str]] = attrs.field(repr=False)

    def private_paths(self, names: Sequence[str]) -> list[str]:
        """
        Return an address of a file for each token.
        """
        return [
            private_path(film, names[number % len(names)], token)
            for number, (film, token) in enumerate(self.signed)
        ]


@attrs.frozen(kw_only=True)
class Case:
    """
    One kind of request: the same bytes from the service and as plain files.

    Attributes:
        ours: Addresses with tokens.
        plain: Addresses under the folder that a plain server serves.
    """

    name: str
    ours: Path
    plain: Path


def environ_of(data: Path, *, database: str, redis: str) -> dict[str, str]:
    """
    Return the environment of a service that limits nobody.
    """
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    return {
        **inherited,
        "HV_DATA": str(data),
        "HV_DATABASE__URL": database or f"sqlite:///{data}/hvcore.db",
        "HV_QUEUE__OPTIONS__URL": redis,
        "HV_LIMITS__ENABLED": "false",
    }


def private_path(film: Published, name: str, token: str) -> str:
    """
    Return the address of a file for who has a token.
    """
    return f"/v1/private/{film.id}/{name}?token={token}"


def small_names() -> list[str]:
    """
    Name the segments of 300 kB that each film has.
    """
    return [f"video/{SMALL_PX}p/{number}.m4s" for number in range(SMALL_COUNT)]


def large_names() -> list[str]:
    """
    Name those of 4 MB.
    """
    return [f"video/{LARGE_PX}p/{number}.m4s" for number in range(LARGE_COUNT)]


def make_stock(
    services: Services, environ: Mapping[str, str], *, tokens: int = TOKENS
) -> Stock:
    """
    Publish the films and issue tokens.
    """
    chance = random.Random(1)  # noqa: S311 - made-up data
    env = new_tenant(services)
    rungs = {
        SMALL_PX: [chance.randbytes(SMALL_BYTES) for _ in range(SMALL_COUNT)],
        LARGE_PX: [chance.randbytes(LARGE_BYTES) for _ in range(LARGE_COUNT)],
    }
    films = [publish(services, env, rungs) for _ in range(FILMS)]
    wanted = KeyWanted(type=KeyType.ENVIRONMENT, org_id=ORG, env=ENV)
    storage = services.storage
    assert isinstance(storage, SupportsLocalPath)
    return Stock(
        environ=environ,
        key=services.keys.create(wanted).value,
        media=storage.local_path("media"),
        films=films,
        signed=sign(services, films, tokens),
    )


def publish_short(services: Services, *, count: int) -> list[Published]:
    """
    Publish further videos, of one short segment.
    """
    env = services.tenants.environment(ORG, ENV)
    data = random.Random(2).randbytes(20_000)  # noqa: S311 - made-up data
    return [publish(services, env, {SMALL_PX: [data]}) for _ in range(count)]


def sign(
    services: Services, films: Sequence[Published], count: int
) -> list[tuple[Published, str]]:
    """
    Issue so many tokens, no two of them alike.
    """
    now = services.clock.now()
    found = []
    for number in range(count):
        film = films[number % len(films)]
        token = services.key_ring.issue(
            video_id=film.id, public_id=film.public_id, now=now, valid_s=VALID_S
        )
        found.append((film, token))
    random.Random(3).shuffle(found)  # noqa: S311 - made-up data
    return found


def segment_cases(stock: Stock, folder: Path) -> list[Case]:
    """
    Write down what is asked for of segments of both sizes.
    """
    made = []
    for name, names in ((SMALL, small_names()), (LARGE, large_names())):
        plain = [f"/{film.stored(one)}" for film in stock.films for one in names]
        stem = name.replace(" ", "")
        made.append(
            Case(
                name=name,
                ours=write_lines(folder / f"{stem}.ours", stock.private_paths(names)),
                plain=write_lines(folder / f"{stem}.plain", plain),
            )
        )
    return made


def playlist_case(stock: Stock, folder: Path, www: Path, text: bytes) -> Case:
    """
    Write down what is asked for of playlists.

    Args:
        www: What a plain server serves; a playlist is put there.
        text: One as the service has answered it, with a token in each address.
    """
    (www / PLAYLIST).write_bytes(text)
    ours = stock.private_paths([PLAYLIST])
    return Case(
        name=PLAYLISTS,
        ours=write_lines(folder / "playlist.ours", ours),
        plain=write_lines(folder / "playlist.plain", [f"/{PLAYLIST}"]),
    )


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    """
    Write a file that paths.lua reads.
    """
    path.write_text("".join(f"{line}\n" for line in lines))
    return path
