"""
hv members and hv sessions.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.assembly import Services, build
from hvcore.domain.access.roles import Role
from hvcore.services.sign_in.sessions import StartedSession
from hvcore.settings import load
from tests.cli.conftest import Hv

ORG = ("--org", "org_acme")


@pytest.fixture
def hv(migrated: Hv) -> Hv:
    assert migrated("orgs", "create", "org_acme").status == 0
    return migrated


@pytest.fixture
def services(hv: Hv, tmp_path: Path) -> Iterator[Services]:
    del hv
    data = tmp_path / "hv-data"
    with build(load(config_path=None, environ={}, data_dir=data).settings) as made:
        yield made


def signed_in(services: Services, member_id: str) -> StartedSession:
    made = services.sign_in_links.for_member("org_acme", member_id)
    code = made.address.partition("#")[2]
    return services.sign_ins.complete_link(code, client_address="192.0.2.7")


def listed(hv: Hv, what: str, *words: str) -> list[dict[str, object]]:
    outcome = hv(what, "list", *words, "--json")
    assert outcome.status == 0, outcome.stderr
    found: list[dict[str, object]] = json.loads(outcome.stdout)[what]
    return found


def test_members_are_listed_with_their_roles(hv: Hv, services: Services) -> None:
    ann = services.members.add(
        "org_acme", role=Role.ADMIN, email="ann@example.com", name="Ann"
    )
    services.members.add("org_acme", role=Role.VIEWER, name="Bob")

    first, second = listed(hv, "members", *ORG)
    shown = hv("members", "list", *ORG).stdout

    assert first["memberID"] == ann.id
    assert (first["role"], first["email"]) == ("admin", "ann@example.com")
    assert (second["role"], second["email"]) == ("viewer", None)
    assert ann.id in shown


@pytest.mark.parametrize("is_by_email", [True, False])
def test_a_member_gets_another_role_and_is_removed(
    hv: Hv, services: Services, *, is_by_email: bool
) -> None:
    ann = services.members.add("org_acme", role=Role.VIEWER, email="ann@example.com")
    services.members.add("org_acme", role=Role.ADMIN, name="Olga")
    named = "Ann@example.com" if is_by_email else ann.id
    session = signed_in(services, ann.id)

    changed = hv("members", "set", named, *ORG, "--role", "editor", "--json")
    person = services.sign_in_sessions.person_of(session.value)
    removed = hv("members", "remove", named, *ORG)

    assert json.loads(changed.stdout)["role"] == "editor"
    assert person is not None
    assert person.role_in("org_acme") is Role.EDITOR
    assert removed.stdout == "ann@example.com is no member any more\n"
    assert services.sign_in_sessions.person_of(session.value) is None
    actors = {
        entry["actor"].partition(":")[0]
        for entry in json.loads(hv("audit", "--json").stdout)["entries"]
        if entry["action"] in {"member.change", "member.remove"}
    }
    assert actors == {"cli"}


def test_the_last_admin_stays(hv: Hv, services: Services) -> None:
    olga = services.members.add("org_acme", role=Role.ADMIN, name="Olga")

    outcomes = [
        hv("members", "remove", olga.id, *ORG),
        hv("members", "set", olga.id, *ORG, "--role", "viewer"),
    ]

    assert [outcome.status for outcome in outcomes] == [1, 1]
    assert all("last admin" in outcome.stderr for outcome in outcomes)


@pytest.mark.parametrize(
    "words",
    [
        ("remove", "mem_none", *ORG),
        ("remove", "none@example.com", *ORG),
        ("set", "mem_none", "--role", "admin", *ORG),
        ("list", "--org", "org_none"),
    ],
    ids=str,
)
def test_who_is_not_there_is_told(hv: Hv, words: tuple[str, ...]) -> None:
    outcome = hv("members", *words)

    assert outcome.status == 1
    assert outcome.stderr.startswith("Error: ")
    assert not outcome.stdout


def test_sessions_are_listed_and_ended(hv: Hv, services: Services) -> None:
    ann = services.members.add(
        "org_acme", role=Role.VIEWER, email="ann@example.com", name="Ann"
    )
    bob = services.members.add("org_acme", role=Role.ADMIN, name="Bob")
    sessions = [signed_in(services, one.id) for one in (ann, ann, bob)]

    found = listed(hv, "sessions")
    shown = hv("sessions", "list").stdout
    ended = hv("sessions", "end", f"link:{ann.id}")
    nobody = hv("sessions", "end", f"link:{ann.id}")

    assert [one["person"] for one in found].count(f"link:{ann.id}") == 2
    assert found[0]["roles"] in ({"org_acme": "viewer"}, {"org_acme": "admin"})
    assert {one["email"] for one in found} == {"ann@example.com", None}
    assert "viewer in org_acme" in shown
    assert not any(session.value in shown for session in sessions)
    assert ended.stdout == f"2 sessions of link:{ann.id} ended\n"
    people = [
        services.sign_in_sessions.person_of(session.value) for session in sessions
    ]
    assert [person is None for person in people] == [True, True, False]
    assert nobody.status == 1
    assert "hv sessions list" in nobody.stderr


def test_an_operator_is_shown_as_one(hv: Hv, services: Services) -> None:
    made = services.sign_in_links.for_operator(name="Olga", email="olga@example.com")
    services.sign_ins.complete_link(
        made.address.partition("#")[2], client_address="192.0.2.7"
    )

    (found,) = listed(hv, "sessions")
    ended = hv("sessions", "end", "olga@example.com", "--json")

    assert found["isOperator"] is True
    assert json.loads(ended.stdout) == {"person": "olga@example.com", "ended": 1}
