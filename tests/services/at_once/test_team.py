"""
Two calls at once that mail or use a sign-in link, or change settings of an organization.
"""

from itertools import count

import attrs
import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.processing.encoding import Preset
from hvcore.domain.sign_in.mails import MAX_SIGN_IN_MAILS
from hvcore.domain.sign_in.members import OrganizationMember
from hvcore.domain.tasks.kinds import SIGN_IN_MAIL_SEND
from hvcore.domain.tasks.task import Task
from hvcore.domain.videos.new_video_defaults import NewVideoDefaults
from hvcore.errors import ConflictError, HvError
from hvcore.ports.sign_in import SignInRefusedError
from hvcore.services.access.new_video_defaults import DefaultChanges
from hvcore.services.sign_in.mailed_links import MailedSignIns
from tests.services.at_once.holding import Call, Pair
from tests.services.at_once.meeting import Meeting
from tests.services.at_once.tenant import Tenant

pytestmark = [pytest.mark.services, pytest.mark.long]

CLIENTS = (f"2001:db8:0:{number:x}::1" for number in count())
"""One for each call, of which no limit of clients knows."""


def mailed(at: Tenant) -> MailedSignIns:
    return attrs.evolve(at.services.mailed_sign_ins, has_mail_server=True)


def address(at: Tenant) -> str:
    return f"{at.env.org_id}@example.com"


def member(at: Tenant) -> OrganizationMember:
    return at.services.members.add(
        at.env.org_id, role=Role.VIEWER, email=address(at), name="Bob"
    )


def ask(at: Tenant) -> Call:
    client = next(CLIENTS)
    return lambda: mailed(at).ask(address(at), return_to="", client_address=client)


def mails(at: Tenant) -> list[Task]:
    with at.services.uow.read() as work:
        return list(work.tasks.search(kind=SIGN_IN_MAIL_SEND, org_id=at.env.org_id))


def test_a_link_is_used_once(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        made = at.services.sign_in_links.for_member(at.env.org_id, member(at).id)
        code = made.address.partition("#")[2]
        enter = at.services.sign_ins.complete_link
        return (
            lambda: enter(code, client_address=next(CLIENTS)),
            lambda: enter(code, client_address=next(CLIENTS)),
        )

    for _, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {SignInRefusedError}


def test_an_address_gets_no_mail_too_many(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        member(at)
        for _ in range(MAX_SIGN_IN_MAILS - 1):
            ask(at)()
        return ask(at), ask(at)

    for at, ends in meeting.each(pair, is_symmetric=True):
        # Nobody is told.
        assert ends.refused == 0
        assert len(mails(at)) == MAX_SIGN_IN_MAILS


def test_an_invitation_and_a_request_for_a_link_do_not_block_each_other(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        found = member(at)
        invite: Call = lambda: mailed(at).invite(at.env.org_id, found.id)  # noqa: E731
        return ask(at), invite

    for at, ends in meeting.each(pair):
        assert ends.refused == 0
        assert len(mails(at)) == 2


def test_a_member_who_is_removed_while_asking_has_no_link(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        found = member(at)
        remove: Call = lambda: at.services.members.remove(at.env.org_id, found.id)  # noqa: E731
        return ask(at), remove

    for at, ends in meeting.each(pair):
        assert ends.refused == 0
        with at.services.uow.read() as work:
            now = at.services.clock.now()
            left = [work.sign_in_links.of_mail(task.subject, now) for task in mails(at)]
        assert not any(left)


def test_two_environments_get_one_name_once(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        tenants, org_id = at.services.tenants, at.env.org_id
        other = tenants.create_environment(org_id, "other", at.env.kind)

        def rename(env_id: str) -> Call:
            return lambda: tenants.rename_environment(org_id, env_id, "Films")

        return rename(at.env.id), rename(other.id)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {ConflictError}
        found = at.services.tenants.environments(at.env.org_id)
        assert [env.title for env in found].count("Films") == 1


def test_defaults_that_two_have_set_are_both_kept(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        def change(changes: DefaultChanges) -> Call:
            defaults = at.services.new_video_defaults
            return lambda: defaults.change(at.env.org_id, changes)

        return change({"is_public": True}), change({"preset": Preset.ULTRA})

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert not isinstance(ends.first, HvError)
        assert not isinstance(ends.second, HvError)
        found = at.services.new_video_defaults.of(at.env.org_id)
        assert found == NewVideoDefaults(is_public=True, preset=Preset.ULTRA)
