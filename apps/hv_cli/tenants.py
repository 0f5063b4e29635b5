"""
``hv orgs`` and ``hv envs``: organizations and their environments.
"""

import click

from hv_cli.commands import HvGroup, Invocation, pass_invocation
from hv_cli.output import json_option, print_json, put, show, timestamp
from hvcore.domain.access.tenants import Environment, EnvironmentKind, Organization


@click.group(cls=HvGroup)
def orgs() -> None:
    """
    Create and list organizations.
    """


@orgs.command("create")
@click.argument("org_id")
@json_option
@pass_invocation
def create_org(invocation: Invocation, *, org_id: str, as_json: bool) -> None:
    """
    Create the organization ORG_ID.
    """
    with invocation.services() as services:
        created = services.tenants.create_organization(org_id)
    if as_json:
        print_json(_organization(created))
    else:
        put(created.id)


@orgs.command("list")
@json_option
@pass_invocation
def list_orgs(invocation: Invocation, *, as_json: bool) -> None:
    """
    List the organizations, oldest first.
    """
    with invocation.services() as services:
        found = services.tenants.organizations()
    show(
        [_organization(organization) for organization in found],
        {"orgID": "ORGANIZATION", "createdAt": "CREATED"},
        name="organizations",
        as_json=as_json,
    )


@click.group(cls=HvGroup)
def envs() -> None:
    """
    Create and list the environments of an organization.
    """


@envs.command("create")
@click.argument("org_id")
@click.argument("name")
@click.option(
    "--kind",
    required=True,
    type=click.Choice([kind.value for kind in EnvironmentKind]),
    help="Production has live keys, development has test keys.",
)
@json_option
@pass_invocation
def create_env(
    invocation: Invocation, *, org_id: str, name: str, kind: str, as_json: bool
) -> None:
    """
    Create the environment NAME, which is also its id, in ORG_ID.
    """
    with invocation.services() as services:
        created = services.tenants.create_environment(
            org_id, name, EnvironmentKind(kind)
        )
    if as_json:
        print_json(_environment(created))
    else:
        put(created.name)


@envs.command("list")
@click.argument("org_id")
@json_option
@pass_invocation
def list_envs(invocation: Invocation, *, org_id: str, as_json: bool) -> None:
    """
    List the environments of ORG_ID, oldest first.
    """
    with invocation.services() as services:
        found = services.tenants.environments(org_id)
    show(
        [_environment(environment) for environment in found],
        {
            "envID": "ENVIRONMENT",
            "kind": "KIND",
            "createdAt": "CREATED",
        },
        name="environments",
        as_json=as_json,
    )


def _organization(organization: Organization) -> dict[str, object]:
    return {
        "orgID": organization.id,
        "createdAt": timestamp(organization.created_at),
    }


def _environment(environment: Environment) -> dict[str, object]:
    return {
        "envID": environment.name,
        "orgID": environment.org_id,
        "name": environment.name,
        "kind": environment.kind.value,
        "createdAt": timestamp(environment.created_at),
    }
