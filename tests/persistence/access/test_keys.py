"""
Changes of one key at the same moment.
"""

from datetime import timedelta

import pytest

from hvcore.domain.access.keys import KeyType
from hvcore.errors import PreconditionFailedError
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.services.access.keys import Keys, KeyWanted
from hvcore.services.access.tenants import Tenants
from tests.conftest import SettableClock
from tests.persistence.samples import at_once


@pytest.mark.parametrize("attempt", range(5))
def test_a_rotation_never_undoes_a_revocation(
    uow: SqlUnitOfWork, clock: SettableClock, attempt: int
) -> None:
    keys = Keys(uow=uow, tenants=Tenants(uow=uow, clock=clock), clock=clock)
    wanted = KeyWanted(type=KeyType.ENVIRONMENT, org_id="org_a", env="dev")
    key_id = keys.create(wanted).key.id

    def change(number: int) -> object:
        if number % 2:
            return keys.revoke(key_id)
        return keys.rotate(key_id, overlap=timedelta(days=1))

    at_once(change, threads=8)

    old = next(key for key in keys.of_organization("org_a") if key.id == key_id)
    assert old.revoked_at == clock.now()


def test_of_two_rotations_of_a_key_as_it_was_seen_one_is_made(
    uow: SqlUnitOfWork, clock: SettableClock
) -> None:
    keys = Keys(uow=uow, tenants=Tenants(uow=uow, clock=clock), clock=clock)
    wanted = KeyWanted(type=KeyType.ENVIRONMENT, org_id="org_a", env="dev")
    seen = keys.create(wanted).key

    def rotate(_: int) -> object:
        return keys.rotate(
            seen.id,
            overlap=timedelta(days=1),
            only_if=lambda now: now.revoked_at == seen.revoked_at,
        )

    results = at_once(rotate, threads=2)

    refused = [one for one in results if isinstance(one, PreconditionFailedError)]
    assert len(refused) == 1, results
    assert len(keys.of_organization("org_a")) == 2
