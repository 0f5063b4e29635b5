"""
Members on pages.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Final

import attrs
import pytest
from falcon.testing import Result, TestClient

from hvcore.assembly import build
from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.members import OrganizationMember
from hvcore.persistence.sign_in.sign_in_book import SqlSignInBook
from hvcore.ports.sign_in import SignInProvider
from hvcore_dashboard.app import make_dashboard
from hvcore_dashboard.list_pages import PAGE_SIZE
from hvcore_dashboard.pages.members.page import is_person
from hvcore_reference.dry_playback import DryPlaybackJudge
from hvcore_sign_in_link.backend import LinkSignIn
from tests.dashboard.opened import (
    VIDEOS,
    Dashboard,
    PersonClient,
    StillInstallation,
    ids_in,
)
from tests.services.sign_in.conftest import ScriptedSignIn
from tests.support.http.world import ORG, OTHER_ORG

MEMBERS: Final = f"/dashboard/{ORG}/members"


def member_named(dashboard: Dashboard, name: str) -> OrganizationMember:
    found = dashboard.world.services.members.of_organization(ORG)
    return next(member for member in found if member.name == name)


def opened(dashboard: Dashboard, answer: Result) -> PersonClient:
    """
    Open the link that a page shows.
    """
    found = re.search(r'<code id="secret"[^>]*>([^<]+)</code>', answer.text)
    assert found, answer.text
    code = unescape(found[1]).partition("#")[2]
    started = dashboard.world.services.sign_ins.complete_link(
        code, client_address="127.0.0.1"
    )
    return PersonClient(client=dashboard.client, session=started)


def test_an_invited_member_signs_in_by_a_link_that_is_shown_once(
    dashboard: Dashboard,
) -> None:
    admin = dashboard.sign_in(Role.ADMIN)

    answer = admin.post(
        f"{MEMBERS}/new", {"name": "Ann", "email": "", "role": "editor"}
    )
    ann = opened(dashboard, answer)

    assert answer.headers["cache-control"] == "no-store"
    assert ann.session.person.role_in(ORG) is Role.EDITOR
    assert ann.get(VIDEOS).status_code == 200
    for path in (MEMBERS, f"{MEMBERS}/{member_named(dashboard, 'Ann').id}"):
        page = admin.get(path)
        assert "Ann" in page.text
        assert "sign-in/link" not in page.text


def test_another_link_can_be_made(dashboard: Dashboard) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    admin.post(f"{MEMBERS}/new", {"name": "Ann", "role": "viewer"})
    ann = member_named(dashboard, "Ann")

    person = opened(dashboard, admin.post(f"{MEMBERS}/{ann.id}/link"))

    assert person.session.person.subject == ann.id


def test_a_role_is_changed(dashboard: Dashboard) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    ann = opened(
        dashboard, admin.post(f"{MEMBERS}/new", {"name": "Ann", "role": "viewer"})
    )
    path = f"{MEMBERS}/{ann.session.person.subject}"
    assert ann.get(MEMBERS).status_code == 403

    changed = admin.submit(f"{path}/role", {"role": "admin"}, page=path)

    assert changed.status_code == 303
    assert ann.get(MEMBERS).status_code == 200
    assert "This is you" in ann.get(MEMBERS).text
    wrong = admin.submit(f"{path}/role", {"role": "king"}, page=path)
    assert wrong.status_code == 400


def test_the_sessions_of_who_is_removed_end(dashboard: Dashboard) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    ann = opened(
        dashboard, admin.post(f"{MEMBERS}/new", {"name": "Ann", "role": "editor"})
    )
    assert ann.get(VIDEOS).status_code == 200

    answer = admin.post(f"{MEMBERS}/{ann.session.person.subject}/remove")

    assert answer.status_code == 303
    assert ann.get(VIDEOS).status_code == 303
    assert ann.post(f"{VIDEOS}/delete").status_code == 401
    assert "Ann" not in admin.get(MEMBERS).text


@pytest.mark.parametrize("who", ["themselves", "an operator"])
def test_nobody_removes_the_last_admin(dashboard: Dashboard, who: str) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    dashboard.sign_in(Role.EDITOR)
    person = admin if who == "themselves" else dashboard.sign_in(None)
    path = f"{MEMBERS}/{admin.session.person.subject}"

    removed = person.post(f"{path}/remove")
    changed = person.submit(f"{path}/role", {"role": "viewer"}, page=path)

    for answer in (removed, changed):
        assert answer.status_code == 409
        assert "is the last admin" in answer.text
    assert admin.get(MEMBERS).status_code == 200


def test_an_admin_may_leave_to_another(dashboard: Dashboard) -> None:
    first, second = dashboard.sign_in(Role.ADMIN), dashboard.sign_in(Role.ADMIN)

    path = f"{MEMBERS}/{first.session.person.subject}"
    answer = first.submit(f"{path}/role", {"role": "viewer"}, page=path)

    assert answer.headers["location"] == VIDEOS
    assert first.get(MEMBERS).status_code == 403
    assert second.get(MEMBERS).status_code == 200


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"name": "", "email": "", "role": "viewer"}, 400),
        ({"name": "x" * 201, "role": "viewer"}, 400),
        ({"name": "Ann", "email": "nobody", "role": "viewer"}, 400),
        ({"name": "Ann", "role": "king"}, 400),
        ({"name": "Ann", "email": "ADA@example.com", "role": "viewer"}, 409),
    ],
)
def test_who_cannot_be_invited_is_said_beside_the_field(
    dashboard: Dashboard, fields: dict[str, str], status: int
) -> None:
    members = dashboard.world.services.members
    members.add(ORG, role=Role.VIEWER, email="ada@example.com")
    admin = dashboard.sign_in(Role.ADMIN)
    before = len(members.of_organization(ORG))

    answer = admin.post(f"{MEMBERS}/new", fields)

    assert answer.status_code == status
    assert "field-error" in answer.text
    assert len(members.of_organization(ORG)) == before


def test_members_of_others_are_not_there(dashboard: Dashboard) -> None:
    members = dashboard.world.services.members
    theirs = members.add(OTHER_ORG, role=Role.ADMIN, name="Theirs")
    admin = dashboard.sign_in(Role.ADMIN)

    assert "Theirs" not in admin.get(MEMBERS).text
    assert admin.get(f"{MEMBERS}/{theirs.id}").status_code == 404
    for action in ("role", "link", "remove"):
        assert admin.post(f"{MEMBERS}/{theirs.id}/{action}").status_code == 404


def test_names_are_shown_as_text(dashboard: Dashboard) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    name = "<img src=x onerror=alert(1)>"
    admin.post(f"{MEMBERS}/new", {"name": name, "role": "viewer"})
    member = member_named(dashboard, name)

    for path in (MEMBERS, f"{MEMBERS}/{member.id}"):
        page = admin.get(path)
        assert ids_in(page)
        assert "<img src=x" not in page.text
        assert "&lt;img src=x" in page.text


@pytest.fixture
def with_provider(dashboard: Dashboard, static: Path) -> Iterator[Dashboard]:
    """
    The same records in a service whose people sign in at a provider.
    """
    world = dashboard.world
    settings = attrs.evolve(
        world.services.settings,
        sign_in=attrs.evolve(world.services.settings.sign_in, backend="oidc"),
    )
    providers: dict[str, SignInProvider] = {"oidc": ScriptedSignIn()}
    overrides = {
        "clock": world.clock,
        "queue": world.queue,
        "storage": world.storage,
        "transcoder": world.transcoder,
        "sign_in_providers": providers,
    }
    with build(settings, overrides=overrides) as services:
        book = SqlSignInBook(engine=services.engine, clock=world.clock)
        providers["link"] = LinkSignIn(book=book)
        installation = StillInstallation()
        app = make_dashboard(
            services,
            installation=installation,
            judge=DryPlaybackJudge.of(services),
            static=static,
        )
        yield Dashboard(
            world=attrs.evolve(world, services=services),
            client=TestClient(app),
            installation=installation,
        )


def test_with_a_provider_the_page_says_where_roles_come_from(
    with_provider: Dashboard,
) -> None:
    operator = with_provider.sign_in(None)

    page = operator.get(MEMBERS)
    lacking = operator.post(f"{MEMBERS}/new", {"name": "Ann", "role": "viewer"})
    added = operator.post(
        f"{MEMBERS}/new", {"email": "ann@example.com", "role": "viewer"}
    )

    assert "People sign in with your provider (<code>oidc</code>)" in page.text
    assert lacking.status_code == 400
    assert "the provider knows the person" in lacking.text
    assert added.status_code == 303
    (member,) = with_provider.world.services.members.of_organization(ORG)
    assert "sign-in link" not in operator.get(f"{MEMBERS}/{member.id}").text
    assert operator.post(f"{MEMBERS}/{member.id}/link").status_code == 400


def test_a_member_is_known_by_link_or_by_address(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN).session.person
    mine = dashboard.world.services.members.find(ORG, person.subject)
    ada = attrs.evolve(mine, email="ada@example.com")
    at_provider = attrs.evolve(
        person, backend="oidc", subject="1234", email="Ada@example.com"
    )

    assert is_person(mine, person)
    assert is_person(ada, at_provider)
    assert not is_person(mine, at_provider)
    assert not is_person(attrs.evolve(ada, email="bob@example.com"), at_provider)
    assert not is_person(attrs.evolve(mine, id="mem_other"), person)


def test_a_long_list_of_members_has_pages(dashboard: Dashboard) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    for number in range(PAGE_SIZE):
        dashboard.world.clock.move(timedelta(seconds=1))
        name = f"Person {number:02}"
        dashboard.world.services.members.add(ORG, role=Role.VIEWER, name=name)

    first, second = (admin.get(MEMBERS, f"page={page}").text for page in ("x", "9"))

    assert f"{PAGE_SIZE + 1} members · page 1 of 2" in first
    assert "Admin Person" in first
    assert "Person 49" not in first
    assert "page 2 of 2" in second
    assert "Person 49" in second
    assert "Admin Person" not in second.partition("<main")[2]
    assert f'href="{MEMBERS}"' in second
