"""
Questions about many videos: what is chosen, what is asked, what is said afterwards.
"""

from datetime import timedelta

import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.labels import Labels
from hvcore.domain.videos.bulk_changes import MAX_QUESTIONS, BulkKind, BulkState
from hvcore.domain.videos.catalog import VideoQuery
from hvcore.domain.videos.states import VideoState
from tests.dashboard.opened import SESSION, VIDEOS, Dashboard
from tests.dashboard.pages.bulk.ordered import (
    BULK,
    ask,
    heading,
    order,
    outcomes,
    state,
    tasks,
    work_off,
)
from tests.support.http.world import ORG, OTHER_ORG


def test_all_found_videos_are_published_over_all_pages(dashboard: Dashboard) -> None:
    world = dashboard.world
    found = [world.ready(name=f"talk {n:02}", is_public=False) for n in range(30)]
    other = world.ready(name="other", is_public=False)
    person = dashboard.sign_in(Role.EDITOR)

    path = order(person, "publish", all="yes", search="talk")
    work_off(dashboard)

    assert {dashboard.video(one).is_public for one in found} == {True}
    assert not dashboard.video(other).is_public
    assert "30 published" in person.get(path).text


def test_a_question_names_the_number_and_the_first_titles(
    dashboard: Dashboard,
) -> None:
    for number in range(7):
        dashboard.world.ready(name=f"talk {number}")
    person = dashboard.sign_in(Role.EDITOR)

    where = ask(person, "delete", all="yes", sortBy="name", sortDir="asc")
    page = person.get(where.partition("?")[0], where.partition("?")[2])

    assert heading(page) == "Delete 7 videos?"
    assert all(f">talk {number}<" in page.text for number in range(5))
    assert ">talk 5<" not in page.text
    assert "and 2 more" in page.text
    assert f'href="{VIDEOS}?sortBy=name&amp;sortDir=asc"' in page.text
    assert not tasks(dashboard)


def test_a_person_asks_about_all_found_videos_sixty_times_an_hour(
    dashboard: Dashboard,
) -> None:
    video_id = dashboard.world.ready(name="talk")
    person, other = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.EDITOR)
    for _ in range(MAX_QUESTIONS):
        assert "/bulk/" in ask(person, "publish", all="yes", search="talk")

    refused = ask(person, "publish", all="yes", search="talk")

    assert refused == f"{VIDEOS}?search=talk"
    assert "/bulk/" in ask(person, "publish", video=[video_id])
    assert "/bulk/" in ask(other, "publish", all="yes")
    dashboard.world.clock.move(timedelta(hours=1))
    assert "/bulk/" in ask(person, "publish", all="yes")


def test_a_refused_question_is_told_above_the_list(dashboard: Dashboard) -> None:
    dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    for _ in range(MAX_QUESTIONS):
        ask(person, "publish", all="yes")

    answer = person.post(BULK, {"change": "publish", "all": "yes"})

    messages = answer.headers["set-cookie"].partition(";")[0]
    cookies = f"{SESSION}={person.session.value}; {messages}"
    shown = dashboard.get(VIDEOS, Cookie=cookies).text
    assert "You have asked for 60 changes of all found videos within an hour." in shown
    assert "Try again in 60 minutes" in shown


def test_videos_uploaded_after_the_question_are_not_deleted(
    dashboard: Dashboard,
) -> None:
    asked = dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    path = ask(person, "delete", all="yes")

    late = dashboard.world.ready()
    person.submit(path)
    work_off(dashboard)

    assert dashboard.video(asked).state is VideoState.DELETED
    assert dashboard.video(late).state is VideoState.READY


def test_checked_boxes_are_enough_without_a_script(dashboard: Dashboard) -> None:
    world = dashboard.world
    chosen = [world.ready(is_public=False) for _ in range(2)]
    left = world.ready(is_public=False)
    theirs = world.ready(world.other_env, is_public=False)
    dev = world.ready(world.dev, is_public=False)
    person = dashboard.sign_in(Role.EDITOR)

    answer = person.submit(
        BULK,
        {"video": [*chosen, theirs, dev, "nonsense"], "change": "publish"},
        page=VIDEOS,
    )
    path = answer.headers["location"]
    person.submit(path)
    work_off(dashboard)

    assert outcomes(dashboard, path) == {"changed": 2}
    assert [dashboard.video(one).is_public for one in (*chosen, left, theirs, dev)] == [
        *(True, True),
        *(False, False, False),
    ]


def test_the_forms_of_a_list_send_its_search_along(dashboard: Dashboard) -> None:
    dashboard.world.ready(name="talk")
    dashboard.world.ready(name="other")
    person = dashboard.sign_in(Role.EDITOR)

    seen = person.get(VIDEOS, "search=talk")
    answer = person.submit(BULK, {"all": "yes", "change": "publish"}, seen=seen)

    assert heading(person.get(answer.headers["location"].partition("?")[0])) == (
        "Publish 1 video?"
    )


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"change": "publish"}, "No video was chosen."),
        ({"change": "publish", "video": "vid_none"}, "No video was chosen."),
        ({"change": "explode", "all": "yes"}, "Choose what to do with the videos."),
        ({"change": "publish", "all": "yes", "status": "x"}, "status"),
        ({"change": "publish", "all": "yes", "search": "zzz"}, "No video was chosen."),
        ({"change": "publish", "all": "yes", "colour": "red"}, "colour"),
    ],
)
def test_a_question_about_nothing_leads_back_to_the_list(
    dashboard: Dashboard, fields: dict[str, str], says: str
) -> None:
    dashboard.world.ready()

    person = dashboard.sign_in(Role.EDITOR)

    answer = person.post(BULK, fields)

    assert answer.status_code == 303
    assert answer.headers["location"].startswith(VIDEOS)
    assert "/bulk" not in answer.headers["location"]
    messages = answer.headers["set-cookie"].partition(";")[0]
    cookies = f"{SESSION}={person.session.value}; {messages}"
    assert says in dashboard.get(VIDEOS, Cookie=cookies).text


def test_tags_are_added_beside_others_and_removed_alone(dashboard: Dashboard) -> None:
    world = dashboard.world
    one, two = world.ready(), world.ready()
    for video_id, tags in ((one, ("red", "blue")), (two, ())):
        world.change(
            video_id, lambda video, t=tags: setattr(video, "labels", Labels(tags=t))
        )
    person = dashboard.sign_in(Role.EDITOR)

    order(person, "add-tags", all="yes", tags="red, green")
    work_off(dashboard)
    added = [dashboard.video(video_id).labels.tags for video_id in (one, two)]
    order(person, "remove-tags", all="yes", tags="red,missing")
    work_off(dashboard)

    assert added == [("red", "blue", "green"), ("red", "green")]
    left = [dashboard.video(video_id).labels.tags for video_id in (one, two)]
    assert left == [("blue", "green"), ("green",)]


@pytest.mark.parametrize("tags", ["", " , ", "x" * 65, "a\x01b"])
def test_tags_that_cannot_be_are_asked_for_again(
    dashboard: Dashboard, tags: str
) -> None:
    dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    path = ask(person, "add-tags", all="yes")

    answer = person.submit(path, {"tags": tags})

    assert answer.status_code in {400, 422}
    assert 'aria-invalid="true"' in answer.text
    assert state(dashboard, path) is BulkState.ASKED
    assert not tasks(dashboard)


def test_a_video_that_would_have_too_many_tags_is_named(dashboard: Dashboard) -> None:
    full = dashboard.world.ready(name="full of tags")
    free = dashboard.world.ready()
    tags = tuple(map(str, range(20)))
    dashboard.world.change(
        full, lambda video: setattr(video, "labels", Labels(tags=tags))
    )
    person = dashboard.sign_in(Role.EDITOR)

    path = order(person, "add-tags", all="yes", tags="one more")
    work_off(dashboard)

    page = person.get(path).text
    assert "1 tagged, 1 not changed" in page
    assert ">full of tags<" in page
    assert "It would have more tags than a video may have." in page
    assert dashboard.video(free).labels.tags == ("one more",)


def test_a_form_that_is_sent_twice_starts_one_change(dashboard: Dashboard) -> None:
    dashboard.world.ready(is_public=False)
    person = dashboard.sign_in(Role.EDITOR)
    path = ask(person, "publish", all="yes")
    seen = person.get(path)

    for _ in range(2):
        assert person.submit(path, seen=seen).status_code == 303

    assert len(tasks(dashboard)) == 1


def test_a_person_has_one_unanswered_question(dashboard: Dashboard) -> None:
    dashboard.world.ready()
    person, other = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.ADMIN)
    first, theirs = ask(person, "publish", all="yes"), ask(other, "delete", all="yes")

    second = ask(person, "unpublish", all="yes")

    assert person.get(first).status_code == 404
    assert person.get(second).status_code == 200
    assert other.get(theirs).status_code == 200


def test_no_more_than_five_changes_of_an_organization_run(
    dashboard: Dashboard,
) -> None:
    dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    for _ in range(5):
        order(person, "publish", all="yes")

    refused = person.submit(ask(person, "publish", all="yes"))

    assert refused.status_code == 409
    assert "5 bulk changes of this organization run." in refused.text
    work_off(dashboard)
    order(person, "publish", all="yes")


def test_an_old_question_is_no_longer_answered(dashboard: Dashboard) -> None:
    dashboard.world.ready()
    person = dashboard.sign_in(Role.EDITOR)
    path = ask(person, "publish", all="yes")
    seen = person.get(path)

    dashboard.world.clock.move(timedelta(hours=1))

    assert person.submit(path, seen=seen).status_code == 404
    dashboard.world.services.bulk_changes.forget_old()
    assert person.get(path).status_code == 404


def test_a_list_says_what_runs_and_where(dashboard: Dashboard) -> None:
    dashboard.world.ready(is_public=False)
    person = dashboard.sign_in(Role.EDITOR)
    path = order(person, "publish", all="yes")

    running = person.get(VIDEOS).text
    work_off(dashboard)

    assert "Publishing 1 video: 0 done" in running
    assert f'href="{path}"' in running
    assert "Publishing 1 video" not in person.get(VIDEOS).text
    listed = person.get(BULK).text
    assert "Publish 1 video" in listed
    assert "Editor Person" in listed


def test_a_list_says_what_runs_however_many_changes_have_ended_since(
    dashboard: Dashboard,
) -> None:
    dashboard.world.ready(is_public=False)
    person = dashboard.sign_in(Role.EDITOR)
    path = order(person, "publish", all="yes")
    who, changes = person.session.person, dashboard.world.services.bulk_changes
    every = VideoQuery(page=1, page_size=20)
    for _ in range(12):
        dashboard.world.clock.move(timedelta(seconds=1))
        asked = changes.ask_found(
            dashboard.world.env, who.as_person, BulkKind.UNPUBLISH, every
        )
        changes.start(ORG, asked.id, who.as_person)
        changes.stop(ORG, asked.id)

    page = person.get(VIDEOS).text

    assert f'href="{path}"' in page
    assert "Unpublishing" not in page


def test_a_running_change_moves_by_itself_until_it_has_ended(
    dashboard: Dashboard,
) -> None:
    dashboard.world.ready(is_public=False)
    person = dashboard.sign_in(Role.EDITOR)
    path = order(person, "publish", all="yes")

    running = person.fragment(f"{path}/progress").text
    work_off(dashboard)
    ended = person.fragment(f"{path}/progress").text

    assert f'hx-get="{path}/progress"' in running
    assert "hx-get" not in ended
    assert "Done" in ended


def test_bulk_changes_of_another_organization_look_like_none(
    dashboard: Dashboard,
) -> None:
    world = dashboard.world
    world.ready(world.other_env)
    theirs = dashboard.sign_in(Role.EDITOR, org=OTHER_ORG)
    asked = theirs.post(
        f"/dashboard/{OTHER_ORG}/videos/bulk", {"change": "delete", "all": "yes"}
    )
    bulk_id = asked.headers["location"].rpartition("/")[2]
    ours = dashboard.sign_in(Role.ADMIN)

    for known in (bulk_id, "bulk_" + "0" * 22):
        assert ours.get(f"{BULK}/{known}").status_code == 404
        assert ours.get(f"{BULK}/{known}/progress").status_code == 404
        assert ours.post(f"{BULK}/{known}").status_code == 404
        assert ours.post(f"{BULK}/{known}/stop").status_code == 404
    assert not tasks(dashboard)
