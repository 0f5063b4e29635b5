"""``hv videos delete``, ``restore`` and ``deleted``: deletions, and the way back out of the bin."""

import click

from hvcore.domain.videos.deletion import (
    MAX_KEEP_HOURS,
    NEVER_BINNED,
    DeletionReason,
)
from hvcore.wire import responses
from hvcore.wire.responses import timestamp
from hvcore.wire.videos.bin import deleted_item
from hvcore_cli.commands.videos.shown import OPERATOR
from hvcore_cli.invocation import Invocation, pass_invocation
from hvcore_cli.output import json_option, print_json, put, say, show

_org = click.option(
    "--org", default="org_local", show_default=True, help="The organization."
)


@click.command("delete")
@click.argument("video_id")
@_org
@click.option(
    "--reason",
    type=click.Choice([reason.value for reason in DeletionReason]),
    help="The reason in the audit log and in the certificate; by default admin_action, "
    "with --keep-hours user_request.",
)
@click.option(
    "--keep-hours",
    type=click.IntRange(0, MAX_KEEP_HOURS),
    default=0,
    show_default=True,
    help="How many hours the video can be restored; 0: its files are removed at once.",
)
@json_option
@pass_invocation
def delete(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    video_id: str,
    org: str,
    reason: str | None,
    keep_hours: int,
    as_json: bool,
) -> None:
    """Delete the video VIDEO_ID."""
    usual = DeletionReason.USER_REQUEST if keep_hours else DeletionReason.ADMIN_ACTION
    why = DeletionReason(reason) if reason else usual
    if keep_hours and why in NEVER_BINNED:
        raise click.UsageError(
            f"What is deleted with the reason {why.value} cannot be restored: leave "
            "--keep-hours out, or give another --reason."
        )
    with invocation.services() as services:
        video = services.deletion.delete(
            OPERATOR, org, video_id, why, keep_hours=keep_hours
        )
    if as_json:
        print_json({"videoID": video.id, **responses.deletion(video)})
    elif video.bin_stay is not None:
        until = timestamp(video.bin_stay.ends_at)
        put(f"{video.id} is deleted, and can be restored until {until}")
    else:
        put(f"{video.id} is deleted")


@click.command("restore")
@click.argument("video_id")
@_org
@json_option
@pass_invocation
def restore(invocation: Invocation, *, video_id: str, org: str, as_json: bool) -> None:
    """Restore the deleted video VIDEO_ID, with everything that it had."""
    with invocation.services() as services:
        video = services.bin.restore(OPERATOR, org, video_id)
    if as_json:
        print_json({"videoID": video.id, "status": video.state.value})
    else:
        put(f"{video.id} is {video.state.value} again")


@click.command("deleted")
@_org
@click.option("--env", default="live", show_default=True, help="The environment.")
@click.option(
    "--page",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="The page of the list.",
)
@click.option(
    "--page-size",
    type=click.IntRange(1, 100),
    default=20,
    show_default=True,
    help="Videos on a page.",
)
@json_option
@pass_invocation
def deleted(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    org: str,
    env: str,
    page: int,
    page_size: int,
    as_json: bool,
) -> None:
    """List the deleted videos that can be restored, the last deleted first."""
    with invocation.services() as services:
        place = services.tenants.environment(org, env)
        found = services.bin.page(place, page=page, page_size=page_size)
    records = [deleted_item(video) for video in found.videos]
    if as_json:
        print_json({"videos": records, "total": found.total})
        return
    columns = {
        "id": "VIDEO",
        "name": "NAME",
        "status": "WAS",
        "duration": "DURATION",
        "deletedAt": "DELETED",
        "restorableUntil": "RESTORABLE UNTIL",
    }
    show(records, columns, name="videos", as_json=False)
    say(f"{len(records)} of {found.total}")
