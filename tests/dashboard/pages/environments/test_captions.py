"""
The captions by machine that an environment's new videos get, on the environment's page.
"""

from typing import Final

import pytest

from hvcore.domain.access.roles import Role
from hvcore.testing.memory_transcriber import MemoryTranscriber
from tests.dashboard.opened import Dashboard
from tests.dashboard.pages.environments.test_renaming import ENVIRONMENTS, env_named
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import ORG

LANGUAGES: Final = "languages"


@pytest.fixture
def page(dashboard: Dashboard) -> str:
    """
    The page of the environment ``live``, where there is a transcriber.
    """
    vars(dashboard.world.services)["transcriber"] = MemoryTranscriber()
    return f"{ENVIRONMENTS}/{env_named(dashboard, 'live').id}"


@pytest.mark.parametrize(
    ("written", "stored", "shown"),
    [
        ("auto", ("auto",), "auto"),
        (" DE,en ", ("de", "en"), "de, en"),
        ("None", (), "none"),
    ],
)
def test_an_admin_says_which_captions_new_videos_get(
    dashboard: Dashboard,
    page: str,
    written: str,
    stored: tuple[str, ...],
    shown: str,
) -> None:
    admin = dashboard.sign_in(Role.ADMIN)

    answer = admin.submit(
        f"{page}/captions", {LANGUAGES: written}, seen=admin.get(page)
    )

    assert (answer.status_code, answer.headers["location"]) == (303, page)
    assert env_named(dashboard, "live").caption_languages == stored
    assert form_of(admin.get(page), f"{page}/captions")[LANGUAGES] == [shown]
    assert dashboard.last_audited()[0] == "environment.captions"


def test_an_empty_field_takes_what_the_service_does(
    dashboard: Dashboard, page: str
) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    admin.submit(f"{page}/captions", {LANGUAGES: "de"}, seen=admin.get(page))

    admin.submit(f"{page}/captions", {LANGUAGES: " "}, seen=admin.get(page))

    assert env_named(dashboard, "live").caption_languages is None
    assert "Empty: as the service does (none)." in admin.get(page).text


@pytest.mark.parametrize(
    ("written", "status", "said"),
    [
        ("english", 400, "must have languages such as en, or auto"),
        ("<b>", 400, "must have languages such as en, or auto"),
        ("ja", 422, "and not ja"),
    ],
)
def test_captions_that_cannot_be_made_are_refused_beside_the_field(
    dashboard: Dashboard, page: str, written: str, status: int, said: str
) -> None:
    admin = dashboard.sign_in(Role.ADMIN)

    refused = admin.submit(
        f"{page}/captions", {LANGUAGES: written}, seen=admin.get(page)
    )

    assert refused.status_code == status
    assert said in refused.text.partition('id="languages-about"')[2]
    assert form_of(refused, f"{page}/captions")[LANGUAGES] == [written]
    assert env_named(dashboard, "live").caption_languages is None


def test_captions_that_two_admins_set_are_asked_about(
    dashboard: Dashboard, page: str
) -> None:
    first, second = dashboard.sign_in(Role.ADMIN), dashboard.sign_in(Role.ADMIN)
    seen = second.get(page)
    first.submit(f"{page}/captions", {LANGUAGES: "de"}, seen=first.get(page))

    asked = second.submit(f"{page}/captions", {LANGUAGES: "en"}, seen=seen)

    assert asked.status_code == 409
    assert "de" in asked.text.partition("Saved meanwhile")[2]
    again = second.submit(f"{page}/captions", seen=asked)
    assert again.status_code == 303
    assert env_named(dashboard, "live").caption_languages == ("en",)


def test_members_do_not_set_captions(dashboard: Dashboard, page: str) -> None:
    admin, editor = dashboard.sign_in(Role.ADMIN), dashboard.sign_in(Role.EDITOR)
    fields = form_of(admin.get(page), f"{page}/captions")

    refused = editor.post(f"{page}/captions", {**fields, LANGUAGES: "de"})

    assert refused.status_code in {403, 404}
    assert env_named(dashboard, "live").caption_languages is None
    assert ORG in page
