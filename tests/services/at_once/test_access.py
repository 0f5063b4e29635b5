"""
Limits, keys, members and tasks, changed by two at once.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from hvcore.domain.access.keys import KeyType
from hvcore.domain.access.quotas import QuotaLimits
from hvcore.domain.access.roles import Role
from hvcore.domain.tasks.task import Lane, NewTask, TaskState
from hvcore.ports.sign_in import SignInRefusedError
from hvcore.services.access.keys import KeyWanted
from hvcore.services.sign_in.sessions import StartedSession
from tests.services.at_once.holding import Call, Holding
from tests.services.conftest import World

pytestmark = pytest.mark.services

DAY = timedelta(days=1)
ORG = "org_a"


def later(world: World, call: Call) -> Call:
    """
    Return a call that is made a second later than what is held.
    """

    def move_and_call() -> object:
        world.clock.move(seconds=1)
        return call()

    return move_and_call


def test_two_first_changes_of_an_organizations_limits_hold(
    world: World, holding: Holding
) -> None:
    quotas, made = world.services.quotas, list[str]()

    def pair() -> tuple[Call, Call]:
        org_id = world.services.tenants.create_organization(f"org_{uuid4().hex}").id
        made.append(org_id)
        return (
            lambda: quotas.change(org_id, {"stored_bytes": 1000}),
            lambda: quotas.change(org_id, {"weight": 3.0}),
        )

    for ends in holding.each_statement(pair):
        assert ends.refused == 0
        found = quotas.of_one(made[-1]).limits
        assert found == QuotaLimits(stored_bytes=1000, weight=3.0)


@pytest.mark.parametrize("is_rotation_held", [True, False])
def test_a_revoked_key_has_no_successor(
    world: World,
    holding: Holding,
    is_rotation_held: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    keys, made = world.services.keys, list[str]()

    def pair() -> tuple[Call, Call]:
        key = keys.create(KeyWanted(type=KeyType.FULL_ACCESS, org_id=ORG)).key
        made.append(key.id)
        rotate: Call = lambda: keys.rotate(key.id, overlap=DAY)  # noqa: E731
        revoke: Call = lambda: keys.revoke(key.id)  # noqa: E731
        if is_rotation_held:
            return rotate, later(world, revoke)
        return revoke, later(world, rotate)

    for _ in holding.each_statement(pair):
        assert not keys.find(ORG, made[-1]).is_valid_at(world.clock.now())
        changes = [
            entry.action
            for entry in world.services.audit.latest(ORG, limit=10)
            if entry.subject == made[-1]
        ]
        # The latest first: after a revocation nothing is rotated.
        assert changes[0] == "key.revoke"


@pytest.mark.parametrize("is_removal_held", [True, False])
def test_a_removed_member_does_not_stay_signed_in(
    world: World,
    holding: Holding,
    is_removal_held: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    services = world.services
    services.members.add(ORG, role=Role.ADMIN, name="Ann")

    def sign_in(code: str) -> object:
        try:
            return services.sign_ins.complete_link(code, client_address="192.0.2.7")
        except SignInRefusedError:
            return None

    def pair() -> tuple[Call, Call]:
        member = services.members.add(ORG, role=Role.ADMIN, name="Bob")
        link = services.sign_in_links.for_member(ORG, member.id)
        code = link.address.partition("#")[2]
        remove: Call = lambda: services.members.remove(ORG, member.id)  # noqa: E731
        enter: Call = lambda: sign_in(code)  # noqa: E731
        return (remove, enter) if is_removal_held else (enter, remove)

    for ends in holding.each_statement(pair):
        session = ends.second if is_removal_held else ends.first
        if isinstance(session, StartedSession):
            assert services.sign_in_sessions.person_of(session.value) is None


def test_a_cancelled_subject_has_no_task_that_goes_on(
    world: World, holding: Holding
) -> None:
    uow, made = world.services.uow, list[NewTask]()

    def change(act: Callable[[Any], object]) -> Call:
        def in_a_transaction() -> object:
            with uow.write() as work:
                result = act(work)
                work.commit()
            return result

        return in_a_transaction

    def pair() -> tuple[Call, Call]:
        task = NewTask(
            kind="thumbnail.make",
            lane=Lane.LIGHT,
            org_id=world.env.org_id,
            subject=f"vid_{uuid4().hex}",
        )
        made.append(task)
        change(lambda work: work.tasks.add([task]))()
        return (
            change(lambda work: work.tasks.cancel(task.subject, kinds=[task.kind])),
            change(lambda work: work.tasks.lease(task.id, worker="w1")),
        )

    for _ in holding.each_statement(pair):
        with uow.read() as work:
            found = work.tasks.find(made[-1].id)
        assert found is not None
        assert found.state is TaskState.CANCELLED
