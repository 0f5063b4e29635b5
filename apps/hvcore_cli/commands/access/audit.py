"""``hv audit``: list who changed keys, organizations, members, webhooks and videos."""

import json

import click

from hvcore.domain.access.audit import ActorKind, AuditEntry
from hvcore_cli.invocation import HvCommand, Invocation, pass_invocation
from hvcore_cli.output import Record, json_option, show, timestamp


@click.command(cls=HvCommand)
@click.option("--org", help="Only entries about this organization.")
@click.option(
    "--by",
    type=click.Choice([kind.value for kind in ActorKind]),
    help="Only entries of people and of the command line (person), or of programs with "
    "a key (program).",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1, max=100_000),
    default=100,
    show_default=True,
    help="The most entries to show; the latest ones are shown.",
)
@json_option
@pass_invocation
def audit(
    invocation: Invocation,
    *,
    org: str | None,
    by: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Show the entries of the audit log, the latest first."""
    with invocation.services() as services:
        kind = None if by is None else ActorKind(by)
        entries = services.audit.latest(org, limit=limit, by=kind)
    columns = {
        "at": "AT",
        "actor": "ACTOR",
        "action": "ACTION",
        "subject": "SUBJECT",
        "orgID": "ORGANIZATION",
        "details": "DETAILS",
    }
    records = [_record(entry) for entry in entries]
    if not as_json:
        records = [
            {**r, "actor": _who(r), "details": json.dumps(r["details"])}
            for r in records
        ]
    show(records, columns, name="entries", as_json=as_json)


def _who(record: Record) -> str:
    name, actor = record["actorName"], record["actor"]
    return f"{name} ({actor})" if name else f"{actor}"


def _record(entry: AuditEntry) -> Record:
    return {
        "at": timestamp(entry.at),
        "actor": entry.actor,
        "actorName": entry.actor_name or None,
        "action": entry.action,
        "subject": entry.subject,
        "orgID": entry.org_id,
        "details": dict(entry.details),
    }
