"""
Keys that people make, rotate and revoke on pages.

Source: interface, "Limits", API key operations.
"""

from datetime import timedelta
from pathlib import Path

import attrs
import pytest

from hvcore.domain.access.keys import KeyType
from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore.errors import (
    ForbiddenError,
    InvalidParametersError,
    NotFoundError,
    RateLimitExceededError,
)
from hvcore.services.access.keys import KeyWanted
from tests.services.sign_in.conftest import ADA, ORG, OTHER_ORG, House, make_house

WANTED = KeyWanted(type=KeyType.ENVIRONMENT, org_id=ORG, env="live", name="web")


def somebody(house: House, role: Role | None) -> SignedInPerson:
    roles = {OTHER_ORG: Role.ADMIN} if role is None else {ORG: role}
    house.provider.identity = attrs.evolve(ADA, roles=roles)
    return house.signed_in().person


def test_an_admin_makes_rotates_and_revokes_keys(house: House) -> None:
    admin, operations = somebody(house, Role.ADMIN), house.services.key_operations

    made = operations.create(admin, WANTED)
    rotated = operations.rotate(admin, ORG, made.key.id, overlap=timedelta(minutes=5))
    revoked = operations.revoke(admin, ORG, rotated.key.id)

    assert rotated.key.name == "web"
    assert revoked.revoked_at == house.clock.now()
    for action in ("key.create", "key.rotate", "key.revoke"):
        entry = house.audited(action)[0]
        assert (entry.actor, entry.actor_name) == ("scripted:ada", "Ada"), action
        assert made.value not in repr(entry)


@pytest.mark.parametrize(
    ("role", "error"),
    [
        (None, NotFoundError),
        (Role.VIEWER, ForbiddenError),
        (Role.EDITOR, ForbiddenError),
    ],
)
def test_nobody_else_changes_keys(
    house: House, role: Role | None, error: type[Exception]
) -> None:
    key = house.services.keys.create(WANTED).key
    person, operations = somebody(house, role), house.services.key_operations

    with pytest.raises(error):
        operations.create(person, WANTED)
    with pytest.raises(error):
        operations.rotate(person, ORG, key.id, overlap=timedelta())
    with pytest.raises(error):
        operations.revoke(person, ORG, key.id)

    assert list(house.services.keys.of_organization(ORG)) == [key]


def test_the_keys_of_others_are_not_there(house: House) -> None:
    admin, operations = somebody(house, Role.ADMIN), house.services.key_operations
    wanted = KeyWanted(type=KeyType.FULL_ACCESS, org_id=OTHER_ORG)
    others = [
        house.services.keys.create(wanted).key.id,
        house.services.keys.create(KeyWanted(type=KeyType.SYSTEM)).key.id,
        "key_none",
        "\0",
    ]

    details = set()
    for key_id in others:
        with pytest.raises(NotFoundError, match="no such key") as raised:
            operations.revoke(admin, ORG, key_id)
        details.add(raised.value.detail)
        with pytest.raises(NotFoundError, match="no such key"):
            operations.rotate(admin, ORG, key_id, overlap=timedelta())

    assert len(details) == 1


@pytest.mark.parametrize(
    "wanted",
    [KeyWanted(type=KeyType.SYSTEM), attrs.evolve(WANTED, type=KeyType.SYSTEM)],
)
def test_no_page_makes_a_key_of_the_system(house: House, wanted: KeyWanted) -> None:
    house.provider.identity = attrs.evolve(ADA, is_operator=True)
    operator = house.signed_in().person

    with pytest.raises(InvalidParametersError, match="hv keys create"):
        house.services.key_operations.create(operator, wanted)


def test_an_organization_has_twenty_operations_an_hour(house: House) -> None:
    admin, operations = somebody(house, Role.ADMIN), house.services.key_operations
    other = somebody(house, None)
    for _ in range(19):
        made = operations.create(admin, WANTED)
    operations.revoke(admin, ORG, made.key.id)

    with pytest.raises(RateLimitExceededError, match="20 keys an hour") as raised:
        operations.create(admin, WANTED)
    operations.create(other, KeyWanted(type=KeyType.FULL_ACCESS, org_id=OTHER_ORG))
    # The command line has no limit.
    house.services.keys.create(WANTED)

    assert raised.value.headers["Retry-After"] == "3600"
    house.clock.move(hours=1)
    operations.create(admin, WANTED)


def test_the_number_is_a_setting_and_can_be_switched_off(tmp_path: Path) -> None:
    one = {"HV_LIMITS__KEY_OPERATIONS_PER_HOUR": "1"}
    with make_house(tmp_path / "one", one) as house:
        admin = somebody(house, Role.ADMIN)
        house.services.key_operations.create(admin, WANTED)
        with pytest.raises(RateLimitExceededError, match="1 keys an hour"):
            house.services.key_operations.create(admin, WANTED)
    off = {**one, "HV_LIMITS__ENABLED": "false"}
    with make_house(tmp_path / "off", off) as house:
        admin = somebody(house, Role.ADMIN)
        for _ in range(3):
            house.services.key_operations.create(admin, WANTED)
