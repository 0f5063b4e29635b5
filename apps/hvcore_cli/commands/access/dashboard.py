"""``hv dashboard``: print links that sign people in to the dashboard."""

import attrs
import click

from hvcore.assembly import Services
from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.members import OrganizationMember
from hvcore.ports.sign_in import LINK_BACKEND, SignInPages
from hvcore.services.sign_in.links import MadeLink, SignInLinks
from hvcore_cli.addresses import as_running
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.invocation import (
    CliError,
    HvGroup,
    Invocation,
    os_user,
    pass_invocation,
)
from hvcore_cli.output import json_option, print_json, put, say, timestamp


@attrs.frozen(kw_only=True)
class MemberWanted:
    """
    The member for whom a one-time sign-in link is made.

    Attributes:
        org: The id of the organization.
        role: The member's new role; None keeps the present one.
        email: The member's email address.
        name: The member's name.
    """

    org: str
    role: Role | None
    email: str
    name: str


@click.group(cls=HvGroup)
def dashboard() -> None:
    """Print links that sign people in to the dashboard."""


@dashboard.command("link")
@click.option(
    "--operator",
    is_flag=True,
    help="Sign in as an operator, for all organizations and the system; the "
    "default without --org.",
)
@click.option("--org", help="Sign in as a member of this organization alone.")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    help="The member's role from now on; needed for a new member.",
)
@click.option(
    "--email",
    default="",
    help="The person's email address, for lists and the audit log.",
)
@click.option(
    "--name", default="", help="The person's name, for lists and the audit log."
)
@json_option
@pass_invocation
def link(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    operator: bool,
    org: str | None,
    role: str | None,
    email: str,
    name: str,
    as_json: bool,
) -> None:
    """
    Print a link that signs a person in to the dashboard once, within 10 minutes.

    Whoever opens the link first is signed in, so give it to nobody else.
    """
    if org is None:
        if role is not None:
            raise click.UsageError("--role needs --org: an operator has every role.")
    elif operator:
        raise click.UsageError("Give either --operator or --org.")
    elif not email and not name:
        raise click.UsageError("Give --email or --name of the member of --org.")
    with invocation.services() as services:
        if not services.settings.dashboard.enabled:
            raise CliError(
                "There is no dashboard here: HV_DASHBOARD__ENABLED is false."
            )
        links = _links(invocation, services)
        backend = services.settings.sign_in.backend
        if org is not None and backend != LINK_BACKEND:
            raise CliError(
                f"Members sign in with {backend} here (HV_SIGN_IN__BACKEND); links are "
                "for operators. hv members gives a role."
            )
        if org is None:
            made = links.for_operator(name=name or os_user(), email=email)
        else:
            wanted = MemberWanted(
                org=org, role=Role(role) if role else None, email=email, name=name
            )
            made = links.for_member(org, _member(services, wanted).id)
    _print(made, as_json=as_json)


def _links(invocation: Invocation, services: Services) -> SignInLinks:
    """Make links to the service that runs here, if one does."""
    running = DataFolder(invocation.data).awaited_addresses()
    public = as_running(invocation.load(), running)
    pages = SignInPages.below(public.dashboard_address)
    return attrs.evolve(services.sign_in_links, pages=pages)


def _member(services: Services, wanted: MemberWanted) -> OrganizationMember:
    """Find the member, or make one."""
    found = _find(services, wanted)
    if found is None:
        if wanted.role is None:
            raise CliError(
                f"{wanted.email or wanted.name} is no member of {wanted.org} yet; "
                "say with --role what the person may do."
            )
        return services.members.add(
            wanted.org, role=wanted.role, email=wanted.email, name=wanted.name
        )
    if wanted.role is None or wanted.role is found.role:
        return found
    return services.members.change_role(wanted.org, found.id, wanted.role)


def _find(services: Services, wanted: MemberWanted) -> OrganizationMember | None:
    with services.uow.read() as work:
        if wanted.email:
            return work.members.find_by_email(wanted.org, wanted.email)
        named = [
            member
            for member in work.members.of_organization(wanted.org)
            if member.name == wanted.name
        ]
    if len(named) > 1:
        raise CliError(
            f"{wanted.org} has {len(named)} members called {wanted.name}; "
            "name one with --email."
        )
    return named[0] if named else None


def _print(made: MadeLink, *, as_json: bool) -> None:
    expires_at = timestamp(made.expires_at)
    if as_json:
        print_json({"url": made.address, "expiresAt": expires_at})
        return
    put(made.address)
    say(f"It signs in once, until {expires_at}.")
