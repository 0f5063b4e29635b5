"""``hv analytics``: views and watched time by video and by day, and the quality of playback."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Final

import click

from hvcore.assembly import Services
from hvcore.domain.analytics.playback_sessions import SessionsBy
from hvcore.domain.analytics.segments import DateRange
from hvcore.domain.analytics.video_counts import VideoPageQuery, VideoSort
from hvcore.domain.limits import MAX_DAILY_RANGE_DAYS, MAX_PARTS_RANGE_DAYS
from hvcore.wire.analytics import answers, tables, video_reports
from hvcore.wire.analytics.query import QualityRecords
from hvcore.wire.envelope import encode
from hvcore.wire.exports import ExportFormat, Table, as_csv, csv_rows
from hvcore_cli.commands.videos.shown import OPERATOR
from hvcore_cli.invocation import CliError, HvGroup, Invocation, pass_invocation
from hvcore_cli.output import Record, json_option, show

_SESSION_COLUMNS: Final = {
    "sessions": "SESSIONS",
    "reportedShare": "REPORTED",
    "avgStartupMs": "STARTUP MS",
    "p95StartupMs": "P95 MS",
    "rebufferingShare": "REBUFFERING",
    "rebufferings": "TIMES",
    "playbackErrors": "ERRORS",
}
_REPORT_COLUMNS: Final = {
    "deliveryDate": "DAY",
    "reports": "REPORTS",
    "rebufferingReports": "STARVED",
    "avgThroughputKbps": "THROUGHPUT KBPS",
    "avgBufferMs": "BUFFER MS",
    "avgBitrateKbps": "BITRATE KBPS",
}
_FORMS: Final = [ExportFormat.CSV.value, ExportFormat.NDJSON.value]
_org = click.option(
    "--org", default="org_local", show_default=True, help="The organization."
)
_env = click.option("--env", default="live", show_default=True, help="The environment.")
_day = click.DateTime(formats=["%Y-%m-%d"])
_first = click.option(
    "--from",
    "first",
    type=_day,
    help="The first UTC day; by default 30 days ago, if --to is not given either.",
)
_last = click.option("--to", "last", type=_day, help="The last UTC day, included.")
_form = click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    help="Print all records as CSV or NDJSON.",
)


@click.group(cls=HvGroup)
def analytics() -> None:
    """Show views and watched time by video and by day, and the quality of playback."""


@analytics.command("videos")
@_org
@_env
@_first
@_last
@click.option(
    "--sort",
    type=click.Choice([sort.value for sort in VideoSort]),
    default=VideoSort.VIEWS.value,
    show_default=True,
    help="The figure to sort by.",
)
@click.option(
    "--ascending", "is_ascending", is_flag=True, help="The smallest figure first."
)
@click.option(
    "--by-day", is_flag=True, help="A record for each video and day, by day first."
)
@click.option(
    "--top",
    type=click.IntRange(1, 100),
    default=20,
    show_default=True,
    help="The most records that are shown; --format prints all.",
)
@_form
@json_option
@pass_invocation
def videos(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    org: str,
    env: str,
    first: datetime | None,
    last: datetime | None,
    sort: str,
    is_ascending: bool,
    by_day: bool,
    top: int,
    form: str | None,
    as_json: bool,
) -> None:
    """Show the views and the watched time of each video of an environment."""
    days = _days(first, last)
    with invocation.services() as services:
        envs = [services.tenants.environment(org, env)]
        if form is not None:
            parts = services.watched_videos.all(envs, days, by_day=by_day)
            table = tables.VIDEO_DAYS if by_day else tables.VIDEOS
            _print_file(form, table, (answers.video_records(part) for part in parts))
            return
        query = VideoPageQuery(
            days=days,
            by_day=by_day,
            sort=VideoSort(sort),
            is_ascending=is_ascending,
            page_size=top,
        )
        found, _ = services.watched_videos.page(envs, query)
    columns = {
        **({"deliveryDate": "DAY"} if by_day else {}),
        "videoID": "VIDEO",
        "videoName": "NAME",
        "estimatedViews": "VIEWS",
        "watchedSeconds": "WATCHED S",
        "segments": "SEGMENTS",
        "lastServed": "LAST SERVED",
    }
    records = answers.video_records(found)
    show(records, columns, name="videos", as_json=as_json)


@analytics.command("daily")
@_org
@_env
@_first
@_last
@click.option("--fill", is_flag=True, help="Also days on which nothing was served.")
@_form
@json_option
@pass_invocation
def daily(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    org: str,
    env: str,
    first: datetime | None,
    last: datetime | None,
    fill: bool,
    form: str | None,
    as_json: bool,
) -> None:
    """Show the views and the watched time of an environment on each day."""

    def ask(services: Services) -> Sequence[Record]:
        envs = [services.tenants.environment(org, env)]
        days = services.watched_videos.daily(envs, _days(first, last), is_filled=fill)
        return _records(answers.daily(days))

    _print_days(invocation, ask, form, as_json=as_json)


@analytics.command("video")
@click.argument("video_id")
@_org
@_first
@_last
@click.option("--fill", is_flag=True, help="Also days on which nothing was served.")
@_form
@json_option
@pass_invocation
def video(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    video_id: str,
    org: str,
    first: datetime | None,
    last: datetime | None,
    fill: bool,
    form: str | None,
    as_json: bool,
) -> None:
    """Show the views and the watched time of the video VIDEO_ID on each day."""

    def ask(services: Services) -> Sequence[Record]:
        _, days = services.watched_videos.video_daily(
            OPERATOR,
            org,
            video_id,
            _days(first, last),
            is_filled=fill,
        )
        return _records(answers.daily(days))

    _print_days(invocation, ask, form, as_json=as_json)


@analytics.command("playback-quality")
@click.argument("video_id")
@_org
@_first
@_last
@click.option(
    "--by",
    type=click.Choice([by.value for by in SessionsBy]),
    default=SessionsBy.DAY.value,
    show_default=True,
    help="What the sessions of a day are told apart by.",
)
@click.option(
    "--records",
    type=click.Choice([records.value for records in QualityRecords]),
    default=QualityRecords.SESSIONS.value,
    show_default=True,
    help="Whole sessions, or what players report with segments (CMCD).",
)
@_form
@json_option
@pass_invocation
def playback_quality(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    video_id: str,
    org: str,
    first: datetime | None,
    last: datetime | None,
    by: str,
    records: str,
    form: str | None,
    as_json: bool,
) -> None:
    """Show startup time, rebuffering and errors of the video VIDEO_ID on each day."""
    days, parts = _days(first, last), SessionsBy(by)
    most = MAX_DAILY_RANGE_DAYS if parts is SessionsBy.DAY else MAX_PARTS_RANGE_DAYS
    if first is not None and last is not None and (last - first).days > most:
        raise CliError(
            f"--from must be at most {most} days before --to with --by {by}."
        )
    with invocation.services() as services:
        report = services.video_reports.playback_quality(
            OPERATOR, org, video_id, days, parts
        )
    is_sessions = QualityRecords(records) is QualityRecords.SESSIONS
    if is_sessions and report.sessions is None:
        raise CliError(
            "No sessions are reported: HV_ANALYTICS__PLAYBACK_SESSIONS is off."
        )
    if not is_sessions and report.days is None:
        raise CliError("No analytics sink stores what players report with segments.")
    table = tables.PLAYBACK_SESSIONS if is_sessions else tables.PLAYBACK_QUALITY
    found = _records(video_reports.playback_quality(report), table)
    if form is not None:
        _print_file(form, table, iter([found]))
        return
    columns = _REPORT_COLUMNS
    if is_sessions:
        value = {} if parts is SessionsBy.DAY else {"value": by.upper()}
        columns = {"deliveryDate": "DAY", **value, **_SESSION_COLUMNS}
    show(found, columns, name=table.member, as_json=as_json)


def _print_days(
    invocation: Invocation,
    ask: Callable[[Services], Sequence[Record]],
    form: str | None,
    *,
    as_json: bool,
) -> None:
    with invocation.services() as services:
        records = ask(services)
    if form is not None:
        _print_file(form, tables.DAILY, iter([records]))
        return
    columns = {
        "deliveryDate": "DAY",
        "estimatedViews": "VIEWS",
        "watchedSeconds": "WATCHED S",
        "segmentsServed": "SEGMENTS",
        "uniqueVideosServed": "VIDEOS",
    }
    show(records, columns, name="dailyUsage", as_json=as_json)


def _records(payload: Record, table: Table = tables.DAILY) -> Sequence[Record]:
    found = payload[table.member]
    assert isinstance(found, list)  # noqa: S101 - as the schema says
    return found


def _print_file(form: str, table: Table, parts: Iterator[Sequence[Record]]) -> None:
    """Print records as a file, part by part."""
    if form == ExportFormat.CSV.value:
        click.echo(as_csv(table, {table.member: []}), nl=False)
    for records in parts:
        if form == ExportFormat.CSV.value:
            click.echo(csv_rows(table, records), nl=False)
        else:
            lines = b"".join(encode(record) + b"\n" for record in records)
            click.echo(lines, nl=False)


def _days(first: datetime | None, last: datetime | None) -> DateRange:
    if first is not None and last is not None and first > last:
        raise CliError("--from must not be after --to.")
    return DateRange(
        first=None if first is None else first.date(),
        last=None if last is None else last.date(),
    )
