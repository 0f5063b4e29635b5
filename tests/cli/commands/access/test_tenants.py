"""
hv orgs, hv envs and hv keys.
"""

import json
from datetime import UTC, datetime, timedelta

import pytest

from hvcore.domain.access.keys import ALL_PERMISSIONS, is_key_value
from tests.cli.conftest import Hv
from tests.support.doc_blocks import code_under


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


def organizations(hv: Hv) -> dict[str, dict[str, object]]:
    listed = json.loads(hv("orgs", "list", "--json").stdout)["organizations"]
    return {one["orgID"]: one for one in listed}


def test_limits_are_set_one_by_one_and_listed_with_their_use(hv: Hv) -> None:
    assert hv("orgs", "create", "org_free").status == 0
    set_ = hv("orgs", "set", "org_acme", "--stored-bytes", "1000", "--weight", "2.5")
    assert set_.status == 0, set_.stderr
    assert "0 of 1000" in set_.stdout
    assert hv("orgs", "set", "org_acme", "--concurrent-encodes", "3").status == 0

    found = organizations(hv)

    assert found["org_acme"]["weight"] == 2.5
    assert found["org_acme"]["quotas"] == {
        "concurrentEncodes": {"limit": 3, "used": 0},
        "encodedMinutesPerMonth": {"limit": None, "used": 0},
        "storedBytes": {"limit": 1000, "used": 0},
        "deliveredBytesPerMonth": {"limit": None, "used": 0},
        "captionMinutesPerMonth": {"limit": None, "used": 0},
    }
    free = found["org_free"]
    assert free["weight"] == 1
    alone = hv("orgs")
    assert alone.status == 0
    assert alone.stdout == hv("orgs", "list").stdout
    assert "0 of 1000" in alone.stdout


def test_none_removes_a_limit(hv: Hv) -> None:
    numbers = ("--encoded-minutes-per-month", "60", "--delivered-bytes-per-month", "0")
    assert hv("orgs", "set", "org_acme", *numbers).status == 0

    changed = hv(
        *("orgs", "set", "org_acme", "--delivered-bytes-per-month", "none", "--json")
    )

    quotas = json.loads(changed.stdout)["quotas"]
    assert quotas["deliveredBytesPerMonth"]["limit"] is None
    assert quotas["encodedMinutesPerMonth"]["limit"] == 60


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("org_acme",), "at least one limit"),
        (("org_acme", "--stored-bytes", "-1"), "no whole number"),
        (("org_acme", "--stored-bytes", "5GB"), "no whole number"),
        (("org_acme", "--stored-bytes", "9" * 18), ""),
        (("org_acme", "--stored-bytes", "9" * 19), "no whole number"),
        (("org_acme", "--concurrent-encodes", "0"), "from 1 to"),
        (("org_acme", "--weight", "0"), "from 0.01 to 100"),
        (("org_acme", "--weight", "nan"), "from 0.01 to 100"),
        (("org_nobody", "--weight", "1"), "org_nobody"),
    ],
)
def test_a_limit_that_nobody_can_have_is_refused(
    hv: Hv, words: tuple[str, ...], said: str
) -> None:
    outcome = hv("orgs", "set", *words)

    assert (outcome.status != 0) == bool(said)
    assert said in outcome.stderr


def test_changed_limits_are_audited(hv: Hv) -> None:
    assert hv("orgs", "set", "org_acme", "--stored-bytes", "7").status == 0

    entries = json.loads(hv("audit", "--org", "org_acme", "--json").stdout)["entries"]

    assert entries[0]["action"] == "organization.set"
    assert entries[0]["details"] == {"stored_bytes": 7}


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
    assert key["permissions"] == sorted(one.value for one in ALL_PERMISSIONS)


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


def test_the_page_about_test_mode_makes_a_test_key(hv: Hv) -> None:
    commands = code_under("how-to/test-mode.md", "Get a test key").splitlines()

    told = [hv(*command.removeprefix("$ hv ").split()) for command in commands]

    assert [outcome.status for outcome in told] == [0, 0]
    assert told[-1].stdout.startswith("hv_test_")


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
