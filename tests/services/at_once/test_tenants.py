"""
Two calls at once that change one key, member or signing key, or that repeat a request.
"""

from datetime import timedelta
from uuid import uuid4

import pytest

from hvcore.domain.access.idempotency import (
    FirstRequest,
    IdempotencyScope,
    RecordedAnswer,
)
from hvcore.domain.access.keys import KeyType
from hvcore.domain.access.roles import Role
from hvcore.domain.playback.signing_keys import MAX_SIGNING_KEYS, SigningAlgorithm
from hvcore.errors import ConflictError, HvError, NotFoundError
from hvcore.services.access.keys import KeyCreated, KeyWanted
from tests.services.at_once.holding import Call, Pair
from tests.services.at_once.meeting import Meeting
from tests.services.at_once.tenant import Tenant

pytestmark = pytest.mark.services

DAY = timedelta(days=1)


def key(at: Tenant) -> str:
    wanted = KeyWanted(type=KeyType.FULL_ACCESS, org_id=at.env.org_id)
    return at.services.keys.create(wanted).key.id


@pytest.mark.long
def test_a_key_is_revoked_once(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        key_id = key(at)
        revoke: Call = lambda: at.services.keys.revoke(key_id)  # noqa: E731
        return revoke, revoke

    for at, ends in meeting.each(pair, is_symmetric=True):
        # Whoever comes second finds it as it was wanted.
        assert ends.refused == 0
        assert at.audited("key.revoke") == 1


@pytest.mark.long
def test_a_key_that_is_rotated_twice_has_two_successors(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        key_id = key(at)
        rotate: Call = lambda: at.services.keys.rotate(key_id, overlap=DAY)  # noqa: E731
        return rotate, rotate

    for at, ends in meeting.each(pair, is_symmetric=True):
        made = [end for end in (ends.first, ends.second) if isinstance(end, KeyCreated)]
        assert len(made) == 2
        found = at.services.keys.of_organization(at.env.org_id)
        assert {one.key.id for one in made} < {one.id for one in found}
        assert len(found) == 3
        assert at.audited("key.rotate") == 2


@pytest.mark.long
def test_a_member_is_changed_before_a_removal_or_not_at_all(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        members, org_id = at.services.members, at.env.org_id
        members.add(org_id, role=Role.ADMIN, name="Ann")
        member = members.add(org_id, role=Role.VIEWER, name="Bob")
        return (
            lambda: members.change_role(org_id, member.id, Role.ADMIN),
            lambda: members.remove(org_id, member.id),
        )

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.second, HvError)
        is_changed = not isinstance(ends.first, HvError)
        assert is_changed or isinstance(ends.first, NotFoundError)
        assert at.services.members.count(at.env.org_id) == 1
        assert at.audited("member.change") == is_changed


@pytest.mark.parametrize(
    "is_removal",
    [
        pytest.param(True, id="remove"),
        pytest.param(False, id="change", marks=pytest.mark.long),
    ],
)
def test_one_of_the_last_two_admins_stays(
    meeting: Meeting,
    is_removal: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    def pair(at: Tenant) -> Pair:
        members, org_id = at.services.members, at.env.org_id
        first, second = (
            members.add(org_id, role=Role.ADMIN, name=name).id
            for name in ("Ann", "Bob")
        )
        remove: Call = lambda: members.remove(org_id, first)  # noqa: E731
        change: Call = lambda: members.change_role(org_id, first, Role.VIEWER)  # noqa: E731
        return (remove if is_removal else change), (
            lambda: members.change_role(org_id, second, Role.VIEWER)
        )

    for at, ends in meeting.each(pair):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {ConflictError}
        found = at.services.members.of_organization(at.env.org_id)
        assert [one.role for one in found].count(Role.ADMIN) == 1


@pytest.mark.long
def test_an_address_is_added_as_one_member(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        add: Call = lambda: at.services.members.add(  # noqa: E731
            at.env.org_id, role=Role.VIEWER, email="bob@example.com"
        )
        return add, add

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {ConflictError}
        assert at.services.members.count(at.env.org_id) == 1
        assert at.audited("member.add") == 1


@pytest.mark.long
def test_an_organization_has_no_more_signing_keys_than_it_may(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        create: Call = lambda: at.services.signing_keys.create(  # noqa: E731
            at.env.org_id, name="", algorithm=SigningAlgorithm.HS256
        )
        for _ in range(MAX_SIGNING_KEYS - 1):
            create()
        return create, create

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {ConflictError}
        found = at.services.signing_keys.of_organization(at.env.org_id)
        assert len(found) == MAX_SIGNING_KEYS


@pytest.mark.long
def test_two_limits_of_an_organization_are_both_kept(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        quotas, org_id = at.services.quotas, at.env.org_id
        quotas.change(org_id, {"weight": 2.0})
        return (
            lambda: quotas.change(org_id, {"stored_bytes": 1000}),
            lambda: quotas.change(org_id, {"concurrent_encodes": 3}),
        )

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 0
        limits = at.services.quotas.of_one(at.env.org_id).limits
        assert (limits.stored_bytes, limits.concurrent_encodes) == (1000, 3)
        assert at.audited("organization.set") == 3


@pytest.mark.long
def test_a_request_with_one_idempotency_key_runs_once(meeting: Meeting) -> None:
    ran = dict[str, int]()

    def pair(at: Tenant) -> Pair:
        requests = at.services.idempotency
        scope = IdempotencyScope(
            org_id=at.env.org_id,
            env_id=at.env.id,
            route="POST /v1/videos",
            key=uuid4().hex,
        )

        def request() -> object:
            first = requests.begin(scope, fingerprint="same", lifetime=DAY)
            if first.answer is not None:
                return first.answer.body
            ran[at.env.id] = ran.get(at.env.id, 0) + 1
            requests.end(first, RecordedAnswer(status=200, headers={}, body="done"))
            return "done"

        return request, request

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ran[at.env.id] == 1
        for end in (ends.first, ends.second):
            assert end == "done" or isinstance(end, ConflictError)
        assert ends.refused <= 1
        assert not isinstance(ends.first, FirstRequest)
