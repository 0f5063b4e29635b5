"""``hv videos update``: change a video's name, description, labels and the like."""

from collections.abc import Mapping, Sequence

import click

from hvcore.wire.converter import read_document
from hvcore.wire.entity_tags import quoted, read_if_match
from hvcore.wire.videos.changes import VideoChangeRequest
from hvcore_cli.commands.videos.shown import OPERATOR, details_of
from hvcore_cli.invocation import Invocation, pass_invocation
from hvcore_cli.output import json_option, print_json, put


def _pairs(
    _context: click.Context, _parameter: click.Parameter, given: Sequence[str]
) -> Mapping[str, str | None]:
    pairs: dict[str, str | None] = {}
    for pair in given:
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise click.BadParameter(f"{pair!r} is neither KEY=VALUE nor KEY=.")
        pairs[key] = value or None
    return pairs


@click.command("update")
@click.argument("video_id")
@click.option("--org", default="org_local", show_default=True, help="The organization.")
@click.option("--name", "videoName", help="What it is called.")
@click.option("--description", help="An empty text removes it.")
@click.option(
    "--public/--private",
    "allowPublicAccess",
    default=None,
    help="Whether it plays without a token.",
)
@click.option(
    "--download/--no-download",
    "allowDownload",
    default=None,
    help="Whether viewers may download it.",
)
@click.option("--external-id", "externalID", help="An empty text removes it.")
@click.option(
    "--tag",
    "tags",
    multiple=True,
    help="Repeatable; in place of all tags. An empty text removes them.",
)
@click.option(
    "--metadata",
    multiple=True,
    metavar="KEY=VALUE",
    callback=_pairs,
    help="Repeatable; other keys stay. KEY= removes a key.",
)
@click.option(
    "--if-match",
    metavar="ETAG",
    help="Only if it is still as it was with this etag of hv videos show.",
)
@json_option
@pass_invocation
def update_video(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    /,
    *,
    video_id: str,
    org: str,
    if_match: str | None,
    as_json: bool,
    tags: Sequence[str],
    metadata: Mapping[str, str | None],
    **members: str | bool | None,
) -> None:
    """Change the video VIDEO_ID: what is named, and nothing else."""
    document: dict[str, object] = {
        # An empty text removes what can be removed; as a name it is refused.
        name: None if value == "" and name != "videoName" else value
        for name, value in members.items()
        if value is not None
    }
    if tags:
        document["tags"] = [tag for tag in tags if tag] or None
    if metadata:
        document["metadata"] = metadata
    if not document:
        raise click.UsageError("Say what to change, such as --name or --private.")
    changes = read_document(VideoChangeRequest, document).changes()
    condition = read_if_match(_header(if_match))
    with invocation.services() as services:
        services.editing.change(OPERATOR, org, video_id, changes, if_match=condition)
        details = details_of(services, invocation, org, video_id)
    if as_json:
        print_json(details)
    else:
        put(f"{details['id']} is changed; its etag is {details['etag']}")


def _header(etag: str | None) -> str | None:
    """Write an entity tag as headers have it: shells take its quotes away."""
    if etag is None or etag.strip() == "*" or '"' in etag:
        return etag
    return quoted(etag)
