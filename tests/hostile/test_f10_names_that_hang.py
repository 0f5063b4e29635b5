"""
Fetch addresses whose names no server answers for.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.domain.access.keys import KeyType
from hvcore.settings import Settings
from tests.conftest import SettableClock
from tests.support.http.fixtures import open_world, settings_of
from tests.support.http.world import OTHER_ORG, World, body_of, problem_of
from tests.support.live import until

REQUESTS = 20
SHARE = 4


@pytest.fixture
def world(tmp_path: Path, clock: SettableClock) -> Iterator[World]:
    settings: Settings = settings_of(tmp_path)
    with build(settings, overrides={"clock": clock}) as services:
        services.migrate()
    with open_world(settings, clock) as world:
        world.names.set("inside.example", ["10.0.0.1"])
        for number in range(REQUESTS):
            world.names.hang(f"slow{number}.example", ["10.0.0.1"])
        try:
            yield world
        finally:
            world.names.released.set()


def fetch(world: World, host: str) -> str:
    wanted = {"fileName": "a.mp4", "videoURL": f"https://{host}/a.mp4"}
    return str(body_of(world.post("/v1/videos/upload", wanted))["assetId"])


def test_requests_do_not_wait_for_names_while_others_of_their_organization_hang(
    world: World,
) -> None:
    for number in range(REQUESTS):
        fetch(world, f"slow{number}.example")

    # All were answered, and no name is known yet. The first ones waited half
    # a second each, the others not at all.
    assert not world.names.released.is_set()
    assert world.names.asked == [f"slow{number}.example" for number in range(SHARE)]


def test_names_that_hang_are_no_matter_of_another_organization(world: World) -> None:
    for number in range(REQUESTS):
        fetch(world, f"slow{number}.example")
    theirs = world.make_key(KeyType.ENVIRONMENT, org=OTHER_ORG, env="theirs")
    wanted = {"fileName": "a.mp4", "videoURL": "https://inside.example/a.mp4"}

    answer = world.post("/v1/videos/upload", wanted, key=theirs)

    problem_of(answer, 400, "invalid_parameters")


def test_what_is_known_without_a_name_server_is_refused_even_then(
    world: World,
) -> None:
    for number in range(SHARE):
        fetch(world, f"slow{number}.example")

    for url in ("https://127.0.0.1/", "http://inside.example/", "https://a@b.example/"):
        answer = world.post("/v1/videos/upload", {"fileName": "a", "videoURL": url})
        problem_of(answer, 400, "invalid_parameters")


def test_an_address_that_nobody_could_judge_is_judged_by_the_fetch(
    world: World,
) -> None:
    video_id = fetch(world, "slow0.example")
    world.names.released.set()
    with world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(video_id)

    world.services.task_runs.run(task.id, worker="w", stopping=lambda: False)

    video = body_of(world.get(f"/v1/videos/{video_id}"))
    assert video["status"]["failed"] is True
    assert video["failureReason"] == (
        "The host slow0.example is not on the public internet."
    )


def test_lookups_that_ended_make_room_for_others(world: World) -> None:
    for number in range(SHARE):
        fetch(world, f"slow{number}.example")
    world.names.released.set()
    wanted = {"fileName": "a.mp4", "videoURL": "https://inside.example/a.mp4"}

    # The threads of the first ones end in their own time.
    until(
        lambda: world.post("/v1/videos/upload", wanted).status_code == 400,
        within_s=10,
    )
