"""
Keys: their form, their validity, their reach.
"""

from datetime import UTC, datetime, timedelta

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hvcore.domain import ids
from hvcore.domain.access.keys import (
    ALL_PERMISSIONS,
    KEY_CHARS,
    ApiKey,
    KeyType,
    is_key_value,
    new_key_value,
)
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.ids import EnvId, OrgId

NOW = datetime(2026, 1, 2, tzinfo=UTC)
KEY = ApiKey(
    id=ids.new_key_id(),
    name="",
    type=KeyType.ENVIRONMENT,
    org_id=OrgId("org_a"),
    env_id=EnvId("env_a"),
    permissions=ALL_PERMISSIONS,
    sha256="0" * 64,
    shown="hv_live_abcd",
    created_at=NOW,
)


@pytest.mark.parametrize(
    ("kind", "prefix"),
    [
        (EnvironmentKind.PRODUCTION, "hv_live_"),
        (EnvironmentKind.DEVELOPMENT, "hv_test_"),
    ],
)
def test_a_key_has_its_prefix_and_32_characters(
    kind: EnvironmentKind, prefix: str
) -> None:
    value = new_key_value(kind)

    assert value.startswith(prefix)
    assert len(value) == len(prefix) + KEY_CHARS
    assert is_key_value(value)


@given(position=st.integers(8, 39), char=st.sampled_from("aZ0"))
def test_a_mistyped_key_is_recognised_without_a_lookup(
    position: int, char: str
) -> None:
    value = new_key_value(EnvironmentKind.PRODUCTION)
    mistyped = value[:position] + char + value[position + 1 :]

    assert is_key_value(mistyped) == (mistyped == value)


@pytest.mark.parametrize("text", ["", "hv_live_", "hv_test_" + "a" * 31, "x" * 40])
def test_other_text_is_no_key(text: str) -> None:
    assert not is_key_value(text)


def test_an_expired_or_revoked_key_does_not_work() -> None:
    later = NOW + timedelta(hours=1)

    assert KEY.is_valid_at(NOW)
    assert not attrs.evolve(KEY, expires_at=NOW).is_valid_at(NOW)
    assert not attrs.evolve(KEY, revoked_at=NOW).is_valid_at(NOW)
    assert attrs.evolve(KEY, revoked_at=later).is_valid_at(NOW)


@pytest.mark.parametrize(
    ("key_type", "own_env", "other_env", "other_org"),
    [
        (KeyType.ENVIRONMENT, True, False, False),
        (KeyType.FULL_ACCESS, True, True, False),
        (KeyType.SYSTEM, True, True, True),
    ],
)
def test_each_type_of_key_reaches_as_far_as_documented(
    key_type: KeyType, *, own_env: bool, other_env: bool, other_org: bool
) -> None:
    caller = Principal(
        key_id=KEY.id,
        type=key_type,
        org_id=None if key_type is KeyType.SYSTEM else OrgId("org_a"),
        env_id=EnvId("env_a"),
        permissions=ALL_PERMISSIONS,
    )

    assert caller.may_use_org("org_a")
    assert caller.may_use_env(EnvId("env_a")) is own_env
    assert caller.may_use_env(EnvId("env_b")) is other_env
    assert caller.may_use_org("org_b") is other_org


def test_identifiers_have_their_prefix_and_22_random_characters() -> None:
    for make, prefix in (
        (ids.new_video_id, "vid_"),
        (ids.new_public_id, "pubvid_"),
        (ids.new_org_id, "org_"),
        (ids.new_env_id, "env_"),
        (ids.new_key_id, "key_"),
    ):
        made = {make() for _ in range(100)}
        assert len(made) == 100
        assert all(i.startswith(prefix) for i in made)
        assert all(len(i) == len(prefix) + 22 for i in made)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("org_acme", True),
        ("dev", True),
        ("a" * 64, True),
        ("a" * 65, False),
        ("", False),
        ("a b", False),
        ("ä", False),
        ("../x", False),
        ("a\n", False),
    ],
)
def test_a_chosen_identifier_has_only_safe_characters(
    text: str, *, allowed: bool
) -> None:
    assert ids.is_chosen_id(text) is allowed
