"""
What roles include, and what people are as callers.
"""

import itertools

import pytest

from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType, Permission
from hvcore.domain.access.principals import Person, Principal
from hvcore.domain.access.roles import Role, RoleRight, strongest
from hvcore.domain.ids import EnvId, KeyId, OrgId

ADA = Person(subject="ada", name="Ada", backend="oidc")


def test_each_role_includes_the_ones_before() -> None:
    for weaker, stronger in itertools.combinations(Role, 2):
        assert stronger.includes(weaker)
        assert not weaker.includes(stronger)
        assert weaker.permissions <= stronger.permissions
        assert weaker.rights <= stronger.rights
    assert all(role.includes(role) for role in Role)


def test_each_role_has_its_permissions() -> None:
    assert Role.VIEWER.permissions == {
        Permission.VIDEOS_READ,
        Permission.ANALYTICS_READ,
    }
    assert Role.EDITOR.permissions == Role.ADMIN.permissions == ALL_PERMISSIONS
    assert Role.VIEWER.rights == Role.EDITOR.rights == frozenset()
    assert Role.ADMIN.rights == frozenset(RoleRight)


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (None, None, None),
        (Role.VIEWER, None, Role.VIEWER),
        (None, Role.VIEWER, Role.VIEWER),
        (Role.ADMIN, Role.VIEWER, Role.ADMIN),
        (Role.VIEWER, Role.ADMIN, Role.ADMIN),
    ],
)
def test_the_strongest_role_counts(
    first: Role | None, second: Role | None, wanted: Role | None
) -> None:
    assert strongest(first, second) is wanted


def test_a_person_reaches_every_environment_of_one_organization() -> None:
    person = Principal(
        person=ADA, org_id=OrgId("org_a"), env_id=None, permissions=frozenset()
    )

    assert person.may_use_org("org_a")
    assert not person.may_use_org("org_b")
    assert person.may_use_env(EnvId("env_x"))
    assert person.counted_as == "oidc ada"


def test_a_caller_is_a_key_or_a_person() -> None:
    key, kind, org = KeyId("key_x"), KeyType.SYSTEM, OrgId("org_a")
    system = Principal(
        key_id=key, type=kind, org_id=None, env_id=None, permissions=frozenset()
    )
    assert system.counted_as == "key_x"
    for key_id, type_, org_id, person in (
        (None, None, org, None),
        (key, None, org, None),
        (None, kind, org, None),
        (key, kind, org, ADA),
        (key, None, org, ADA),
        (None, None, None, ADA),
    ):
        with pytest.raises(ValueError, match="a key, or a person"):
            Principal(
                key_id=key_id,
                type=type_,
                org_id=org_id,
                env_id=None,
                permissions=frozenset(),
                person=person,
            )
