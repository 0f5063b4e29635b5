"""
``hv signing-keys``: the keys with which an organization's own servers sign playback tokens.

A secret is shown once, when it is made.
"""

from pathlib import Path

import click

from hvcore.domain.playback.signing_keys import SigningAlgorithm, SigningKey
from hvcore_cli.invocation import CliError, HvGroup, Invocation, pass_invocation
from hvcore_cli.output import Record, json_option, print_json, put, say, show, timestamp

_ORG = click.option(
    "--org", default="org_local", show_default=True, help="The organization."
)
_NAMES = {"ed25519": SigningAlgorithm.ED25519, "hs256": SigningAlgorithm.HS256}


@click.group(cls=HvGroup)
def signing_keys() -> None:
    """Make, list and revoke keys that sign playback tokens offline."""


@signing_keys.command("create")
@_ORG
@click.option(
    "--algorithm",
    type=click.Choice(list(_NAMES)),
    default="ed25519",
    show_default=True,
    help="The algorithm of the signatures.",
)
@click.option(
    "--public-key",
    type=click.Path(path_type=Path),
    help="An Ed25519 public key in PEM; without it, a key is made and shown once.",
)
@click.option("--name", default="", help="The key's name in lists.")
@json_option
@pass_invocation
def create(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    org: str,
    algorithm: str,
    public_key: Path | None,
    name: str,
    as_json: bool,
) -> None:
    """Make a signing key and print its private half; it is never shown again."""
    pem = None if public_key is None else _text_of(public_key)
    with invocation.services() as services:
        made = services.signing_keys.create(
            org, name=name, algorithm=_NAMES[algorithm], public_pem=pem
        )
        issuer = services.settings.playback.issuer
        record = {**_record(made.key), "issuer": issuer}
    if as_json:
        print_json({**record, "privateKey": made.private})
        return
    if made.private is not None:
        put(made.private.strip())
        say("This is shown once; only servers that sign tokens may have it.")
    say(f"Tokens name it with kid {made.key.id}, and iss {issuer}.")


@signing_keys.command("list")
@_ORG
@json_option
@pass_invocation
def list_keys(invocation: Invocation, *, org: str, as_json: bool) -> None:
    """List the signing keys of an organization, oldest first."""
    with invocation.services() as services:
        found = services.signing_keys.of_organization(org)
    columns = {
        "kid": "KID",
        "name": "NAME",
        "algorithm": "ALGORITHM",
        "createdAt": "CREATED",
        "revokedAt": "REVOKED",
    }
    records = [_record(key) for key in found]
    show(records, columns, name="signingKeys", as_json=as_json)


@signing_keys.command("revoke")
@click.argument("kid")
@_ORG
@json_option
@pass_invocation
def revoke(invocation: Invocation, *, kid: str, org: str, as_json: bool) -> None:
    """Revoke the signing key KID; within a second its tokens play nowhere."""
    with invocation.services() as services:
        key = services.signing_keys.revoke(org, kid)
    if as_json:
        print_json(_record(key))
    else:
        put(f"{key.id} is revoked")


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise CliError(f"{path} cannot be read as a key in PEM.") from exc


def _record(key: SigningKey) -> Record:
    return {
        "kid": key.id,
        "name": key.name,
        "orgID": key.org_id,
        "algorithm": key.algorithm.value,
        "createdAt": timestamp(key.created_at),
        "revokedAt": timestamp(key.revoked_at),
    }
