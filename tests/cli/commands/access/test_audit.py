"""
hv audit.
"""

import json
import os
import pwd

import pytest

from tests.cli.conftest import Hv


def me() -> str:
    return f"cli:{pwd.getpwuid(os.geteuid()).pw_name}"


def read(hv: Hv, *words: str) -> list[dict[str, object]]:
    outcome = hv("audit", "--json", *words)
    assert outcome.status == 0, outcome.stderr
    found: list[dict[str, object]] = json.loads(outcome.stdout)["entries"]
    return found


@pytest.fixture
def hv(migrated: Hv, monkeypatch: pytest.MonkeyPatch) -> Hv:
    monkeypatch.delenv("SUDO_USER", raising=False)
    assert migrated("orgs", "create", "org_acme").status == 0
    made = migrated("envs", "create", "org_acme", "live", "--kind", "production")
    assert made.status == 0
    return migrated


def test_what_was_done_is_shown_latest_first_with_who_did_it(hv: Hv) -> None:
    key = json.loads(
        hv("keys", "create", "--type", "system", "--name", "ops", "--json").stdout
    )
    hv("keys", "revoke", key["keyID"])

    entries = read(hv)

    assert [entry["action"] for entry in entries] == [
        "key.revoke",
        "key.create",
        "environment.create",
        "organization.create",
    ]
    assert {entry["actor"] for entry in entries} == {me()}
    assert entries[0]["subject"] == key["keyID"]
    assert set(entries[0]) == {
        *("at", "actor", "actorName", "action", "subject", "orgID", "details"),
    }


def test_one_organization_and_a_limit(hv: Hv) -> None:
    hv("orgs", "create", "org_b")

    assert [e["subject"] for e in read(hv, "--org", "org_b")] == ["org_b"]
    assert len(read(hv, "--limit", "2")) == 2


def test_entries_of_programs_are_left_out_or_shown_alone(hv: Hv) -> None:
    everybody = read(hv)

    assert read(hv, "--by", "person") == everybody
    assert read(hv, "--by", "program") == []
    assert hv("audit", "--by", "nobody").status == 2


def test_the_log_of_nobody_is_an_error(hv: Hv) -> None:
    outcome = hv("audit", "--org", "org_none")

    assert outcome.status == 1
    assert "There is no organization org_none" in outcome.stderr


def test_a_table_for_people(hv: Hv) -> None:
    outcome = hv("audit")

    assert outcome.status == 0
    assert "organization.create" in outcome.stdout
    assert me() in outcome.stdout


def test_no_key_is_in_the_log(hv: Hv) -> None:
    created = hv("keys", "create", "--type", "system", "--json")

    value = json.loads(created.stdout)["apiKey"]

    assert value not in hv("audit").stdout + hv("audit", "--json").stdout
