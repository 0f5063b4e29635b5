"""
``hv keys signing`` and ``hv keys rotate-signing``: the keys with which the service itself signs.

Neither command shows the value of a key.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import click

from hvcore.assembly import Services
from hvcore.domain.access.service_keys import PLAYBACK, UPLOADS
from hvcore.services.access.key_rotation import KeyState
from hvcore_cli.invocation import CliError, HvCommand, Invocation, pass_invocation
from hvcore_cli.output import Record, json_option, print_json, put, say, show, timestamp

_ENDED: Final[Mapping[str, str]] = {
    PLAYBACK: "Within a second, every signed address, embed page and share session that "
    "was made until now is refused; viewers must load their page again. "
    "Addresses that an API process signs within the next second may be "
    "refused, too. Signing keys of organizations go on.",
    UPLOADS: "Within a second, every upload address that was made until now is refused, "
    "those of resumable uploads that are half done, too; request new ones. "
    "Addresses that an API process signs within the next second may be "
    "refused, too. A file that is just being sent is still taken.",
}


@click.command("signing", cls=HvCommand)
@json_option
@pass_invocation
def signing(invocation: Invocation, *, as_json: bool) -> None:
    """List the keys with which the service signs playback tokens and upload addresses."""
    with invocation.services() as services:
        records = _signing_records(services)
    columns = {
        "purpose": "FOR",
        "kid": "KID",
        "state": "STATE",
        "madeAt": "MADE",
        "signsSince": "SIGNS SINCE",
        "believedUntil": "BELIEVED UNTIL",
    }
    show(records, columns, name="signingKeys", as_json=as_json)


@click.command("rotate-signing", cls=HvCommand)
@click.option(
    "--for",
    "purpose",
    type=click.Choice([PLAYBACK, UPLOADS]),
    default=PLAYBACK,
    show_default=True,
    help="Rotate the key of playback tokens, or that of upload addresses.",
)
@click.option(
    "--now",
    "at_once",
    is_flag=True,
    help="The old key has leaked: refuse all that it signed, which also breaks "
    "playback or uploads in progress.",
)
@click.option(
    "--finish",
    is_flag=True,
    help="Only erase old keys whose signatures are no longer accepted, as the "
    "sweep does.",
)
@json_option
@pass_invocation
def rotate_signing(
    invocation: Invocation, *, purpose: str, at_once: bool, finish: bool, as_json: bool
) -> None:
    """
    Make a new key that signs playback tokens; viewers can go on watching.

    With --for uploads, make a new key that signs upload addresses; uploads in
    progress go on.
    """
    if at_once and finish:
        raise CliError("Give --now or --finish, not both.")
    with invocation.services() as services:
        rotation = services.key_rotations[purpose]
        if finish:
            said = f"{rotation.finish()} old keys are erased"
        else:
            said = rotation.replace_now() if at_once else rotation.rotate()
        records = _signing_records(services) if as_json else []
    if as_json:
        print_json({"signingKeys": records})
        return
    put(said)
    if not finish:
        for line in _after_rotation(purpose, at_once=at_once):
            say(line)


def _after_rotation(purpose: str, *, at_once: bool) -> Iterator[str]:
    if at_once:
        yield _ENDED[purpose]
    else:
        yield "It signs from now on. See until when the old key is believed: hv keys signing"
    if purpose == PLAYBACK:
        yield "If nginx is the edge: hv edge nginx --out, and reload nginx, to be as fast again."


def _signing_records(services: Services) -> list[Record]:
    rotations = services.key_rotations.values()
    return [_signing_record(state) for one in rotations for state in one.states()]


def _signing_record(state: KeyState) -> Record:
    return {
        "purpose": state.purpose,
        "kid": state.kid,
        "state": state.word,
        "madeAt": timestamp(state.made_at),
        "signsSince": timestamp(state.signs_since),
        "believedUntil": timestamp(state.believed_until),
    }
