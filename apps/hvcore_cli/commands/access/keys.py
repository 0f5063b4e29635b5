"""``hv keys``: create, list, revoke and rotate API keys; a key's value is shown once."""

from collections.abc import Mapping
from datetime import timedelta

import click

from hvcore.assembly import Services
from hvcore.domain.access.keys import ALL_PERMISSIONS, ApiKey, KeyType, Permission
from hvcore.services.access.keys import KeyCreated, KeyWanted
from hvcore_cli.commands.access.service_keys import rotate_signing, signing
from hvcore_cli.invocation import (
    HvGroup,
    Invocation,
    duration_option,
    pass_invocation,
)
from hvcore_cli.output import Record, json_option, print_json, put, say, show, timestamp


@click.group(cls=HvGroup)
def keys() -> None:
    """Create, list, revoke and rotate API keys."""


keys.add_command(signing)
keys.add_command(rotate_signing)


@keys.command("create")
@click.option("--org", help="The organization; a system key has none.")
@click.option(
    "--type",
    "key_type",
    required=True,
    type=click.Choice([kind.value for kind in KeyType]),
    help="The videos that the key reaches: of one environment, of an organization, of all.",
)
@click.option("--env", help="The environment, or a full-access key's default one.")
@click.option(
    "--permission",
    "permissions",
    multiple=True,
    type=click.Choice([permission.value for permission in Permission]),
    help="A permission of the key; repeatable. Without this option the key has all"
    " permissions.",
)
@click.option(
    "--expires-in",
    callback=duration_option,
    help="How long the key is valid, such as 90d; by default it never expires.",
)
@click.option("--name", default="", help="The key's name in lists.")
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
    """Make an API key and print it; it is never shown again."""
    if org is not None and key_type == KeyType.SYSTEM.value:
        say(f"A system key belongs to no organization; --org {org} is ignored.")
        org = None
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
        record = _record(created.key, _names(services, org))
    _print_created(created, record, as_json=as_json)


@keys.command("list")
@click.option("--org", help="The organization; without it, the system keys.")
@json_option
@pass_invocation
def list_keys(invocation: Invocation, *, org: str | None, as_json: bool) -> None:
    """List the keys of an organization, oldest first."""
    with invocation.services() as services:
        # First, because it says so if there is no such organization.
        names = _names(services, org)
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
    records = [_record(key, names) for key in found]
    show(records, columns, name="keys", as_json=as_json)


@keys.command("revoke")
@click.argument("key_id")
@json_option
@pass_invocation
def revoke(invocation: Invocation, *, key_id: str, as_json: bool) -> None:
    """Revoke the API key KEY_ID; within 5 seconds it works nowhere."""
    with invocation.services() as services:
        key = services.keys.revoke(key_id)
        record = _record(key, _names(services, key.org_id))
    if as_json:
        print_json(record)
    else:
        put(f"{key.id} is revoked")


@keys.command("rotate")
@click.argument("key_id")
@click.option(
    "--overlap",
    default="24h",
    show_default=True,
    callback=duration_option,
    help="How long the old key still works.",
)
@json_option
@pass_invocation
def rotate(
    invocation: Invocation, *, key_id: str, overlap: float, as_json: bool
) -> None:
    """Make an API key with the same rights as KEY_ID; the old key works for a while longer."""
    with invocation.services() as services:
        created = services.keys.rotate(key_id, overlap=timedelta(seconds=overlap))
        record = _record(created.key, _names(services, created.key.org_id))
    _print_created(created, record, as_json=as_json)


def _print_created(created: KeyCreated, record: Record, *, as_json: bool) -> None:
    if as_json:
        print_json({"apiKey": created.value, **record})
        return
    put(created.value)
    say(f"This is {created.key.id}; its value is not shown again.")


def _names(services: Services, org_id: str | None) -> Mapping[str, str]:
    """Return the names of an organization's environments, by ID."""
    if org_id is None:
        return {}
    return {env.id: env.name for env in services.tenants.environments(org_id)}


def _record(key: ApiKey, names: Mapping[str, str]) -> Record:
    return {
        "keyID": key.id,
        "name": key.name,
        "type": key.type.value,
        "orgID": key.org_id,
        "envID": names.get(key.env_id) if key.env_id else None,
        "permissions": sorted(permission.value for permission in key.permissions),
        "shown": f"{key.shown}…",
        "createdAt": timestamp(key.created_at),
        "expiresAt": timestamp(key.expires_at),
        "lastUsedAt": timestamp(key.last_used_at),
        "revokedAt": timestamp(key.revoked_at),
    }
