"""
Two people who have opened the same form of a video, and both send it.
"""

import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.domain.labels import Labels
from hvcore.domain.videos.video import VideoChanges
from tests.api.resources.test_thumbnails import stills
from tests.dashboard.opened import VIDEOS, Dashboard, PersonClient, two
from tests.dashboard.pages.bulk.ordered import order, work_off
from tests.dashboard.pages.video.sent_files import VTT, picture, post_file
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import ORG


def test_a_rename_keeps_a_video_private_that_somebody_has_made_so(
    dashboard: Dashboard,
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
    dashboard: Dashboard, field: str, theirs: str, mine: str, is_shown: str
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
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    path = f"{VIDEOS}/{video_id}"
    first, second = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.EDITOR)
    seen = second.get(path)

    first.submit(path, {"metadata": "one: 1"})
    second.submit(path, {"metadata": "two: 2"}, seen=seen)

    assert dict(dashboard.video(video_id).labels.metadata) == {"one": "1", "two": "2"}


def test_metadata_that_one_removes_and_another_changes_is_asked_about(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready()
    path = f"{VIDEOS}/{video_id}"
    first, second = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.EDITOR)
    first.submit(path, {"metadata": "a: 1"})
    seen = second.get(path)
    first.submit(path, {"metadata": "a: 2"})

    asked = second.submit(path, {"metadata": ""}, seen=seen)
    second.submit(path, {}, seen=asked)

    assert asked.status_code == 409
    assert dict(dashboard.video(video_id).labels.metadata) == {}


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ("videoName", "two\u2028lines"),
        ("description", "lines \r\n\r\nwith\u2028ends"),
        ("externalID", "47\u202e11"),
        ("tags", "red,green ,, red"),
        ("metadata", "order :  1\nkept:two\u2028lines"),
        ("access", "public"),
    ],
)
def test_a_form_that_is_sent_twice_after_a_lost_answer_is_saved(
    dashboard: Dashboard, field: str, written: str
) -> None:
    path = f"{VIDEOS}/{dashboard.world.ready(is_public=False)}"
    person = dashboard.sign_in(Role.EDITOR)
    seen = person.get(path)
    person.submit(path, {field: written}, seen=seen)
    shown = form_of(person.get(path), path)

    again = person.submit(path, {field: written}, seen=seen)

    assert again.status_code == 303, again.text
    assert form_of(person.get(path), path) == shown


def test_captions_that_are_sent_twice_after_a_lost_answer_are_saved(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"
    file = ("file", "a.vtt", "text/vtt", VTT)
    sent = {**flat(form_of(person.get(path), path)), "language": "en", "label": "mine"}

    answers = [post_file(person, path, file, sent) for _ in range(2)]

    assert [one.status_code for one in answers] == [303, 303]
    latest = dashboard.world.services.audit.latest(ORG, limit=2)
    assert [one.action for one in latest].count("captions.put") == 1


@pytest.mark.parametrize("what", ["a file", "a moment"])
def test_a_picture_that_is_sent_twice_after_a_lost_answer_is_chosen(
    dashboard: Dashboard, what: str
) -> None:
    stills(dashboard.world)
    person = dashboard.sign_in(Role.EDITOR)
    video_id = dashboard.world.ready()
    path = f"{VIDEOS}/{video_id}/picture"
    seen = person.get(path)
    choose(person, path, what, seen)
    chosen = dashboard.world.services.custom_thumbnails.choice(video_id)

    again = choose(person, path, what, seen)

    assert again.status_code == 303
    assert dashboard.world.services.custom_thumbnails.choice(video_id) == chosen


def test_a_page_of_an_older_version_makes_nothing_public(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready(is_public=True)
    path = f"{VIDEOS}/{video_id}"
    hide = VideoChanges(is_public=False)
    dashboard.world.change(video_id, lambda video: video.change(hide))
    old = {"videoName": "renamed", "description": "", "access": "public"}

    answer = dashboard.sign_in(Role.EDITOR).post(path, old)

    assert answer.status_code == 409
    assert not dashboard.video(video_id).is_public


def test_captions_of_which_a_page_knew_nothing_are_not_replaced(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.EDITOR)
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"
    file = ("file", "a.vtt", "text/vtt", VTT)
    seen = flat(form_of(second.get(path), path))
    mine = {**seen, "language": "EN", "label": "mine"}
    post_file(first, path, file, {**seen, "language": "en", "label": "theirs"})

    asked = post_file(second, path, file, mine)

    assert asked.status_code == 409
    assert "theirs" in asked.text
    assert 'value="mine"' in asked.text
    again = form_of(asked, path)
    version = again["shown.captions"][-1]
    assert (
        post_file(second, path, file, {**mine, "shown.captions": version}).status_code
        == 303
    )
    assert "theirs" not in second.get(path).text


def test_captions_that_were_replaced_are_not_removed_from_a_page_of_before(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.EDITOR)
    path = f"{VIDEOS}/{dashboard.world.ready()}/captions"
    file = ("file", "a.vtt", "text/vtt", VTT)
    post_file(first, path, file, {"language": "en"})
    seen = second.get(path)
    post_file(first, path, file, {"language": "en", "label": "theirs"})

    refused = second.submit(f"{path}/remove", seen=seen)

    assert refused.headers["location"] == path
    assert "theirs" in second.get(path).text
    assert second.submit(f"{path}/remove", page=path).status_code == 303
    assert "theirs" not in second.get(path).text


@pytest.mark.parametrize("theirs", ["a file", "a moment"])
@pytest.mark.parametrize("mine", ["a file", "a moment"])
def test_a_picture_that_somebody_has_chosen_is_not_replaced_unseen(
    dashboard: Dashboard, theirs: str, mine: str
) -> None:
    stills(dashboard.world)
    first, second = two(dashboard, Role.EDITOR)
    video_id = dashboard.world.ready()
    path = f"{VIDEOS}/{video_id}/picture"
    seen = second.get(path)
    assert choose(first, path, theirs, first.get(path), number=2).status_code == 303
    chosen = dashboard.world.services.custom_thumbnails.choice(video_id)

    asked = choose(second, path, mine, seen)

    assert asked.status_code == 409
    assert "Somebody else has chosen another picture" in asked.text
    assert dashboard.world.services.custom_thumbnails.choice(video_id) == chosen
    assert choose(second, path, mine, asked).status_code == 303
    assert dashboard.world.services.custom_thumbnails.choice(video_id) != chosen


def choose(
    person: PersonClient, path: str, what: str, seen: Result, *, number: int = 1
) -> Result:
    """
    Choose a picture on a page that was opened before; each number is another one.
    """
    name = {"a file": "picture-file", "a moment": "picture-moment"}[what]
    sent = form_of(seen, path, form_id=name)
    if what == "a moment":
        return person.post(path, {**sent, "timestampSeconds": str(number)})
    file = ("picture", "a.png", "image/png", picture((320, 180 + number)))
    return post_file(person, path, file, flat(sent))


def flat(fields: dict[str, list[str]]) -> dict[str, str]:
    """
    Return fields that have one value each, for whoever sends them.
    """
    return {
        name: values[0] for name, values in fields.items() if name != "change_token"
    }


def test_downloads_that_somebody_has_allowed_stay_allowed_by_a_rename(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.EDITOR)
    video_id = dashboard.world.ready()
    path = f"{VIDEOS}/{video_id}"
    seen = second.get(path)
    first.submit(path, {"allowDownload": ["yes", "no"]})

    answer = second.submit(path, {"videoName": "renamed"}, seen=seen)

    assert answer.status_code == 303
    assert dashboard.video(video_id).allows_download
    assert dashboard.video(video_id).name == "renamed"


def test_chapters_that_somebody_has_changed_are_shown_beside_ones_own(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.EDITOR)
    video_id = dashboard.world.ready()
    path = f"{VIDEOS}/{video_id}/chapters"
    seen = second.get(path)
    first.submit(path, {"start-1": "1", "title-1": "theirs"})
    before = dashboard.video(video_id).chapters

    asked = second.submit(path, {"start-1": "2", "title-1": "mine"}, seen=seen)

    assert asked.status_code == 409
    assert dashboard.video(video_id).chapters == before
    assert "0:00:01 <bdi>theirs</bdi>" in asked.text
    assert form_of(asked, path, form_id="chapters")["title-1"] == ["mine"]
    assert second.submit(path, seen=asked).status_code == 303
    (chapter,) = dashboard.video(video_id).chapters
    assert chapter.title == "mine"


def test_chapters_that_somebody_has_changed_are_not_replaced_by_a_file_unseen(
    dashboard: Dashboard,
) -> None:
    first, second = two(dashboard, Role.EDITOR)
    video_id = dashboard.world.ready()
    path = f"{VIDEOS}/{video_id}/chapters"
    seen = flat(form_of(second.get(path), path, form_id="import"))
    first.submit(path, {"start-1": "1", "title-1": "theirs"})
    before = dashboard.video(video_id).chapters

    for file in (("file", "a.vtt", "text/vtt", VTT), JSON_FILE):
        asked = post_file(second, path, file, seen)

        assert asked.status_code == 409
        assert "theirs are shown" in asked.text
        assert dashboard.video(video_id).chapters == before
    again = flat(form_of(asked, path, form_id="import"))
    assert post_file(second, path, JSON_FILE, again).status_code == 303
    (chapter,) = dashboard.video(video_id).chapters
    assert chapter.title == "mine"


JSON_FILE = (
    "file",
    "a.json",
    "application/json",
    b'[{"startTime": 3, "title": "mine"}]',
)


@pytest.mark.parametrize("is_bulk", [False, True])
def test_an_edit_of_a_deleted_video_is_shown_to_its_writer_with_the_way_to_the_bin(
    dashboard: Dashboard, *, is_bulk: bool
) -> None:
    first, second = two(dashboard, Role.EDITOR)
    video_id = dashboard.world.ready()
    path = f"{VIDEOS}/{video_id}"
    seen = second.get(path)
    if is_bulk:
        order(first, "delete", all="yes")
        work_off(dashboard)
    else:
        first.post(f"{path}/delete")
    mine = {"description": "an hour's\nwork <b>", "tags": "a, b"}

    answer = second.submit(path, mine, seen=seen)

    assert answer.status_code == 409
    assert "This video was deleted meanwhile" in answer.text
    assert ">Description</label>" in answer.text
    assert "an hour&#39;s\nwork &lt;b&gt;</textarea>" in answer.text
    assert "a, b</textarea>" in answer.text
    assert ">Title</label>" not in answer.text
    assert f'href="{VIDEOS}/deleted"' in answer.text
    second.post(f"{VIDEOS}/restore", {"video": video_id})
    assert second.submit(path, mine, seen=seen).status_code == 303
    assert dashboard.video(video_id).description == "an hour's\nwork <b>"


@pytest.mark.parametrize(
    "tab",
    [
        "",
        "/chapters",
        "/sharing",
        "/captions/remove",
        "/captions/generate",
        "/captions/en/edit",
    ],
)
def test_a_form_of_a_video_that_is_gone_says_so(dashboard: Dashboard, tab: str) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    video_id = dashboard.world.ready()
    dashboard.world.delete(f"/v1/videos/{video_id}")

    answer = person.post(f"{VIDEOS}/{video_id}{tab}", {"description": "mine"})

    assert answer.status_code == 409
    assert "the video cannot be restored" in answer.text
    assert f'href="{VIDEOS}/deleted"' not in answer.text


def test_a_page_of_a_deleted_video_is_none(dashboard: Dashboard) -> None:
    video_id = dashboard.world.ready()
    dashboard.world.delete(f"/v1/videos/{video_id}")

    answer = dashboard.sign_in(Role.EDITOR).get(f"{VIDEOS}/{video_id}")

    assert answer.status_code == 404
