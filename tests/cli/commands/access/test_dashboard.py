"""
hv dashboard link.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.assembly import Services, build
from hvcore.domain.access.roles import Role
from hvcore.ports.sign_in import SignInRefusedError
from hvcore.services.sign_in.sessions import StartedSession
from hvcore.settings import load
from tests.cli.conftest import Hv, Outcome

PAGE = "http://127.0.0.1:8080/dashboard/sign-in/link"


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


def opened(services: Services, outcome: Outcome) -> StartedSession:
    assert outcome.status == 0, outcome.stderr
    code = json.loads(outcome.stdout)["url"].partition("#")[2]
    return services.sign_ins.complete_link(code, client_address="192.0.2.7")


def test_it_prints_an_address_and_nothing_else(hv: Hv) -> None:
    outcome = hv("dashboard", "link")

    assert outcome.status == 0
    assert re.fullmatch(re.escape(PAGE) + r"#[\w-]{43}\n", outcome.stdout)
    assert "signs in once, until 2" in outcome.stderr


def test_it_signs_an_operator_in_once(hv: Hv, services: Services) -> None:
    made = hv("dashboard", "link", "--operator", "--name", "Olga", "--json")

    person = opened(services, made).person

    assert person.is_operator
    assert person.name == "Olga"
    with pytest.raises(SignInRefusedError, match="used already"):
        opened(services, made)


def test_an_operator_without_a_name_has_that_of_the_system(
    hv: Hv, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_USER", raising=False)
    person = opened(services, hv("dashboard", "link", "--json")).person

    (entry, *_) = json.loads(hv("audit", "--json").stdout)["entries"]
    assert entry["action"] == "session.start"
    assert entry["actorName"] == person.name
    assert f"{person.name} (link:operator)" in hv("audit").stdout
    assert entry["actor"] == "link:operator"


def test_a_member_is_made_and_found_again(hv: Hv, services: Services) -> None:
    words = ("dashboard", "link", "--org", "org_acme", "--email", "ann@example.com")
    without_role = hv(*words)
    first = opened(services, hv(*words, "--role", "editor", "--json")).person
    second = opened(services, hv(*words, "--json")).person
    third = opened(services, hv(*words, "--role", "admin", "--json")).person

    assert without_role.status == 1
    assert "say with --role" in without_role.stderr
    assert first.subject == second.subject == third.subject
    roles = [person.role_in("org_acme") for person in (first, second, third)]
    assert roles == [Role.EDITOR, Role.EDITOR, Role.ADMIN]
    assert not third.is_operator


def test_a_member_may_have_a_name_alone(hv: Hv, services: Services) -> None:
    words = ("dashboard", "link", "--org", "org_acme", "--name", "Ann", "--json")
    first = opened(services, hv(*words, "--role", "viewer")).person
    second = opened(services, hv(*words)).person
    services.members.add("org_acme", role=Role.ADMIN, name="Ann")

    third = hv(*words)

    assert first.subject == second.subject
    assert third.status == 1
    assert "2 members called Ann" in third.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("--role", "viewer"),
        ("--operator", "--org", "org_acme"),
        ("--org", "org_acme"),
        ("--org", "org_acme", "--role", "owner", "--name", "Ann"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(
    hv: Hv, words: tuple[str, ...]
) -> None:
    outcome = hv("dashboard", "link", *words)

    assert outcome.status == 2
    assert not outcome.stdout


def test_an_organization_that_is_not_there_is_named(hv: Hv) -> None:
    words = ("--org", "org_none", "--role", "viewer", "--name", "Ann")

    outcome = hv("dashboard", "link", *words)

    assert outcome.status == 1
    assert "org_none" in outcome.stderr


def test_the_dashboards_own_address_is_used(hv: Hv) -> None:
    own = {"HV_PUBLIC__DASHBOARD_URL": "https://studio.example.com/"}

    outcome = hv("dashboard", "link", **own)

    assert outcome.stdout.startswith(
        "https://studio.example.com/dashboard/sign-in/link#"
    )


def test_without_a_dashboard_there_is_no_link(hv: Hv) -> None:
    outcome = hv("dashboard", "link", HV_DASHBOARD__ENABLED="false")

    assert outcome.status == 1
    assert "HV_DASHBOARD__ENABLED" in outcome.stderr


def test_no_member_gets_past_a_provider(hv: Hv) -> None:
    words = ("--org", "org_acme", "--role", "viewer", "--name", "Ann")
    provider = {
        "HV_SIGN_IN__BACKEND": "oidc",
        "HV_SIGN_IN__OIDC__ISSUER": "https://id.example.com",
        "HV_SIGN_IN__OIDC__CLIENT_ID": "hv",
    }

    outcome = hv("dashboard", "link", *words, **provider)

    assert outcome.status == 1
    assert "links are for operators" in outcome.stderr
    assert hv("dashboard", "link", **provider).status == 0


def test_the_backends_of_sign_in_are_listed(hv: Hv) -> None:
    listed = json.loads(hv("plugins", "--json").stdout)["plugins"]

    found = {one["name"]: one["active"] for one in listed if one["kind"] == "sign_in"}
    assert found == {"link": True, "oidc": False}
