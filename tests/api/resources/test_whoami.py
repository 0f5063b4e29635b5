"""
What a key is told about itself.
"""

from datetime import timedelta

import pytest

from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType, Permission
from tests.support.http.world import ORG, Key, World, body_of, problem_of

EVERYTHING = sorted(permission.value for permission in ALL_PERMISSIONS)


def whoami(api: World, key: Key | None = None) -> dict[str, object]:
    return body_of(api.get("/v1/whoami", key=key))


def test_an_environment_key(api: World) -> None:
    answer = whoami(api)

    assert str(answer.pop("keyID")).startswith("key_")
    assert answer == {
        "orgID": ORG,
        "envID": "live",
        "kind": "production",
        "keyType": "environment",
        "name": "",
        "permissions": EVERYTHING,
        "expiresAt": None,
        "quotas": {},
    }


def test_a_key_that_ends_and_may_do_little(api: World) -> None:
    key = api.make_key(
        env="dev",
        permissions=frozenset({Permission.VIDEOS_WRITE, Permission.ANALYTICS_READ}),
        expires_in=timedelta(days=1),
    )

    answer = whoami(api, key)

    assert answer["permissions"] == ["analytics:read", "videos:write"]
    assert answer["expiresAt"] == "2026-01-03T03:04:05.678Z"
    assert (answer["envID"], answer["kind"]) == ("dev", "development")


def test_no_permission_is_needed(api: World) -> None:
    key = api.make_key(permissions=frozenset())

    assert whoami(api, key)["permissions"] == []


def test_a_full_access_key_has_its_default_environment_or_none(api: World) -> None:
    with_default = whoami(api, api.make_key(KeyType.FULL_ACCESS, env="dev"))
    without = whoami(api, api.make_key(KeyType.FULL_ACCESS, env=None))

    assert (with_default["envID"], with_default["kind"]) == ("dev", "development")
    assert (without["orgID"], without["envID"], without["kind"]) == (ORG, None, None)
    assert without["keyType"] == "full-access"


def test_a_system_key_belongs_to_nobody(api: World) -> None:
    answer = whoami(api, api.system_key())

    assert (answer["orgID"], answer["envID"], answer["kind"]) == (None, None, None)
    assert answer["keyType"] == "system"


@pytest.mark.parametrize("value", ["", "hv_live_" + "0" * 32])
def test_a_malformed_key_is_unauthorized(api: World, value: str) -> None:
    problem_of(api.get("/v1/whoami", key=Key(value=value)), 401, "unauthorized")


def test_a_revoked_key_is_told_nothing(api: World) -> None:
    key = api.make_key()
    api.services.keys.revoke(str(whoami(api, key)["keyID"]))
    # A key may be remembered for a moment.
    api.clock.move(timedelta(seconds=5))

    problem_of(api.get("/v1/whoami", key=key), 401, "unauthorized")


def test_a_rotated_key_works_for_its_overlap_and_is_like_the_old_one(
    api: World,
) -> None:
    old = api.make_key(
        KeyType.FULL_ACCESS,
        env="dev",
        permissions=frozenset({Permission.VIDEOS_READ}),
        expires_in=timedelta(days=30),
    )
    before = whoami(api, old)

    created = api.services.keys.rotate(str(before["keyID"]), overlap=timedelta(hours=1))

    new = Key(value=created.value)
    after = whoami(api, new)
    assert after.pop("keyID") != before["keyID"]
    assert after == {k: v for k, v in whoami(api, old).items() if k != "keyID"}
    # A full-access key of a development environment stays a test key.
    assert (old.value[:8], new.value[:8]) == ("hv_test_", "hv_test_")
    api.clock.move(timedelta(hours=1))
    problem_of(api.get("/v1/whoami", key=old), 401, "unauthorized")
    whoami(api, new)
