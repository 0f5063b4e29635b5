"""``hv members``: the people who have a role in an organization's dashboard."""

import click

from hvcore.assembly import Services
from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.members import OrganizationMember, is_email_address
from hvcore.errors import NotFoundError
from hvcore_cli.invocation import HvGroup, Invocation, pass_invocation
from hvcore_cli.output import Record, json_option, print_json, put, show, timestamp

_COLUMNS = {
    "memberID": "MEMBER",
    "role": "ROLE",
    "name": "NAME",
    "email": "EMAIL",
    "createdAt": "ADDED",
}
_org_option = click.option("--org", required=True, help="The organization.")


@click.group(cls=HvGroup)
def members() -> None:
    """
    List members of an organization, change their roles, and remove them.

    Use hv dashboard link to add a member.
    """


@members.command("list")
@_org_option
@json_option
@pass_invocation
def list_members(invocation: Invocation, *, org: str, as_json: bool) -> None:
    """
    List the members of an organization, the oldest membership first.

    Roles that a sign-in provider gives are not in this list.
    """
    with invocation.services() as services:
        # Says so if there is no such organization.
        services.tenants.environments(org)
        found = services.members.of_organization(org)
    records = [_record(member) for member in found]
    show(records, _COLUMNS, name="members", as_json=as_json)


@members.command("set")
@click.argument("member")
@_org_option
@click.option(
    "--role",
    required=True,
    type=click.Choice([role.value for role in Role]),
    help="What the person may do from now on.",
)
@json_option
@pass_invocation
def set_role(
    invocation: Invocation, *, member: str, org: str, role: str, as_json: bool
) -> None:
    """Give MEMBER, an id or an email address, another role."""
    with invocation.services() as services:
        found = _find(services, org, member)
        changed = services.members.change_role(org, found.id, Role(role))
    if as_json:
        print_json(_record(changed))
    else:
        put(f"{changed.shown_name} has the role {changed.role.value} now")


@members.command("remove")
@click.argument("member")
@_org_option
@json_option
@pass_invocation
def remove(invocation: Invocation, *, member: str, org: str, as_json: bool) -> None:
    """
    Remove MEMBER, an id or an email address, from an organization.

    If the person has no other role, all sessions end with their next request.
    """
    with invocation.services() as services:
        found = _find(services, org, member)
        services.members.remove(org, found.id)
    if as_json:
        print_json({"memberID": found.id, "state": "removed"})
    else:
        put(f"{found.shown_name} is no member any more")


def _find(services: Services, org: str, wanted: str) -> OrganizationMember:
    if not is_email_address(wanted):
        return services.members.find(org, wanted)
    with services.uow.read() as work:
        found = work.members.find_by_email(org, wanted)
    if found is None:
        raise NotFoundError(
            f"{wanted} is no member of {org}; hv members list --org {org} shows who is."
        )
    return found


def _record(member: OrganizationMember) -> Record:
    return {
        "memberID": member.id,
        "orgID": member.org_id,
        "role": member.role.value,
        "name": member.name or None,
        "email": member.email or None,
        "createdAt": timestamp(member.created_at),
    }
