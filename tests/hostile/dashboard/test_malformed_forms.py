"""
Forms of the newer pages: oversized, malformed, with thousands of ids.
"""

from typing import Final

import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.videos.states import VideoState
from hvcore_dashboard.forms import MAX_FIELDS_BYTES, URLENCODED
from tests.dashboard.mailed import ASK, Mailing
from tests.dashboard.opened import HOST, SESSION, VIDEOS, Dashboard, Fields
from tests.dashboard.pages.bulk.ordered import BULK, ask, tasks
from tests.support.http.world import ORG

MEMBERS: Final = f"/dashboard/{ORG}/members"
SETTINGS: Final = f"/dashboard/{ORG}/settings"
RESTORE: Final = f"{VIDEOS}/restore"
FOR_GOOD: Final = f"{VIDEOS}/deleted/delete"
SHARING: Final = f"{VIDEOS}/vid_none/sharing"
INVITE: Final = f"{MEMBERS}/new"
CHANGES: Final = (BULK, RESTORE, FOR_GOOD, SHARING, INVITE, SETTINGS)
MALFORMED: Final = {
    "bytes that are no text": b"\xff\xfe=%ff%fe&change=%00&video=%00",
    "percent signs alone": b"change=%&video=%zz&all=%",
    "no names": b"&&&=&=x&==",
    "a surrogate": b"change=%ed%a0%80&name=%ed%a0%80&email=%ed%a0%80",
    "lines of a mail": b"email=a%40example.com%0d%0aBcc%3A+b%40example.com&name=x%0d%0ay",
}


@pytest.mark.parametrize("path", CHANGES)
def test_an_oversized_form_is_refused(shared: Dashboard, path: str) -> None:
    person = shared.sign_in(Role.ADMIN)

    answer = person.post(path, {"name": "x" * MAX_FIELDS_BYTES})

    assert answer.status_code == 413


@pytest.mark.parametrize("path", [*CHANGES, ASK, "/dashboard/sign-in/link"])
@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_form_breaks_no_page(
    shared: Dashboard, path: str, kind: str
) -> None:
    person = shared.sign_in(Role.ADMIN)
    token = person.session.person.change_token

    answer = shared.client.simulate_post(
        path,
        headers={
            "Content-Type": URLENCODED,
            "Cookie": f"{SESSION}={person.session.value}",
            "X-HV-Change-Token": token,
        },
        body=MALFORMED[kind],
        host=HOST,
    )

    assert answer.status_code < 500


@pytest.mark.parametrize("path", [BULK, RESTORE, FOR_GOOD])
def test_thousands_of_ids_are_refused(shared: Dashboard, path: str) -> None:
    person = shared.sign_in(Role.EDITOR)
    fields: Fields = {"change": "delete", "video": [f"v{n}" for n in range(5_000)]}

    assert person.post(path, fields).status_code in {400, 413}
    assert not tasks(shared)


def test_no_bulk_change_touches_videos_of_others(dashboard: Dashboard) -> None:
    world = dashboard.world
    theirs, ours = world.ready(world.other_env), world.ready()
    person = dashboard.sign_in(Role.EDITOR)

    path = ask(person, "delete", video=[theirs, ours]).partition("?")[0]
    page = person.get(path)

    assert "Delete 1 video?" in page.text
    assert theirs not in page.text
    assert dashboard.video(theirs).state is VideoState.READY


@pytest.mark.parametrize("path", [RESTORE, FOR_GOOD])
def test_a_bin_knows_no_video_that_is_not_in_it(
    dashboard: Dashboard, path: str
) -> None:
    world = dashboard.world
    alive, theirs = world.ready(), world.ready(world.other_env)
    person = dashboard.sign_in(Role.ADMIN)

    for video in (alive, theirs, "vid_none", "../" * 20, "x" * 5_000):
        assert person.post(path, {"video": video}).status_code < 500

    assert dashboard.video(alive).state is VideoState.READY
    assert dashboard.video(theirs).state is VideoState.READY


def test_a_long_address_gets_no_mail_and_the_same_answer(mailing: Mailing) -> None:
    stranger = mailing.ask("nobody@example.com")

    for email in ("x" * 10_000 + "@example.com", "a@b, c@d", "\x00@example.com"):
        assert mailing.ask(email).status_code in {stranger.status_code, 400}

    assert not mailing.run()
