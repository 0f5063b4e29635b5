"""
Commands answer in words for people, and as one JSON document for programs.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from hvcore.assembly import Services, build
from hvcore.domain.access.roles import Role
from hvcore.settings import load
from tests.cli.conftest import Hv

HOOK = "https://hooks.example.com/"


@attrs.define
class BothAnswers:
    """
    Calls a command once for people and once for programs.

    Attributes:
        document: What programs got from the last command.
        words: What people got from it.
    """

    hv: Hv
    document: dict[str, object] = attrs.Factory(dict)
    words: str = ""

    def of(self, *words: str) -> "BothAnswers":
        """
        Run a command on two things, whose names have ``{}`` in these words.
        """
        said = self.hv(*(word.format("people") for word in words))
        told = self.hv(*(word.format("programs") for word in words), "--json")
        assert (said.status, told.status) == (0, 0), said.stderr + told.stderr
        assert not said.stdout.startswith("{")
        words = said.stdout + said.stderr
        return attrs.evolve(self, document=json.loads(told.stdout), words=words)


@pytest.fixture
def both(migrated: Hv, monkeypatch: pytest.MonkeyPatch) -> BothAnswers:
    monkeypatch.setenv("HV_FETCH__ALLOWED_HOSTS", "hooks.example.com")
    return BothAnswers(migrated)


@pytest.fixture
def services(both: BothAnswers, tmp_path: Path) -> Iterator[Services]:
    del both
    data = tmp_path / "hv-data"
    with build(load(config_path=None, environ={}, data_dir=data).settings) as made:
        yield made


def test_organizations_environments_and_keys_are_told_both_ways(
    both: BothAnswers,
) -> None:
    made = both.of("orgs", "create", "org_{}")
    assert (made.words, made.document["orgID"]) == ("org_people\n", "org_programs")
    made = both.of("envs", "create", "org_programs", "{}", "--kind", "production")
    assert (made.words, made.document["envID"]) == ("people\n", "programs")
    listed = both.of("envs", "list", "org_programs")
    assert "people  " in listed.words
    assert len(str(listed.document["environments"])) > 100
    key = ("keys", "create", "--org", "org_programs", "--type", "full-access")
    made = both.of(*key, "--env", "programs")
    value, *told = made.words.split()
    ids = {"people": told[2].strip(";"), "programs": str(made.document["keyID"])}
    assert value.startswith("hv_live_")
    assert " ".join(told[3:]) == "its value is not shown again."

    for command in ("rotate", "revoke"):
        said = both.hv("keys", command, ids["people"])
        found = json.loads(both.hv("keys", command, ids["programs"], "--json").stdout)
        if command == "revoke":
            assert said.stdout == f"{ids['people']} is revoked\n"
            assert (found["keyID"], bool(found["revokedAt"])) == (ids["programs"], True)
        else:
            assert said.stdout.startswith("hv_live_")
            assert "not shown again" in said.stderr
            assert found["apiKey"].startswith("hv_live_")
    assert ids["people"] in both.of("keys", "list", "--org", "org_programs").words


def test_people_and_their_sessions_are_told_both_ways(
    both: BothAnswers, services: Services
) -> None:
    org = ("--org", "org_acme")
    assert both.hv("orgs", "create", "org_acme").status == 0
    services.members.add("org_acme", role=Role.ADMIN, name="Olga")
    for name in ("people", "programs"):
        member = services.members.add(
            "org_acme", role=Role.VIEWER, email=f"{name}@example.com", name=name
        )
        link = services.sign_in_links.for_member("org_acme", member.id)
        code = link.address.partition("#")[2]
        services.sign_ins.complete_link(code, client_address="192.0.2.7")

    changed = both.of("members", "set", "{}@example.com", *org, "--role", "editor")
    assert changed.words == "people has the role editor now\n"
    assert (changed.document["name"], changed.document["role"]) == (
        *("programs", "editor"),
    )
    ended = both.of("sessions", "end", "{}@example.com")
    assert ended.words == "1 session of people@example.com ended\n"
    assert ended.document == {"person": "programs@example.com", "ended": 1}
    removed = both.of("members", "remove", "{}@example.com", *org)
    assert removed.words == "people is no member any more\n"
    assert (removed.document["state"], len(removed.document)) == ("removed", 2)
    assert [one.name for one in services.members.of_organization("org_acme")] == [
        "Olga"
    ]


def test_keys_that_sign_are_told_both_ways(both: BothAnswers) -> None:
    org = ("--org", "org_acme")
    assert both.hv("orgs", "create", "org_acme").status == 0

    made = both.of("signing-keys", "create", *org, "--name", "{}")
    listed = both.of("signing-keys", "list", *org)
    ours = both.of("keys", "signing")
    rotated = both.of("keys", "rotate-signing", "--for", "playback", "--now")

    assert made.words.startswith("-----BEGIN PRIVATE KEY-----\n")
    kid = str(made.document["kid"])
    assert both.hv("signing-keys", "revoke", kid, *org).stdout == f"{kid} is revoked\n"
    assert "people" in listed.words
    assert "programs" in str(listed.document["signingKeys"])
    assert ours.words.startswith("FOR ")
    assert set(ours.document) == set(rotated.document) == {"signingKeys"}
    assert rotated.words


def test_webhooks_are_told_both_ways(both: BothAnswers) -> None:
    org = ("--org", "org_acme")
    assert both.hv("orgs", "create", "org_acme").status == 0
    both.hv("envs", "create", "org_acme", "live", "--kind", "production")

    made = both.of("webhooks", "add", *org, "--env", "live", f"{HOOK}{{}}")
    ids = [str(made.document["webhookID"]), made.words.split("for ")[1].split(";")[0]]

    assert set(ids) == {
        line.split()[0] for line in both.of("webhooks", "list").words.splitlines()[1:]
    }
    for command, state in (("disable", "disabled"), ("enable", "active")):
        said = both.hv("webhooks", command, ids[0])
        told = json.loads(both.hv("webhooks", command, ids[1], "--json").stdout)
        assert said.stdout == f"{ids[0]} is {told['state']}\n"
        assert told["state"] == state
    said = both.hv("webhooks", "rotate", ids[0])
    assert said.stdout.startswith("whsec_")
    assert "it is not shown again" in said.stderr
    assert both.hv("webhooks", "remove", ids[0]).stdout == f"{ids[0]} is removed\n"
    told = json.loads(both.hv("webhooks", "remove", ids[1], "--json").stdout)
    assert told == {"webhookID": ids[1], "state": "removed"}
    assert both.of("webhooks", "list").document == {"webhooks": []}
