"""
The way of a request for a segment through the code of delivery.
"""

import ast
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Final

import attrs
import pytest

import hvcore
import hvcore_delivery.published
from hvcore.assembly import Services
from hvcore.domain.playback.viewer import Viewer
from hvcore.services.playback.delivery import PlaybackRequest
from hvcore.services.playback.responses import PlaybackResponse, StoredFile
from tests.support.stores.published import (
    ENV,
    ORG,
    Published,
    migrate,
    new_tenant,
    publish,
    services_of,
)

MAX_FILES: Final = 14
MAX_RETURNS: Final = 6
ROOT: Final = Path(hvcore.__file__).parents[1]
OURS: Final = tuple(f"{ROOT / name}/" for name in ("hvcore", "plugins", "apps"))


@attrs.frozen
class Stay:
    """
    Functions of one file that were called one after the other.
    """

    file: str
    functions: list[str]


@attrs.frozen
class Trip:
    """
    The stays in files of ours between a call and its answer, in their order.
    """

    stays: Sequence[Stay]

    @property
    def files(self) -> int:
        return len({stay.file for stay in self.stays})

    @property
    def returns(self) -> int:
        """
        Return the number of times that the call came back into a file.
        """
        return len(self.stays) - self.files

    def __str__(self) -> str:
        seen = set[str]()
        lines = [f"{self.files} files, {self.returns} returns"]
        for stay in self.stays:
            mark = "again" if stay.file in seen else "     "
            seen.add(stay.file)
            lines.append(f"{mark} {stay.file}: {', '.join(stay.functions)}")
        return "\n".join(lines)


def follow(call: Callable[[], PlaybackResponse]) -> Trip:
    """
    Return the trip of a call, which must answer with a stored file.
    """
    stays: list[Stay] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(OURS):
            return
        if not stays or stays[-1].file != file.removeprefix(f"{ROOT}/"):
            stays.append(Stay(file.removeprefix(f"{ROOT}/"), []))
        stays[-1].functions.append(frame.f_code.co_qualname)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        response = call()
    finally:
        sys.setprofile(before)
    assert isinstance(response.body, StoredFile)
    return Trip(stays)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    environ = {"HV_DATA": str(tmp_path_factory.mktemp("service"))}
    migrate(environ)
    with services_of(environ) as services:
        yield services


@pytest.fixture(scope="module")
def film(services: Services) -> Published:
    env = new_tenant(services)
    return publish(services, env, {720: [b"segment"] * 3}, is_public=True)


def segment(film: Published, number: int) -> PlaybackRequest:
    return PlaybackRequest(
        environment=(ORG, ENV),
        video=film.public_id,
        file=f"video/720p/{number}.m4s",
        viewer=Viewer(),
    )


@pytest.mark.parametrize("number", [1, 2], ids=["another segment", "the same segment"])
def test_a_public_segment_comes_through_few_files_and_seldom_back(
    services: Services, film: Published, number: int
) -> None:
    """
    Of a video that is watched: its permission and its media index are in memory.
    """
    services.delivery.open(segment(film, 0))
    services.delivery.open(segment(film, 2))

    trip = follow(lambda: services.delivery.open(segment(film, number)))

    print(trip)  # noqa: T201 - for who wants to read along: pytest -s
    assert trip.stays[0].functions[0] == "Delivery.open"
    assert trip.files <= MAX_FILES, str(trip)
    assert trip.returns <= MAX_RETURNS, str(trip)


def test_the_opener_of_published_files_reaches_through_none_of_its_parts() -> None:
    tree = ast.parse(Path(hvcore_delivery.published.__file__).read_text())

    reached = [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and isinstance(node.value.value, ast.Attribute)
    ]

    assert reached == []
