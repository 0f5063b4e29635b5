"""
``hv keys``: API keys. A key's value is shown once, when it is made.
"""

from datetime import timedelta

import click

from hv_cli.commands import HvGroup, Invocation, duration_option, pass_invocation
from hv_cli.output import json_option, print_json, say, show, timestamp
from hvcore.domain.access import ALL_PERMISSIONS, ApiKey, KeyType, Permission
from hvcore.services.keys import KeyCreated, KeyWanted


@click.group(cls=HvGroup)
def keys() -> None:
    """
    Create, list, revoke and rotate API keys.
    """


@keys.command("create")
@click.option("--org", help="The organization; not for a system key.")
@click.option(
    "--type",
    "key_type",
    required=True,
    type=click.Choice([kind.value for kind in KeyType]),
)
@click.option("--env", help="The environment, or a full-access key's default one.")
@click.option(
    "--permission",
    "permissions",
    multiple=True,
    type=click.Choice([permission.value for permission in Permission]),
    help="What the key may do; everything if none is named.",
)
@click.option(
    "--expires-in", callback=duration_option, help="Such as 90d; never by default."
)
@click.option("--name", default="", help="For lists.")
@json_option
@pass_invocation
def create(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    org: str | None,
    key_type: str,
    env: str | None,
    permissions: tuple[str, ...],
    expires_in: float | None,
    name: str,
    as_json: bool,
) -> None:
    """
    Make a key and print it, for the only time.
    """
    wanted = KeyWanted(
        type=KeyType(key_type),
        org_id=org,
        env=env,
        name=name,
        permissions=frozenset(map(Permission, permissions)) or ALL_PERMISSIONS,
        expires_in=None if expires_in is None else timedelta(seconds=expires_in),
    )
    with invocation.services() as services:
        created = services.keys.create(wanted)
    _print_created(created, as_json=as_json)


@keys.command("list")
@click.option("--org", help="The organization; without it, the system keys.")
@json_option
@pass_invocation
def list_keys(invocation: Invocation, *, org: str | None, as_json: bool) -> None:
    """
    List the keys of an organization, oldest first.
    """
    with invocation.services() as services:
        if org is not None:
            # Says so if there is no such organization.
            services.tenants.environments(org)
        found = services.keys.of_organization(org)
    columns = {
        "keyID": "KEY",
        "name": "NAME",
        "type": "TYPE",
        "envID": "ENVIRONMENT",
        "shown": "BEGINS",
        "permissions": "PERMISSIONS",
        "expiresAt": "EXPIRES",
        "lastUsedAt": "LAST USED",
        "revokedAt": "REVOKED",
    }
    show([_record(key) for key in found], columns, name="keys", as_json=as_json)


@keys.command("revoke")
@click.argument("key_id")
@json_option
@pass_invocation
def revoke(invocation: Invocation, *, key_id: str, as_json: bool) -> None:
    """
    End the key KEY_ID; within 5 seconds it works nowhere.
    """
    with invocation.services() as services:
        key = services.keys.revoke(key_id)
    if as_json:
        print_json(_record(key))
    else:
        click.echo(f"{key.id} is revoked")


@keys.command("rotate")
@click.argument("key_id")
@click.option(
    "--overlap",
    default="24h",
    show_default=True,
    callback=duration_option,
    help="How long the old key goes on working.",
)
@json_option
@pass_invocation
def rotate(
    invocation: Invocation, *, key_id: str, overlap: float, as_json: bool
) -> None:
    """
    Make a key like KEY_ID, which works a while longer beside it.
    """
    with invocation.services() as services:
        created = services.keys.rotate(key_id, overlap=timedelta(seconds=overlap))
    _print_created(created, as_json=as_json)


def _print_created(created: KeyCreated, *, as_json: bool) -> None:
    if as_json:
        print_json({"apiKey": created.value, **_record(created.key)})
        return
    click.echo(created.value)
    say(f"This is {created.key.id}; its value is not shown again.")


def _record(key: ApiKey) -> dict[str, object]:
    return {
        "keyID": key.id,
        "name": key.name,
        "type": key.type.value,
        "orgID": key.org_id,
        "envID": key.env_id,
        "permissions": sorted(permission.value for permission in key.permissions),
        "shown": f"{key.shown}…",
        "createdAt": timestamp(key.created_at),
        "expiresAt": timestamp(key.expires_at),
        "lastUsedAt": timestamp(key.last_used_at),
        "revokedAt": timestamp(key.revoked_at),
    }
