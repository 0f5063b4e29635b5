"""
``hv videos update``, without a running service.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hvcore.assembly import build
from hvcore.settings import load
from hvcore.wire.converter import fields_of
from hvcore.wire.videos.changes import VideoChangeRequest
from tests.cli.conftest import Hv
from tests.persistence.samples import video

CHANGES: dict[str, tuple[list[str], object, list[str], object]] = {
    "videoName": (["--name", "New"], "New", ["--name", "Newer"], "Newer"),
    "description": (["--description", "x"], "x", ["--description", ""], None),
    "allowPublicAccess": (["--public"], True, ["--private"], False),
    "allowDownload": (["--download"], True, ["--no-download"], None),
    "externalID": (["--external-id", "1"], "1", ["--external-id", ""], None),
    "tags": (["--tag", "a", "--tag", "b"], ["a", "b"], ["--tag", ""], None),
    "metadata": (["--metadata", "a=b=c"], {"a": "b=c"}, ["--metadata", "a="], None),
}
"""What changes a member and what it is then, twice."""

Show = Callable[[], dict[str, Any]]


@pytest.fixture
def clip(prepared: Hv, tmp_path: Path) -> str:
    made = video(org_id="org_local", env_id="live")
    settings = load(config_path=None, environ={}, data_dir=tmp_path / "hv-data")
    with build(settings.settings) as services, services.uow.write() as work:
        env = services.tenants.environment("org_local", "live")
        made.env_id = env.id
        work.videos.add(made)
        work.commit()
    return made.id


@pytest.fixture
def shown(prepared: Hv, clip: str) -> Show:
    def show() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            prepared("videos", "show", clip, "--json").stdout
        )
        # Named otherwise in details than in changes.
        return found | {"videoName": found["name"]}

    return show


def test_every_member_of_a_change_is_an_option() -> None:
    assert set(CHANGES) == {spec.name for spec in fields_of(VideoChangeRequest)}


@pytest.mark.parametrize("member", CHANGES)
def test_an_update_changes_the_named_members_alone(
    prepared: Hv, clip: str, shown: Show, member: str
) -> None:
    first, value, second, later = CHANGES[member]
    before = shown()

    made = prepared("videos", "update", clip, *first)

    now = shown()
    assert made.status == 0, made.stderr
    assert now["etag"] in made.stdout
    changed = {name for name in {*before, *now} if before.get(name) != now.get(name)}
    own = {"videoName", "name"} if member == "videoName" else {member}
    moving = {"thumbnailUrl", "playback"}
    assert changed - moving == own | {"etag"}
    assert now[member] == value
    assert prepared("videos", "update", clip, *second).status == 0
    assert shown().get(member) == later


def test_a_video_that_somebody_has_changed_is_not_changed(
    prepared: Hv, clip: str, shown: Show
) -> None:
    seen = shown()["etag"]
    # Shells take the quotes away.
    bare = seen.strip('"')
    first = prepared("videos", "update", clip, "--name", "A", "--if-match", bare)
    assert first.status == 0

    for late in (seen, bare, f"W/{seen}"):
        refused = prepared("videos", "update", clip, "--private", "--if-match", late)
        assert refused.status == 1
        assert "read it again" in refused.stderr
    again = prepared(
        *("videos", "update", clip, "--name", "B", "--json"),
        *("--if-match", shown()["etag"]),
    )
    assert json.loads(again.stdout)["etag"] == shown()["etag"] != seen


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--name"),
        (("--metadata", "key"), "KEY=VALUE"),
        (("--metadata", "=value"), "KEY=VALUE"),
    ],
)
def test_words_that_change_nothing_are_wrong_usage(
    prepared: Hv, clip: str, words: tuple[str, ...], said: str
) -> None:
    outcome = prepared("videos", "update", clip, *words)

    assert outcome.status == 2
    assert said in outcome.stderr


def test_a_name_must_not_be_empty(prepared: Hv, clip: str) -> None:
    outcome = prepared("videos", "update", clip, "--name", "")

    assert outcome.status == 1
    assert "videoName must not be empty" in outcome.stderr
