"""``hv sessions``: who is signed in to the dashboard."""

import click

from hvcore.domain.sign_in.sessions import SignInSession
from hvcore.services.sign_in.open_sign_in_sessions import OpenSignInSessions
from hvcore_cli.invocation import HvGroup, Invocation, pass_invocation
from hvcore_cli.output import Record, json_option, print_json, put, show, timestamp

_COLUMNS = {
    "person": "PERSON",
    "name": "NAME",
    "email": "EMAIL",
    "access": "ACCESS",
    "signedInAt": "SIGNED IN",
    "lastUsedAt": "LAST USED",
    "endsAt": "ENDS",
}


@click.group(cls=HvGroup)
def sessions() -> None:
    """Show the people who are signed in to the dashboard, and sign people out."""


@sessions.command("list")
@json_option
@pass_invocation
def list_sessions(invocation: Invocation, *, as_json: bool) -> None:
    """List the sessions that have not ended, the last used first."""
    with invocation.services() as services:
        found = services.open_sign_in_sessions
        records = [_record(found, session) for session in found.listed()]
    if not as_json:
        records = [{**record, "access": _access(record)} for record in records]
    show(records, _COLUMNS, name="sessions", as_json=as_json)


@sessions.command("end")
@click.argument("person")
@json_option
@pass_invocation
def end(invocation: Invocation, *, person: str, as_json: bool) -> None:
    """
    End all sessions of PERSON: as hv sessions list names them, or an email address.

    A person who still has a role can sign in again; hv members remove removes the role.
    """
    with invocation.services() as services:
        ended = services.open_sign_in_sessions.end_of(person)
    if as_json:
        print_json({"person": person, "ended": len(ended)})
    else:
        noun = "session" if len(ended) == 1 else "sessions"
        put(f"{len(ended)} {noun} of {person} ended")


def _record(sessions: OpenSignInSessions, session: SignInSession) -> Record:
    identity = session.identity
    return {
        "person": session.actor,
        "name": identity.shown_name,
        "email": identity.email or None,
        "isOperator": identity.is_operator,
        "roles": {org: role.value for org, role in sorted(identity.roles.items())},
        "signedInAt": timestamp(session.created_at),
        "lastUsedAt": timestamp(session.last_used_at),
        "endsAt": timestamp(sessions.ends_at(session)),
    }


def _access(record: Record) -> str:
    roles = record["roles"]
    assert isinstance(roles, dict)  # noqa: S101 - see _record
    texts = [f"{role} in {org}" for org, role in roles.items()]
    return ", ".join(["operator"] * bool(record["isOperator"]) + texts)
