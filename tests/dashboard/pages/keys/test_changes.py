"""
API keys on pages: made, shown once, rotated, revoked.
"""

import re
from datetime import timedelta
from html import unescape
from typing import Final

import pytest
from falcon.testing import Result

from hvcore.domain.access.keys import ApiKey, KeyType, Permission
from hvcore.domain.access.roles import Role
from hvcore.services.access.keys import KeyWanted
from tests.dashboard.opened import Dashboard, PersonClient, ids_in
from tests.dashboard.sent_forms import form_of
from tests.support.http.world import ORG, OTHER_ORG

KEYS: Final = f"/dashboard/{ORG}/keys"
WANTED: Final = {
    "name": "encoder",
    "type": "environment",
    "environment": "live",
    "permission": ["videos:read", "videos:write"],
    "expiry": "30",
}


def value_in(answer: Result) -> str:
    """
    Return the secret that a page shows.
    """
    found = re.search(r'<code id="secret"[^>]*>([^<]+)</code>', answer.text)
    assert found, answer.text
    return unescape(found[1])


def keys_of(dashboard: Dashboard) -> list[ApiKey]:
    return list(dashboard.world.services.keys.of_organization(ORG))


def made(dashboard: Dashboard, person: PersonClient) -> tuple[ApiKey, str]:
    value = value_in(person.post(f"{KEYS}/new", WANTED))
    return next(k for k in keys_of(dashboard) if value.startswith(k.shown)), value


def status_with(dashboard: Dashboard, value: str) -> int:
    return dashboard.world.client.simulate_get(
        "/v1/videos", headers={"X-Api-Key": value}
    ).status_code


def test_a_key_is_made_used_rotated_and_revoked(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    key, old = made(dashboard, person)
    assert status_with(dashboard, old) == 200

    rotated = person.post(f"{KEYS}/{key.id}/rotate", {"overlap": "1"})
    new = value_in(rotated)

    assert new != old
    # Both, for as long as was chosen.
    assert (status_with(dashboard, old), status_with(dashboard, new)) == (200, 200)
    dashboard.world.clock.move(timedelta(hours=1, seconds=6))
    assert (status_with(dashboard, old), status_with(dashboard, new)) == (401, 200)
    successor = next(k for k in keys_of(dashboard) if new.startswith(k.shown))
    revoked = person.post(f"{KEYS}/{successor.id}/revoke")
    dashboard.world.clock.move(timedelta(seconds=5))
    assert revoked.status_code == 303
    assert status_with(dashboard, new) == 401


def test_a_new_key_has_what_was_chosen(dashboard: Dashboard) -> None:
    key, _ = made(dashboard, dashboard.sign_in(Role.ADMIN))

    assert key.name == "encoder"
    assert key.env_id == dashboard.world.env.id
    assert key.permissions == {Permission.VIDEOS_READ, Permission.VIDEOS_WRITE}
    assert key.expires_at == dashboard.world.clock.now() + timedelta(days=30)


def test_a_key_is_shown_once(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)

    answer = person.post(f"{KEYS}/new", WANTED)
    value = value_in(answer)
    (key,) = [k for k in keys_of(dashboard) if value.startswith(k.shown)]

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert f'data-copy="{value}"' in answer.text
    # A reload leads elsewhere.
    assert f'data-once="{KEYS}/{key.id}"' in answer.text
    assert "once.js" in answer.text
    assert not any(value in text for text in answer.headers.values())
    for path in (KEYS, f"{KEYS}/{key.id}", f"{KEYS}/new"):
        assert value not in person.get(path).text


def test_the_list_tells_about_each_key(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    key, _ = made(dashboard, person)
    full = {**WANTED, "type": "full-access", "environment": "", "name": ""}
    person.post(f"{KEYS}/new", full | {"permission": [p.value for p in Permission]})

    page = person.get(KEYS)

    assert ids_in(page)
    for text in ("encoder", f"{key.shown}…", ">live</td>", "Full access", "Works"):
        assert text in page.text
    assert "<code>videos:write</code>" in page.text
    assert "Unnamed" in page.text
    one = person.get(f"{KEYS}/{key.id}")
    assert ids_in(one)
    assert key.id in one.text
    assert "One environment" in one.text


def test_what_has_ended_is_listed_when_asked_for(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    key, _ = made(dashboard, person)
    person.post(f"{KEYS}/new", {**WANTED, "name": "short", "expiry": "7"})
    person.post(f"{KEYS}/{key.id}/revoke")
    dashboard.world.clock.move(timedelta(days=8))
    person = dashboard.sign_in(Role.ADMIN)

    page, every = person.get(KEYS), person.get(KEYS, "ended=yes")

    assert "encoder" not in page.text
    assert "Show 2 more that have ended" in page.text
    assert "Revoked" in every.text
    assert "Expired" in every.text
    assert "short" in every.text
    ended = person.get(f"{KEYS}/{key.id}")
    assert "Revoke key" not in ended.text


def test_a_key_that_is_being_replaced_says_until_when(
    dashboard: Dashboard,
) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    key, _ = made(dashboard, person)

    person.post(f"{KEYS}/{key.id}/rotate")

    assert "Being replaced" in person.get(KEYS).text
    old = next(k for k in keys_of(dashboard) if k.id == key.id)
    assert old.revoked_at == dashboard.world.clock.now() + timedelta(hours=24)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"type": "system"}, "type"),
        ({"type": ""}, "type"),
        ({"environment": ""}, "environment"),
        ({"environment": "nowhere"}, "environment"),
        ({"permission": []}, "permission"),
        ({"permission": ["everything"]}, "permission"),
        ({"expiry": "5000"}, "expiry"),
    ],
)
def test_what_a_form_lacks_is_said_beside_it(
    shared: Dashboard, changes: dict[str, str | list[str]], field: str
) -> None:
    person = shared.sign_in(Role.ADMIN)
    before = keys_of(shared)

    answer = person.post(f"{KEYS}/new", {**WANTED, **changes})

    assert answer.status_code == 400
    assert "field-error" in answer.text
    if field in {"type", "environment", "expiry"}:
        assert f'id="{field}-about"' in answer.text
    # What was written stays.
    assert 'value="encoder"' in answer.text
    assert keys_of(shared) == before


def test_a_name_that_is_too_long_is_said(dashboard: Dashboard) -> None:
    answer = dashboard.sign_in(Role.ADMIN).post(
        f"{KEYS}/new", {**WANTED, "name": "x" * 201}
    )

    assert answer.status_code == 400
    assert "200 characters" in answer.text


def test_names_are_shown_as_text(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    person.post(f"{KEYS}/new", {**WANTED, "name": "<script>alert(1)</script>"})

    page = person.get(KEYS)

    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert(1)" in page.text


def test_an_organization_changes_twenty_keys_an_hour(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    key, value = made(dashboard, person)
    for _ in range(19):
        assert person.post(f"{KEYS}/new", WANTED).status_code == 200
    dashboard.world.clock.move(timedelta(minutes=18))

    refused = [
        person.post(f"{KEYS}/new", WANTED),
        person.post(f"{KEYS}/{key.id}/rotate"),
        dashboard.sign_in(Role.ADMIN).post(f"{KEYS}/{key.id}/revoke"),
    ]

    for answer in refused:
        assert answer.status_code == 429
        assert answer.headers["retry-after"] == "2520"
        assert "20 keys an hour" in answer.text
        assert "Try again in 42 minutes." in answer.text
        assert 'id="secret"' not in answer.text
    assert 'value="encoder"' in refused[0].text
    for answer in refused[1:]:
        assert form_of(answer, f"{KEYS}/{key.id}/rotate")
    assert status_with(dashboard, value) == 200
    dashboard.world.clock.move(timedelta(minutes=42))
    assert person.post(f"{KEYS}/{key.id}/revoke").status_code == 303


def test_a_key_that_has_ended_is_not_rotated(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    key, _ = made(dashboard, person)
    person.post(f"{KEYS}/{key.id}/revoke")

    answer = person.post(f"{KEYS}/{key.id}/rotate")

    assert answer.status_code == 400
    assert "create a new key" in answer.text
    # On the page of the key.
    assert key.id in answer.text


def test_the_keys_of_others_are_not_there(dashboard: Dashboard) -> None:
    services = dashboard.world.services
    person = dashboard.sign_in(Role.ADMIN)

    theirs = [
        services.keys.create(KeyWanted(type=KeyType.FULL_ACCESS, org_id=OTHER_ORG)),
        services.keys.create(KeyWanted(type=KeyType.SYSTEM)),
    ]

    for created in theirs:
        assert created.key.shown not in person.get(KEYS, "ended=yes").text
        for answer in (
            person.get(f"{KEYS}/{created.key.id}"),
            person.post(f"{KEYS}/{created.key.id}/rotate"),
            person.post(f"{KEYS}/{created.key.id}/revoke"),
        ):
            assert answer.status_code == 404
    found = services.keys.of_organization(OTHER_ORG)
    assert all(key.revoked_at is None for key in found)


def test_many_keys_come_page_by_page(dashboard: Dashboard) -> None:

    for number in range(120):
        dashboard.world.services.keys.create(
            KeyWanted(type=KeyType.FULL_ACCESS, org_id=ORG, name=f"number-{number}")
        )
        dashboard.world.clock.move(timedelta(milliseconds=1))
    person = dashboard.sign_in(Role.ADMIN)

    first, last = person.get(KEYS), person.get(KEYS, "page=3")

    assert "number-119" in first.text
    assert "number-60" not in first.text
    assert "page 1 of 3" in first.text
    for odd in ("page=99", "page=3"):
        assert person.get(KEYS, odd).text.count("<tr>") == last.text.count("<tr>")
    for odd in ("page=0", "page=-1", "page=x", "page=٣", "page=" + "9" * 30):
        assert "number-119" in person.get(KEYS, odd).text


def test_changes_are_audited_with_the_persons_name(dashboard: Dashboard) -> None:
    person = dashboard.sign_in(Role.ADMIN)
    key, _ = made(dashboard, person)
    person.post(f"{KEYS}/{key.id}/revoke")

    entries = dashboard.world.services.audit.latest(ORG, limit=2)

    assert [entry.action for entry in entries] == ["key.revoke", "key.create"]
    assert {entry.actor_name for entry in entries} == {"Admin Person"}
