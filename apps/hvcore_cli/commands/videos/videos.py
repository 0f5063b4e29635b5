"""``hv videos``: the videos of an environment, as an operator sees them."""

from collections.abc import Mapping, Sequence
from typing import Final

import click

from hvcore.domain.ids import VideoId
from hvcore.domain.labels import metadata_term, tag_term
from hvcore.domain.playback.addresses import PlaybackRoots
from hvcore.domain.videos.catalog import VideoPage, VideoQuery, VideoSummary
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.thumbnails import LIST_THUMBNAIL_PX
from hvcore.services.playback.signing.signed_urls import SignedUrls
from hvcore.wire import responses
from hvcore_cli.commands.videos.bin import delete, deleted, restore
from hvcore_cli.commands.videos.certificates import certificate
from hvcore_cli.commands.videos.changes import update_video
from hvcore_cli.commands.videos.shown import (
    OPERATOR,
    details_of,
    playback_of,
    print_details,
    thumbnail_of,
)
from hvcore_cli.invocation import HvGroup, Invocation, pass_invocation
from hvcore_cli.output import Record, json_option, print_json, put, say, show

_org = click.option(
    "--org", default="org_local", show_default=True, help="The organization."
)
_env = click.option("--env", default="live", show_default=True, help="The environment.")
_LISTED: Final = [
    state.value
    for state in (VideoState.TRANSCODING, VideoState.READY, VideoState.FAILED)
]


def _terms(
    _context: click.Context, _parameter: click.Parameter, given: Sequence[str]
) -> frozenset[str]:
    pairs = [pair.partition("=") for pair in given]
    for key, _, value in pairs:
        if not key or not value:
            raise click.BadParameter("give KEY=VALUE.")
    return frozenset(metadata_term(key, value) for key, _, value in pairs)


@click.group(cls=HvGroup)
def videos() -> None:
    """List, show, change, delete, restore and retry videos."""


videos.add_command(certificate)
videos.add_command(delete)
videos.add_command(deleted)
videos.add_command(restore)
videos.add_command(update_video)


@videos.command("list")
@_org
@_env
@click.option("--status", type=click.Choice(_LISTED), help="Only videos in this state.")
@click.option("--search", help="Only videos with this text in their names.")
@click.option(
    "--tag", "tags", multiple=True, help="Only videos with this tag; repeatable."
)
@click.option(
    "--metadata",
    "terms",
    multiple=True,
    metavar="KEY=VALUE",
    callback=_terms,
    help="Only videos whose metadata has this key with this value; repeatable.",
)
@click.option(
    "--spoken", help="Only videos in which all of these words are said (captions)."
)
@click.option("--external-id", help="Only the video with this external ID.")
@click.option(
    "--public/--private",
    "is_public",
    default=None,
    help="Only videos that play without a token, or only those that need one.",
)
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
def list_videos(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    org: str,
    env: str,
    status: str | None,
    search: str | None,
    tags: tuple[str, ...],
    terms: frozenset[str],
    spoken: str | None,
    external_id: str | None,
    is_public: bool | None,
    page: int,
    page_size: int,
    as_json: bool,
) -> None:
    """List the videos of an environment, newest first."""
    query = VideoQuery(
        page=page,
        page_size=page_size,
        state=None if status is None else VideoState(status),
        search=search,
        external_id=external_id,
        terms=terms.union(map(tag_term, tags)),
        is_public=is_public,
        spoken=spoken,
    )
    with invocation.services() as services:
        playback = playback_of(services, invocation)
        place = services.tenants.environment(org, env)
        found = services.catalog.page(place, query)
        roots = playback.roots(place.org_id, place.id)
        records = [_item(playback, roots, video) for video in found.videos]
    if spoken:
        for record in records:
            hits = found.spoken_hits.get(VideoId(str(record["id"])), ())
            record["spokenHits"] = responses.spoken_hits(hits)
    if as_json:
        minimum = {"totalIsMinimum": True} if found.has_more else {}
        print_json({"videos": records, "total": found.total, **minimum})
        return
    columns = {
        "id": "VIDEO",
        "name": "NAME",
        "status": "STATUS",
        "duration": "DURATION",
        "size": "SIZE",
        "videoQuality": "QUALITY",
        "allowPublicAccess": "PUBLIC",
        "createdAt": "CREATED",
        # Most have none: then there is no column.
        **_columns_of(records, {"externalID": "EXTERNAL ID", "tags": "TAGS"}),
    }
    if spoken:
        columns["said"] = "SAID"
    rows = [
        {**record, "size": _size(record), "said": _said(found, record)}
        for record in records
    ]
    show(rows, columns, name="videos", as_json=False)
    say(f"{len(records)} of {'more than ' if found.has_more else ''}{found.total}")


def _said(page: VideoPage, record: Record) -> str:
    """Return the first place where the searched words are said, as a time and a text."""
    hits = page.spoken_hits.get(VideoId(str(record["id"])), ())
    if not hits:
        return ""
    minutes, seconds = divmod(hits[0].start_ms // 1000, 60)
    text = "".join(part.text for part in hits[0].snippet)
    return f"{minutes}:{seconds:02} {text}"


@videos.command("show")
@click.argument("video_id")
@_org
@json_option
@pass_invocation
def show_video(
    invocation: Invocation, *, video_id: str, org: str, as_json: bool
) -> None:
    """Show everything about the video VIDEO_ID."""
    with invocation.services() as services:
        details = details_of(services, invocation, org, video_id)
    print_details(details, as_json=as_json)


@videos.command("retry")
@click.argument("video_id")
@_org
@json_option
@pass_invocation
def retry(invocation: Invocation, *, video_id: str, org: str, as_json: bool) -> None:
    """Process the failed video VIDEO_ID again."""
    with invocation.services() as services:
        found = services.processing.retry(OPERATOR, org, video_id)
    if as_json:
        print_json({"videoID": found})
    else:
        put(f"{found} is being processed again")


def _size(record: Record) -> str:
    """Return the size of the picture of a video's source; empty before it is probed."""
    if "width" not in record:
        return ""
    return f"{record['width']}x{record['height']}"


def _columns_of(
    records: Sequence[Record], columns: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the columns in which at least one record has a value."""
    return {
        name: heading
        for name, heading in columns.items()
        if any(name in record for record in records)
    }


def _item(
    playback: SignedUrls, roots: PlaybackRoots, video: VideoSummary
) -> dict[str, object]:
    item = responses.video_item(
        video,
        served=0,
        thumbnail_url=thumbnail_of(playback, video),
        addresses=roots.of(
            video.id, is_public=video.is_public, size_px=LIST_THUMBNAIL_PX
        ),
    )
    item.pop("served")
    return item
