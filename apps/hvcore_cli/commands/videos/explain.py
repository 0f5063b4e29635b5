"""``hv explain``: name the rule that refused a playback request, or would refuse it."""

import re
import sys
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import attrs
import click

from hvcore.domain.playback.decision import PlaybackDecision
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.settings import PublicSettings
from hvcore_cli.addresses import as_running
from hvcore_cli.commands.videos.logged_refusals import (
    LoggedRefusal,
    find_lines,
    find_refusals,
    log_files,
)
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.invocation import HvCommand, Invocation, pass_invocation
from hvcore_cli.output import json_option, print_json, put, say, show, timestamp

_REFUSED: Final = 400
_NOT_FOUND_STATUS: Final = 2
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
"""The form of request ids, as hvcore_web.middleware accepts them from callers."""


@click.command(cls=HvCommand)
@click.argument("what", metavar="REQUEST_ID|URL")
@click.option("--origin", help="The Origin that a request for the URL carries.")
@click.option("--referer", help="The Referer that a request for the URL carries.")
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True),
    help="A further log to search for a request id; - is standard input.",
)
@json_option
@pass_invocation
def explain(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    what: str,
    origin: str | None,
    referer: str | None,
    logs: tuple[Path, ...],
    as_json: bool,
) -> None:
    """
    Name the rule that refused a playback, or would refuse it now.

    A request id, as X-Request-Id and requestId of a refusal name it, is looked
    up in the logs. A URL of a playlist, a segment, a picture or a page is judged
    as delivery would judge it at this moment; nothing is changed and nothing
    counted. The exit status is 0 if the request would be served, 1 if it was or
    would be refused, 2 if nothing is known of it.
    """
    if "/" in what:
        if logs:
            raise click.BadParameter("--log goes with a request id, not with a URL.")
        status = _judge(invocation, what, origin, referer, as_json=as_json)
    elif _REQUEST_ID.fullmatch(what):
        if origin is not None or referer is not None:
            raise click.BadParameter("--origin and --referer go with a URL.")
        status = _look_up(invocation, what, logs, as_json=as_json)
    else:
        # Not repeated: it may hold a token.
        raise click.BadParameter("That is neither a request id nor a URL.")
    click.get_current_context().exit(status)


def _look_up(
    invocation: Invocation, request_id: str, logs: tuple[Path, ...], *, as_json: bool
) -> int:
    folder = DataFolder(invocation.data).logs
    further = [path for path in logs if str(path) != "-"]
    found = find_refusals(request_id, [*log_files(folder), *further])
    if len(further) < len(logs):
        found += find_lines(request_id, sys.stdin.buffer, "standard input")
    if as_json:
        print_json({"requestId": request_id, "refusals": [_record(f) for f in found]})
    elif found:
        for refusal in found:
            _print_logged(refusal)
    if not found:
        say(
            f"No refusal of this id is in the logs of {folder}. They hold the latest "
            "10 MB of each process, and of many refusals at once only the first. "
            "Processes that run alone log to standard error: pass it with --log."
        )
        return _NOT_FOUND_STATUS
    return 1


def _print_logged(refusal: LoggedRefusal) -> None:
    status = "" if refusal.status is None else f" with {refusal.status}"
    by = "" if refusal.rule is None else f" by {refusal.rule}"
    put(f"{timestamp(refusal.at)} refused{status}{by}: {refusal.says}")
    if refusal.path:
        put(f"  asked for: {refusal.path}")
    put(f"  do next: {refusal.fix}")


def _record(refusal: LoggedRefusal) -> dict[str, object]:
    return {
        "at": timestamp(refusal.at),
        "rule": refusal.rule,
        "status": refusal.status,
        "path": refusal.path,
        "says": refusal.says,
        "next": refusal.fix,
        "file": refusal.file,
    }


def _judge(
    invocation: Invocation,
    url: str,
    origin: str | None,
    referer: str | None,
    *,
    as_json: bool,
) -> int:
    # Falcon and Pillow are for URLs alone.
    from hvcore_reference.dry_playback import ask, dry_services, question  # noqa: PLC0415

    running = DataFolder(invocation.data).addresses()
    public = as_running(invocation.load(), running)
    try:
        asked = question(url, public)
    except ValueError:
        asked = None
    if asked is None:
        raise click.BadParameter("That is not an address of delivery or of the player.")
    _warn_of_host(url, public)
    asked = attrs.evolve(asked, origin=origin, referer=referer)
    with invocation.services() as services:
        status, decision = ask(dry_services(services, public), asked)
    if as_json:
        print_json(_document(status, decision))
    else:
        _print_judged(status, decision)
    is_unnamed = origin is None and referer is None
    if is_unnamed and decision.refused_by is PlaybackRule.PAGE_NOT_LISTED:
        say("Name the page that asks with --origin https://… or --referer.")
    return 0 if status < _REFUSED else 1


def _warn_of_host(url: str, public: PublicSettings) -> None:
    host = urlsplit(url).netloc.rpartition("@")[2]
    ours = {urlsplit(own).netloc for own in (public.worker_url, public.player_url)}
    if host and host not in ours:
        say(
            "The address is of another host than those of this installation "
            f"({', '.join(sorted(ours))}); it is judged as if it were one of them."
        )


def _document(status: int, decision: PlaybackDecision) -> dict[str, object]:
    rule = decision.refused_by
    return {
        "served": status < _REFUSED,
        "status": status,
        "rule": rule.id if rule else None,
        "says": rule.refusal if rule else decision.detail or None,
        "next": rule.fix if rule else None,
        "rules": _rules(decision),
    }


def _rules(decision: PlaybackDecision) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = [
        {"state": "passed", "rule": rule.id, "says": rule.asks}
        for rule in decision.passed
    ]
    rule = decision.refused_by
    if rule is not None:
        rows.append({"state": "refused", "rule": rule.id, "says": rule.refusal})
    return rows


def _print_judged(status: int, decision: PlaybackDecision) -> None:
    columns = {"state": "STATE", "rule": "RULE", "says": "WHAT"}
    show(_rules(decision), columns, name="rules", as_json=False)
    if decision.refused_by is not None:
        say(f"Refused with {status}. Do next: {decision.refused_by.fix}")
    elif status < _REFUSED:
        say(f"It would be served ({status}).")
    else:
        say(
            f"It could not be answered ({status}): {decision.detail} Run hv doctor, "
            "and read the logs."
        )
