"""
The bin on pages: undo, restore and delete for good, also for two people at once.
"""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.domain.videos.states import VideoState
from tests.dashboard.opened import SESSION, VIDEOS, Dashboard, PersonClient, ids_in
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import World

BIN = f"{VIDEOS}/deleted"
RESTORE = f"{VIDEOS}/restore"
FOR_GOOD = f"{BIN}/delete"


def next_page(dashboard: Dashboard, person: PersonClient, answer: Result) -> Result:
    """
    Open the page to which an answer leads, with its message.
    """
    assert answer.status_code == 303
    messages = answer.headers["set-cookie"].partition(";")[0]
    cookies = f"{SESSION}={person.session.value}; {messages}"
    return dashboard.get(answer.headers["location"], Cookie=cookies)


def delete(person: PersonClient, video_id: str, reason: str = "user_request") -> Result:
    return person.post(f"{VIDEOS}/{video_id}/delete", {"reason": reason})


def test_a_deletion_is_undone_with_one_click(dashboard: Dashboard) -> None:
    person, video_id = dashboard.sign_in(Role.EDITOR), dashboard.world.ready(name="Sea")

    shown = next_page(dashboard, person, delete(person, video_id))
    undone = person.submit(RESTORE, seen=shown)
    told = next_page(dashboard, person, undone)

    assert "Sea was deleted." in shown.text
    assert undone.headers["location"] == VIDEOS
    assert "Sea was restored." in told.text
    assert dashboard.video(video_id).state is VideoState.READY
    assert dashboard.last_audited() == ("video.restore", video_id, "Editor Person")


def test_a_deletion_that_is_sent_twice_is_answered_twice_with_its_undo(
    dashboard: Dashboard,
) -> None:
    person, video_id = dashboard.sign_in(Role.EDITOR), dashboard.world.ready(name="Sea")
    delete(person, video_id)

    shown = next_page(dashboard, person, delete(person, video_id))
    person.submit(RESTORE, seen=shown)

    assert "Sea was deleted." in shown.text
    assert dashboard.video(video_id).state is VideoState.READY


def test_several_deletions_are_undone_together(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    chosen = [dashboard.world.ready() for _ in range(3)]

    deleted = person.post(f"{VIDEOS}/delete", {"video": chosen})
    shown = next_page(dashboard, person, deleted)
    undone = person.submit(RESTORE, seen=shown)

    assert "3 videos restored." in next_page(dashboard, person, undone).text
    assert {dashboard.video(one).state for one in chosen} == {VideoState.READY}


@pytest.mark.parametrize(
    ("reason", "make"),
    [
        ("copyright_claim", World.ready),
        ("policy_violation", World.failed),
        ("admin_action", World.ready),
        ("user_request", World.transcoding),
    ],
)
def test_a_video_that_is_never_binned_has_no_undo(
    dashboard: Dashboard, reason: str, make: Callable[[World], str]
) -> None:
    person, video_id = dashboard.sign_in(Role.EDITOR), make(dashboard.world)

    shown = next_page(dashboard, person, delete(person, video_id, reason))

    assert "was deleted." in shown.text
    assert f'action="{RESTORE}"' not in shown.text
    assert dashboard.video(video_id).bin_stay is None


def test_a_deletion_for_good_that_is_sent_twice_has_no_undo(
    dashboard: Dashboard,
) -> None:
    person, video_id = dashboard.sign_in(Role.EDITOR), dashboard.world.ready(name="Sea")
    delete(person, video_id, "copyright_claim")

    shown = next_page(dashboard, person, delete(person, video_id, "copyright_claim"))

    assert "was deleted." in shown.text
    assert f'action="{RESTORE}"' not in shown.text


def test_the_bin_shows_what_can_be_restored_and_restores_it(
    dashboard: Dashboard,
) -> None:
    person, video_id = dashboard.sign_in(Role.EDITOR), dashboard.world.ready(name="Sea")
    delete(person, video_id)

    page = person.get(BIN)
    told = next_page(dashboard, person, person.submit(RESTORE, page=BIN))

    ids_in(page)
    assert f'href="{BIN}"' in person.get(VIDEOS).text
    assert "Sea" in page.text
    assert "Sea was restored." in told.text
    assert "The bin is empty" in told.text
    assert dashboard.video(video_id).state is VideoState.READY


def test_a_binned_video_is_deleted_for_good(dashboard: Dashboard) -> None:
    person, video_id = dashboard.sign_in(Role.EDITOR), dashboard.world.ready(name="Sea")
    delete(person, video_id)

    told = next_page(dashboard, person, person.submit(FOR_GOOD, page=BIN))
    late = next_page(dashboard, person, person.post(RESTORE, {"video": video_id}))

    assert "Sea is deleted for good." in told.text
    assert dashboard.video(video_id).bin_stay is None
    assert "cannot be restored any more" in late.text
    assert dashboard.video(video_id).state is VideoState.DELETED


def test_a_video_that_somebody_has_restored_is_not_deleted_for_good(
    dashboard: Dashboard,
) -> None:
    ann, bob = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.ADMIN)
    video_id = dashboard.world.ready()
    delete(ann, video_id)
    seen = ann.get(BIN)
    bob.post(RESTORE, {"video": video_id})

    told = next_page(dashboard, ann, ann.submit(FOR_GOOD, seen=seen))

    assert "Nothing was deleted: the video was restored." in told.text
    assert dashboard.video(video_id).state is VideoState.READY


def test_two_people_restore_a_video_once(dashboard: Dashboard) -> None:
    ann, bob = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.ADMIN)
    video_id = dashboard.world.ready(name="Sea")
    delete(ann, video_id)
    pages = [(person, person.get(BIN)) for person in (ann, bob)]

    told = [
        next_page(dashboard, person, person.submit(RESTORE, seen=page)).text
        for person, page in pages
    ]

    assert all("Sea was restored." in text for text in told)
    audited = dashboard.world.services.audit.latest("org_a", limit=20)
    assert [entry.action for entry in audited].count("video.restore") == 1


def test_a_video_that_two_people_delete_is_in_the_bin_once(
    dashboard: Dashboard,
) -> None:
    ann, bob = dashboard.sign_in(Role.EDITOR), dashboard.sign_in(Role.ADMIN)
    video_id = dashboard.world.ready()

    for person in (ann, bob):
        person.post(f"{VIDEOS}/delete", {"video": video_id})

    assert dashboard.video(video_id).bin_stay is not None
    assert len(re.findall("Restore clip", ann.get(BIN).text)) == 1


def test_a_viewer_finds_no_bin(dashboard: Dashboard) -> None:
    viewer = dashboard.sign_in(Role.VIEWER)

    assert viewer.get(BIN).status_code == 403
    assert BIN not in viewer.get(VIDEOS).text


def test_videos_of_others_are_not_restored(dashboard: Dashboard) -> None:
    world = dashboard.world
    theirs = world.ready(world.other_env)
    key = world.system_key()
    world.delete(f"/v1/api/org_b/videos/{theirs}?keepHours=5", key=key)
    person = dashboard.sign_in(Role.ADMIN)

    told = next_page(dashboard, person, person.post(RESTORE, {"video": theirs}))

    assert "0 videos restored." in told.text
    assert person.post(FOR_GOOD, {"video": theirs}).status_code == 404
    assert dashboard.video(theirs).bin_stay is not None


def test_a_stay_ends_when_the_page_says(dashboard: Dashboard) -> None:
    person, video_id = dashboard.sign_in(Role.EDITOR), dashboard.world.ready()
    delete(person, video_id)
    seen = person.get(BIN)
    stay = dashboard.video(video_id).bin_stay
    assert stay is not None
    assert stay.ends_at - dashboard.world.clock.now() == timedelta(hours=20)

    dashboard.world.clock.move(timedelta(hours=20))
    late = dashboard.sign_in(Role.EDITOR)
    told = late.post(RESTORE, form_of(seen, RESTORE) | {"change_token": change(late)})

    assert "cannot be restored any more" in next_page(dashboard, late, told).text
    assert "The bin is empty" in late.get(BIN).text


def change(person: PersonClient) -> str:
    return person.session.person.change_token


def test_a_page_that_there_is_not_leads_to_the_last(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.EDITOR)
    delete(person, dashboard.world.ready(name="Sea"))

    for asked in ("page=2", "page=x", f"page={10**17}"):
        page = person.get(BIN, asked)
        assert page.status_code == 200
        assert "Sea" in page.text
