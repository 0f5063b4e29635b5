"""
Two requests that change a video at the same moment: every member, both databases.
"""

from collections.abc import Iterator
from typing import Any, Final

import attrs
import pytest
from falcon.testing import Result

from hvcore.assembly import build
from hvcore.settings import DatabaseSettings
from hvcore.settings.tree import LimitSettings
from hvcore.wire.converter import fields_of
from hvcore.wire.videos.changes import VideoChangeRequest
from tests.conftest import SettableClock
from tests.persistence.samples import at_once
from tests.support.databases.migrated import lay_database
from tests.support.http.fixtures import open_world, settings_of
from tests.support.http.world import ORG, World, body_of, problem_of
from tests.support.servers import PostgresqlServer

pytestmark = pytest.mark.services

VALUES: Final[dict[str, tuple[object, object]]] = {
    "videoName": ("One", "Two"),
    "description": ("One.", "Two."),
    "allowPublicAccess": (False, False),
    "externalID": ("one", "two"),
    "metadata": ({"one": "1"}, {"one": "2"}),
    "tags": (["one"], ["two"]),
    "allowDownload": (True, True),
}
"""What two people make of each member; a video has none of it at first."""
ADDRESSES: Final = (f"/v1/api/{ORG}/videos", "/v1/videos")
"""One person calls Family A, the other one Family B."""


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def either(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    settings = attrs.evolve(
        settings_of(tmp_path_factory.mktemp("either")),
        limits=LimitSettings(enabled=False),
    )
    if request.param == "postgresql":
        server: PostgresqlServer = request.getfixturevalue("postgresql")
        url = DatabaseSettings(url=server.new_database())
        settings = attrs.evolve(settings, database=url)
    lay_database(settings)
    with build(settings, overrides={"clock": SettableClock()}) as services:
        services.migrate()
    with open_world(settings, SettableClock()) as world:
        yield world


@pytest.fixture
def video(either: World) -> Iterator[str]:
    made = either.ready()
    yield made
    # Its external ID is free again.
    body_of(either.delete(f"/v1/videos/{made}"))


def patch_both(
    world: World,
    video: str,
    documents: tuple[dict[str, object], dict[str, object]],
    headers: dict[str, str] | None = None,
) -> list[Any]:
    def send(number: int) -> Result:
        path = f"{ADDRESSES[number]}/{video}"
        return world.call("PATCH", path, json=documents[number], headers=headers)

    return at_once(send, threads=2)


def test_the_values_are_of_every_member() -> None:
    assert set(VALUES) == {spec.name for spec in fields_of(VideoChangeRequest)}


@pytest.mark.parametrize("member", VALUES)
def test_changes_of_different_members_both_hold(
    either: World, video: str, member: str
) -> None:
    other = "description" if member == "videoName" else "videoName"
    wanted = ({member: VALUES[member][0]}, {other: VALUES[other][1]})

    results = patch_both(either, video, wanted)

    for result in results:
        body_of(result)
    found = body_of(either.get(f"/v1/videos/{video}"))
    for name, value in (wanted[0] | wanted[1]).items():
        assert found["name" if name == "videoName" else name] == value


@pytest.mark.parametrize("member", VALUES)
def test_of_two_changes_of_a_member_one_is_refused(
    either: World, video: str, member: str
) -> None:
    seen = {"If-Match": either.get(f"/v1/videos/{video}").headers["ETag"]}
    one, two = ({member: value} for value in VALUES[member])

    results = patch_both(either, video, (one, two), seen)

    made, refused = sorted(results, key=lambda result: int(result.status_code))
    problem_of(refused, 412, "precondition_failed")
    found = either.get(f"/v1/videos/{video}")
    assert found.headers["ETag"] == made.headers["ETag"] != seen["If-Match"]
    name = "name" if member == "videoName" else member
    assert body_of(found)[name] == body_of(made)[name]


def test_keys_of_metadata_that_two_people_set_both_hold(
    either: World, video: str
) -> None:
    one, two = ({"metadata": {key: "x"}} for key in ("one", "two"))

    for result in patch_both(either, video, (one, two)):
        body_of(result)

    found = body_of(either.get(f"/v1/videos/{video}"))
    assert found["metadata"] == {"one": "x", "two": "x"}


def test_a_rename_leaves_a_video_private_that_another_request_made_private(
    either: World, video: str
) -> None:
    assert body_of(either.get(f"/v1/videos/{video}"))["allowPublicAccess"] is True
    wanted = ({"allowPublicAccess": False}, {"videoName": "Renamed"})

    for result in patch_both(either, video, wanted):
        body_of(result)

    found = body_of(either.get(f"/v1/videos/{video}"))
    assert (found["allowPublicAccess"], found["name"]) == (False, "Renamed")
