"""
An organization always has somebody who can add others.
"""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.assembly import Services, build
from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.members import OrganizationMember
from hvcore.errors import ConflictError, NotFoundError, PreconditionFailedError
from hvcore.services.sign_in.members import Members
from hvcore.settings import load
from tests.support.databases.migrated import lay_database
from tests.support.fakes import MemoryQueue, SettableClock, TextTranscoder
from tests.support.servers import PostgresqlServer

ORG = "org_a"

pytestmark = pytest.mark.services


@pytest.fixture(params=["sqlite", "postgresql"])
def services(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Services]:
    environ, server, url = {}, None, ""
    if request.param == "postgresql":
        server = request.getfixturevalue("postgresql")
        assert isinstance(server, PostgresqlServer)
        url = server.new_database()
        environ["HV_DATABASE__URL"] = url
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    overrides = {
        "clock": SettableClock(),
        "queue": MemoryQueue(),
        "transcoder": TextTranscoder(),
    }
    lay_database(settings)
    with build(settings, overrides=overrides) as made:
        made.migrate()
        made.tenants.create_organization(ORG)
        yield made
    if server is not None:
        server.drop_database(url)


def roles(members: Members) -> list[Role]:
    return [member.role for member in members.of_organization(ORG)]


def test_the_last_admin_stays(services: Services) -> None:
    members = services.members
    last = members.add(ORG, role=Role.ADMIN, name="Ann")
    members.add(ORG, role=Role.EDITOR, name="Bob")

    with pytest.raises(ConflictError, match="Ann is the last admin"):
        members.remove(ORG, last.id)
    for role in (Role.VIEWER, Role.EDITOR):
        with pytest.raises(ConflictError, match="somebody else"):
            members.change_role(ORG, last.id, role)

    members.change_role(ORG, last.id, Role.ADMIN)
    assert sorted(role.value for role in roles(members)) == ["admin", "editor"]


def test_others_go_while_there_is_an_admin(services: Services) -> None:
    members = services.members
    first = members.add(ORG, role=Role.ADMIN, name="Ann")
    second = members.add(ORG, role=Role.ADMIN, name="Bob")
    viewer = members.add(ORG, role=Role.VIEWER, name="Cleo")

    members.remove(ORG, viewer.id)
    members.change_role(ORG, second.id, Role.VIEWER)
    members.change_role(ORG, second.id, Role.ADMIN)
    members.remove(ORG, first.id)

    assert [found.id for found in members.of_organization(ORG)] == [second.id]


def test_two_admins_who_remove_each_other_at_once_leave_one(services: Services) -> None:
    members = services.members
    admins = [members.add(ORG, role=Role.ADMIN, name=name) for name in ("A", "B")]
    together = threading.Barrier(2)
    outcomes: list[str] = []

    def remove(member_id: str) -> None:
        together.wait(timeout=30)
        try:
            members.remove(ORG, member_id)
        except ConflictError:
            outcomes.append("refused")
        else:
            outcomes.append("removed")

    threads = [threading.Thread(target=remove, args=(one.id,)) for one in admins]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["refused", "removed"]
    assert roles(members) == [Role.ADMIN]


def test_a_member_who_is_no_longer_as_seen_stays(services: Services) -> None:
    members = services.members
    seen = members.add(ORG, role=Role.VIEWER, name="Ann")
    members.change_role(ORG, seen.id, Role.ADMIN)

    def is_as_seen(now: OrganizationMember) -> bool:
        return now.role is seen.role

    with pytest.raises(PreconditionFailedError):
        members.remove(ORG, seen.id, only_if=is_as_seen)
    with pytest.raises(PreconditionFailedError):
        members.change_role(ORG, seen.id, Role.EDITOR, only_if=is_as_seen)

    assert roles(members) == [Role.ADMIN]


def test_beside_a_backends_admins_only_the_last_members_own_step_is_refused(
    services: Services,
) -> None:
    members = Members(uow=services.uow, clock=services.clock, are_only_source=False)
    last = members.add(ORG, role=Role.ADMIN, email="ann@example.com")

    with pytest.raises(ConflictError, match="last admin"):
        members.remove(ORG, last.id, is_self=True)
    with pytest.raises(ConflictError, match="last admin"):
        members.change_role(ORG, last.id, Role.VIEWER, is_self=True)
    members.change_role(ORG, last.id, Role.VIEWER)
    members.remove(ORG, last.id)

    assert roles(members) == []


def test_a_member_is_found_in_the_organization_alone(services: Services) -> None:
    members = services.members
    services.tenants.create_organization("org_b")
    made = members.add(ORG, role=Role.VIEWER, name="Ann")

    assert members.find(ORG, made.id) == made
    for org_id, member_id in (("org_b", made.id), (ORG, "mem_none"), (ORG, "\0")):
        with pytest.raises(NotFoundError, match="no such member"):
            members.find(org_id, member_id)
