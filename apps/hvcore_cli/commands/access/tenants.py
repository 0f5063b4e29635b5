"""``hv orgs`` and ``hv envs``: organizations, their quotas and their environments."""

from collections.abc import Sequence

import click

from hvcore.domain.access.quotas import MAX_WEIGHT, MIN_WEIGHT, Quota
from hvcore.domain.access.tenants import Environment, EnvironmentKind, Organization
from hvcore.services.access.quotas import OrganizationQuotas
from hvcore.wire.converter import read_query
from hvcore.wire.videos.captions import CaptionDefaultRequest, caption_default
from hvcore_cli.commands.access.quota_options import LIMIT, WEIGHT, Unset
from hvcore_cli.invocation import HvGroup, Invocation, pass_invocation
from hvcore_cli.output import json_option, print_json, put, show, timestamp

_COLUMNS = {
    "orgID": "ORGANIZATION",
    "createdAt": "CREATED",
    Quota.CONCURRENT_ENCODES.value: "ENCODES",
    Quota.ENCODED_MINUTES.value: "ENCODED MINUTES",
    Quota.STORED_BYTES.value: "STORED BYTES",
    Quota.DELIVERED_BYTES.value: "DELIVERED BYTES",
    Quota.CAPTION_MINUTES.value: "CAPTION MINUTES",
    "weight": "WEIGHT",
}


@click.group(cls=HvGroup, invoke_without_command=True)
@click.pass_context
def orgs(context: click.Context) -> None:
    """
    Create organizations, list them, and set their quotas.

    Without a subcommand, list the organizations.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_orgs, as_json=False)


@orgs.command("create")
@click.argument("org_id")
@json_option
@pass_invocation
def create_org(invocation: Invocation, *, org_id: str, as_json: bool) -> None:
    """Create the organization ORG_ID."""
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
    List the organizations, oldest first, with their usage and quotas.

    Minutes and delivered bytes are those of this month (UTC).
    """
    with invocation.services() as services:
        found = services.quotas.of_all()
    write = _with_quotas if as_json else _as_row
    show([write(one) for one in found], _COLUMNS, name="organizations", as_json=as_json)


@orgs.command("set")
@click.argument("org_id")
@click.option(
    "--concurrent-encodes",
    type=LIMIT,
    help="The most videos that may be processed at a time; at least 1.",
)
@click.option(
    "--encoded-minutes-per-month",
    type=LIMIT,
    help="The most minutes of source video that may become ready in a month (UTC).",
)
@click.option(
    "--stored-bytes",
    type=LIMIT,
    help="The most bytes of sources and published media together.",
)
@click.option(
    "--delivered-bytes-per-month",
    type=LIMIT,
    help="The most bytes of video that viewers may be sent in a month (UTC).",
)
@click.option(
    "--caption-minutes-per-month",
    type=LIMIT,
    help="The most minutes of sound that a machine may hear for captions in a month (UTC).",
)
@click.option(
    "--weight",
    type=WEIGHT,
    help=f"Its share of the encoders, compared with others: {MIN_WEIGHT:g} to "
    f"{MAX_WEIGHT:g}; normally 1.",
)
@json_option
@pass_invocation
def set_quotas(
    invocation: Invocation,
    /,
    *,
    org_id: str,
    as_json: bool,
    **given: float | Unset | None,
) -> None:
    """
    Set the quotas and the weight of ORG_ID; those not named stay as they are.

    N is a whole number; "none" removes a limit.
    """
    changes = {
        name: None if isinstance(value, Unset) else value
        for name, value in given.items()
        if value is not None
    }
    if not changes:
        raise click.UsageError(
            "Name at least one limit; hv orgs set --help lists them."
        )
    with invocation.services() as services:
        found = services.quotas.change(org_id, changes)
    if as_json:
        print_json(_with_quotas(found))
    else:
        show([_as_row(found)], _COLUMNS, name="organizations", as_json=False)


@click.group(cls=HvGroup)
def envs() -> None:
    """Create and list the environments of an organization."""


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
    """Create the environment NAME, which is also its id, in ORG_ID."""
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
    """List the environments of ORG_ID, oldest first."""
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


@envs.command("captions")
@click.argument("org_id")
@click.argument("name")
@click.option(
    "--language",
    "languages",
    multiple=True,
    help="A language that is spoken, such as en, or auto for any; repeatable.",
)
@click.option("--none", "is_none", is_flag=True, help="Make no captions.")
@click.option(
    "--inherit",
    "is_inherited",
    is_flag=True,
    help="Make the captions that HV_TRANSCRIBER__GENERATE names.",
)
@json_option
@pass_invocation
def set_env_captions(  # noqa: PLR0913 - its options
    invocation: Invocation,
    *,
    org_id: str,
    name: str,
    languages: tuple[str, ...],
    is_none: bool,
    is_inherited: bool,
    as_json: bool,
) -> None:
    """
    Set the captions by machine of new videos in the environment NAME of ORG_ID.

    Without an option, print what holds. A request says it for one video.
    """
    if bool(languages) + is_none + is_inherited > 1:
        raise click.UsageError("Choose one of --language, --none and --inherit.")
    with invocation.services() as services:
        env, defaults = (
            services.tenants.environment(org_id, name),
            services.caption_defaults,
        )
        if is_none or is_inherited or languages:
            wanted = None if is_inherited else _wishes(languages)
            found = defaults.change(env, wanted)
        else:
            found = defaults.of(env)
    if as_json:
        print_json(caption_default(found.languages, is_inherited=found.is_inherited))
    else:
        put(", ".join(found.languages) or "none")


def _wishes(languages: Sequence[str]) -> tuple[str, ...]:
    if not languages:
        return ()
    text = ",".join(languages)
    asked = read_query(CaptionDefaultRequest, {"languages": text})
    return asked.languages or ()


def _organization(organization: Organization) -> dict[str, object]:
    return {
        "orgID": organization.id,
        "createdAt": timestamp(organization.created_at),
    }


def _with_quotas(found: OrganizationQuotas) -> dict[str, object]:
    quotas = {
        quota.value: {"limit": found.limits.of(quota), "used": found.use.of(quota)}
        for quota in Quota
    }
    return {
        **_organization(found.organization),
        "weight": found.limits.weight,
        "quotas": quotas,
    }


def _as_row(found: OrganizationQuotas) -> dict[str, object]:
    row = _organization(found.organization)
    for quota in Quota:
        used, limit = found.use.of(quota), found.limits.of(quota)
        row[quota.value] = f"{used} of {limit}" if limit is not None else used
    return {**row, "weight": f"{found.limits.weight:g}"}


def _environment(environment: Environment) -> dict[str, object]:
    return {
        "envID": environment.name,
        "orgID": environment.org_id,
        "name": environment.shown_name,
        "kind": environment.kind.value,
        "createdAt": timestamp(environment.created_at),
    }
