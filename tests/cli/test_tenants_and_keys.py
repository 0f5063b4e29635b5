"""
hv orgs, hv envs and hv keys.
"""

import json
from datetime import UTC, datetime, timedelta

import pytest

from hvcore.domain.access.keys import is_key_value
from tests.cli.conftest import Hv


@pytest.fixture
def hv(migrated: Hv) -> Hv:
    assert migrated("orgs", "create", "org_acme").status == 0
    for name, kind in (("live", "production"), ("dev", "development")):
        assert migrated("envs", "create", "org_acme", name, "--kind", kind).status == 0
    return migrated


def created(hv: Hv, *words: str) -> dict[str, object]:
    outcome = hv("keys", "create", "--org", "org_acme", *words, "--json")
    assert outcome.status == 0, outcome.stderr
    return json.loads(outcome.stdout)


def test_an_organization_is_made_once(hv: Hv) -> None:
    again = hv("orgs", "create", "org_acme")

    assert again.status == 1
    assert "org_acme" in again.stderr


def test_environments_are_listed_with_their_kind(hv: Hv) -> None:
    outcome = hv("envs", "list", "org_acme", "--json")

    environments = json.loads(outcome.stdout)["environments"]
    assert {env["envID"]: env["kind"] for env in environments} == {
        "live": "production",
        "dev": "development",
    }


def test_environments_of_nobody_are_an_error(hv: Hv) -> None:
    outcome = hv("envs", "list", "org_nobody")

    assert outcome.status == 1
    assert "org_nobody" in outcome.stderr


def test_a_new_key_is_one_json_document(hv: Hv) -> None:
    key = created(hv, "--type", "environment", "--env", "dev", "--name", "ci")

    assert is_key_value(str(key["apiKey"]))
    assert str(key["apiKey"]).startswith("hv_test_")
    assert str(key["keyID"]).startswith("key_")
    assert (key["name"], key["envID"], key["type"]) == ("ci", "dev", "environment")


def test_a_key_can_be_given_fewer_rights_and_an_end(hv: Hv) -> None:
    key = created(
        *(hv, "--type", "full-access", "--permission", "videos:read"),
        *("--expires-in", "90d"),
    )

    assert key["permissions"] == ["videos:read"]
    expires = datetime.fromisoformat(str(key["expiresAt"]))
    left = expires - datetime.now(UTC)
    assert timedelta(days=89) < left <= timedelta(days=90)


def test_a_key_shows_its_value_once(hv: Hv) -> None:
    key = created(hv, "--type", "environment", "--env", "live")

    listed = hv("keys", "list", "--org", "org_acme", "--json")

    assert str(key["keyID"]) in listed.stdout
    assert str(key["apiKey"]) not in listed.stdout


def test_an_environment_key_needs_its_environment(hv: Hv) -> None:
    outcome = hv("keys", "create", "--org", "org_acme", "--type", "environment")

    assert outcome.status == 1
    assert "environment" in outcome.stderr


def test_a_revoked_key_is_listed_as_such(hv: Hv) -> None:
    key = created(hv, "--type", "environment", "--env", "live")

    revoked = hv("keys", "revoke", str(key["keyID"]))

    assert revoked.status == 0
    (listed,) = json.loads(hv("keys", "list", "--org", "org_acme", "--json").stdout)[
        "keys"
    ]
    assert listed["revokedAt"]


def test_a_rotated_key_goes_on_for_its_overlap(hv: Hv) -> None:
    old = created(hv, "--type", "environment", "--env", "live")

    outcome = hv("keys", "rotate", str(old["keyID"]), "--overlap", "2h", "--json")

    new = json.loads(outcome.stdout)
    assert new["apiKey"] != old["apiKey"]
    keys = json.loads(hv("keys", "list", "--org", "org_acme", "--json").stdout)["keys"]
    ends = {key["keyID"]: key["revokedAt"] for key in keys}
    assert ends[new["keyID"]] is None
    left = datetime.fromisoformat(ends[old["keyID"]]) - datetime.now(UTC)
    assert timedelta(hours=1, minutes=59) < left <= timedelta(hours=2)


def test_revoking_what_is_not_there_is_an_error(hv: Hv) -> None:
    outcome = hv("keys", "revoke", "key_nobody")

    assert outcome.status == 1
    assert "key_nobody" in outcome.stderr


def test_a_system_key_ignores_an_organization_and_says_so(hv: Hv) -> None:
    outcome = hv("keys", "create", "--org", "org_acme", "--type", "system", "--json")

    assert outcome.status == 0
    assert json.loads(outcome.stdout)["orgID"] is None
    assert "org_acme is ignored" in outcome.stderr
