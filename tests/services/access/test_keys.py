"""
The life of API keys, and what the audit log tells of it.
"""

import json
from collections.abc import Mapping
from datetime import timedelta

import pytest

from hvcore.domain.access.audit import AuditEntry
from hvcore.domain.access.keys import (
    ALL_PERMISSIONS,
    DISPLAYED_CHARS,
    KeyType,
    Permission,
    is_key_value,
)
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.errors import InvalidParametersError, NotFoundError
from hvcore.services.access.audit import acting_as
from hvcore.services.access.keys import KeyCreated, KeyWanted
from tests.services.conftest import World

HOUR = timedelta(hours=1)


def create(world: World, **wanted: object) -> KeyCreated:
    details: dict[str, object] = {
        "type": KeyType.ENVIRONMENT,
        "org_id": "org_a",
        "env": "live",
        **wanted,
    }
    return world.services.keys.create(KeyWanted(**details))  # type: ignore[arg-type]  # each of its own type


def entries(world: World, org_id: str | None = None) -> list[AuditEntry]:
    """
    Return the log, oldest first.
    """
    return list(reversed(world.services.audit.latest(org_id, limit=1000)))


def test_a_key_is_stored_as_a_hash(world: World) -> None:
    created = create(world)

    assert is_key_value(created.value)
    assert created.key.shown == created.value[:DISPLAYED_CHARS]
    database = b"".join(
        path.read_bytes() for path in world.storage_dir.parent.glob("hvcore.sqlite3*")
    )
    assert created.key.sha256.encode() in database
    assert created.value.encode() not in database


@pytest.mark.parametrize(
    ("wanted", "prefix"),
    [
        ({"env": "live"}, "hv_live_"),
        ({"env": "dev"}, "hv_test_"),
        ({"type": KeyType.FULL_ACCESS, "env": None}, "hv_live_"),
        ({"type": KeyType.FULL_ACCESS, "env": "live"}, "hv_live_"),
        ({"type": KeyType.FULL_ACCESS, "env": "dev"}, "hv_test_"),
        ({"type": KeyType.SYSTEM, "org_id": None, "env": None}, "hv_live_"),
    ],
)
def test_a_keys_prefix_survives_its_rotation(
    world: World, wanted: Mapping[str, object], prefix: str
) -> None:
    make_dev(world)
    created = create(world, **wanted)

    rotated = world.services.keys.rotate(created.key.id, overlap=HOUR)

    assert created.value.startswith(prefix)
    assert rotated.value.startswith(prefix)
    assert rotated.value != created.value


def make_dev(world: World) -> None:
    world.services.tenants.create_environment(
        "org_a", "dev", EnvironmentKind.DEVELOPMENT
    )


def test_a_rotated_key_has_the_old_ones_rights_and_end(world: World) -> None:
    permissions = frozenset({Permission.VIDEOS_READ})
    old = create(
        world, permissions=permissions, expires_in=timedelta(days=9), name="ci"
    ).key
    world.clock.move(days=2)

    new = world.services.keys.rotate(old.id, overlap=HOUR).key

    assert (new.type, new.org_id, new.env_id) == (old.type, old.org_id, old.env_id)
    assert (new.permissions, new.name) == (permissions, "ci")
    assert new.expires_at == old.expires_at


def test_a_rotation_never_prolongs_the_old_key(world: World) -> None:
    keys = world.services.keys
    old = create(world).key
    keys.rotate(old.id, overlap=HOUR)

    keys.rotate(old.id, overlap=timedelta(days=30))

    found = next(key for key in keys.of_organization("org_a") if key.id == old.id)
    assert found.revoked_at == world.clock.now() + HOUR


def test_a_revocation_ends_an_overlap(world: World) -> None:
    keys = world.services.keys
    old = create(world).key
    keys.rotate(old.id, overlap=HOUR)

    revoked = keys.revoke(old.id)

    assert not revoked.is_valid_at(world.clock.now())


@pytest.mark.parametrize("how", ["revoked", "expired"])
def test_a_key_that_has_ended_is_not_rotated(world: World, how: str) -> None:
    keys = world.services.keys
    old = create(world, expires_in=HOUR).key
    if how == "revoked":
        keys.revoke(old.id)
    else:
        world.clock.move(hours=1)

    with pytest.raises(InvalidParametersError, match="create a new key"):
        keys.rotate(old.id, overlap=HOUR)


def test_every_operation_is_audited(world: World) -> None:
    with acting_as("cli:alice"):
        world.services.tenants.create_organization("org_b")
        make_dev(world)
        created = create(world, name="ci", expires_in=HOUR)
        rotated = world.services.keys.rotate(created.key.id, overlap=HOUR)
        world.services.keys.revoke(rotated.key.id)

    found = [e for e in entries(world) if e.actor == "cli:alice"]
    old, new = created.key.id, rotated.key.id
    assert [(e.action, e.subject) for e in found] == [
        ("organization.create", "org_b"),
        ("environment.create", found[1].subject),
        ("key.create", old),
        ("key.rotate", old),
        ("key.create", new),
        ("key.revoke", new),
    ]
    assert [e.org_id for e in found] == ["org_b"] + 5 * ["org_a"]
    assert {e.at for e in found} == {world.clock.now()}
    assert found[1].details == {"name": "dev", "kind": "development"}
    assert found[2].details == {
        "name": "ci",
        "type": "environment",
        "envID": world.env.id,
        "permissions": sorted(p.value for p in ALL_PERMISSIONS),
        "expiresAt": "2026-01-02T04:04:05.000Z",
    }
    assert found[3].details == {
        "name": "ci",
        "newKeyID": new,
        "worksUntil": "2026-01-02T04:04:05.000Z",
    }
    assert found[4].details["rotatedFrom"] == old


def test_the_audit_log_holds_nothing_of_a_key(world: World) -> None:
    created = create(world)
    rotated = world.services.keys.rotate(created.key.id, overlap=HOUR)

    everything = json.dumps([dict(e.details) for e in entries(world)])
    for made in (created, rotated):
        assert made.value not in everything
        assert made.key.sha256 not in everything
        assert made.key.shown not in everything


def test_a_failed_change_of_keys_is_not_audited(world: World) -> None:
    before = entries(world)

    with pytest.raises(NotFoundError, match="no key key_none"):
        world.services.keys.revoke("key_none")
    with pytest.raises(InvalidParametersError, match="Name the environment"):
        create(world, env=None)

    assert entries(world) == before


def test_a_second_revocation_changes_and_notes_nothing(world: World) -> None:
    key = create(world).key
    first = world.services.keys.revoke(key.id)
    before = entries(world)
    world.clock.move(hours=1)

    again = world.services.keys.revoke(key.id)

    assert again.revoked_at == first.revoked_at
    assert entries(world) == before


def test_the_latest_entries_of_one_organization(world: World) -> None:
    world.services.tenants.create_organization("org_b")
    create(world)
    create(world, type=KeyType.SYSTEM, org_id=None, env=None)

    assert [e.subject for e in entries(world, "org_b")] == ["org_b"]
    with pytest.raises(NotFoundError, match="no organization"):
        entries(world, "org_\0")
    (newest,) = world.services.audit.latest(None, limit=1)
    assert (newest.org_id, newest.details["type"]) == (None, "system")


def test_outside_of_a_block_the_service_itself_acts(world: World) -> None:
    with acting_as("cli:alice"), acting_as("dashboard:bob"):
        create(world)
    create(world)

    assert [e.actor for e in entries(world)][-2:] == ["dashboard:bob", "service"]


@pytest.mark.parametrize("name", ["a\nb", "a" * 201, "\0", "a\u202eb", "\ud800"])
def test_a_name_that_is_none_is_refused(world: World, name: str) -> None:
    with pytest.raises(InvalidParametersError, match="200 characters"):
        create(world, name=name)


def test_a_key_is_found_in_its_organization_alone(world: World) -> None:
    made, keys = create(world, name="a" * 200), world.services.keys
    system = create(world, type=KeyType.SYSTEM, org_id=None, env=None)

    assert keys.find("org_a", made.key.id) == made.key
    for key_id in (system.key.id, "key_none"):
        with pytest.raises(NotFoundError, match="no such key"):
            keys.find("org_a", key_id)
    with pytest.raises(NotFoundError, match="no such key"):
        keys.find("org_b", made.key.id)


def test_a_key_of_all_environments_needs_an_organization_that_exists(
    world: World,
) -> None:
    with pytest.raises(NotFoundError, match="org_none"):
        create(world, type=KeyType.FULL_ACCESS, org_id="org_none", env=None)
