"""
Two people who have opened the same form, and both send it.
"""

import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.videos.labels import Labels
from hvcore.domain.videos.video import VideoChanges
from tests.dashboard.sent_forms import form_of
from tests.dashboard.world import VIDEOS, DashboardWorld


def test_a_rename_keeps_a_video_private_that_somebody_has_made_so(
    dashboard: DashboardWorld,
) -> None:
    video_id = dashboard.world.ready(is_public=True)
    path = f"{VIDEOS}/{video_id}"
    first, second = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.EDITOR)
    seen = second.get(path)

    first.submit(path, {"access": "private", "description": "theirs"})
    answer = second.submit(path, {"videoName": "renamed"}, seen=seen)

    video = dashboard.video(video_id)
    assert answer.status_code == 303
    assert (video.name, video.is_public) == ("renamed", False)
    assert video.description == "theirs"


@pytest.mark.parametrize(
    ("field", "theirs", "mine", "is_shown"),
    [
        ("videoName", "theirs", "mine", "theirs"),
        ("description", "their\nlines", "mine", "their<br>lines"),
        ("externalID", "4711", "4712", "4711"),
        ("tags", "red, blue", "green", "red, blue"),
        ("metadata", "kept: 1\norder: 2", "kept: 1\norder: 3", "order: 2"),
        ("metadata", "kept: 1", "kept: 1\norder: 3", "order:"),
    ],
)
def test_a_field_that_both_have_changed_is_asked_about(
    dashboard: DashboardWorld, field: str, theirs: str, mine: str, is_shown: str
) -> None:
    video_id = dashboard.world.ready()
    labels = Labels(metadata=(("kept", "1"), ("order", "1")))
    dashboard.world.change(video_id, lambda video: setattr(video, "labels", labels))
    path = f"{VIDEOS}/{video_id}"
    first, second = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.EDITOR)
    seen = second.get(path)
    first.submit(path, {field: theirs})
    before = dashboard.video(video_id)

    asked = second.submit(path, {field: mine, "access": "private"}, seen=seen)

    assert asked.status_code == 409
    assert dashboard.video(video_id) == before
    _, _, stored = asked.text.partition('class="stored-value" dir="auto">')
    assert stored.partition("</p>")[0] == is_shown
    filled_in = form_of(asked, path)
    assert filled_in[field] == [mine.replace("\n", "\r\n")]
    assert second.submit(path, seen=asked).status_code == 303
    shown = form_of(second.get(path), path)
    assert shown[field] == [mine.replace("\n", "\r\n")]
    assert not dashboard.video(video_id).is_public


def test_keys_of_metadata_that_two_have_added_are_both_kept(
    dashboard: DashboardWorld,
) -> None:
    video_id = dashboard.world.ready()
    path = f"{VIDEOS}/{video_id}"
    first, second = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.EDITOR)
    seen = second.get(path)

    first.submit(path, {"metadata": "one: 1"})
    second.submit(path, {"metadata": "two: 2"}, seen=seen)

    assert dict(dashboard.video(video_id).labels.metadata) == {"one": "1", "two": "2"}


def test_a_page_of_an_older_version_makes_nothing_public(
    dashboard: DashboardWorld,
) -> None:
    video_id = dashboard.world.ready(is_public=True)
    path = f"{VIDEOS}/{video_id}"
    hide = VideoChanges(is_public=False)
    dashboard.world.change(video_id, lambda video: video.change(hide))
    old = {"videoName": "renamed", "description": "", "access": "public"}

    answer = dashboard.sign_in(Role.EDITOR).post(path, old)

    assert answer.status_code == 409
    assert not dashboard.video(video_id).is_public
