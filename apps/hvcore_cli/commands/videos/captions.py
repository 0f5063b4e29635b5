"""``hv captions``: list a video's captions, have them made by machine, and read what is said."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import click

from hvcore.assembly import Services
from hvcore.domain.ids import CaptionJobId, OrgId
from hvcore.domain.tasks.kinds import CAPTIONS_MAKE
from hvcore.domain.tasks.task import MAX_ATTEMPTS, MAX_LOSSES, Task, TaskState
from hvcore.domain.videos.caption_jobs import AUTO, CaptionJobState
from hvcore.domain.videos.transcripts import write_subrip, write_text
from hvcore.errors import (
    ConflictError,
    InvalidParametersError,
    QuotaExceededError,
    UnavailableError,
    VideoNotFoundError,
)
from hvcore.services.captions.making import JOB
from hvcore.services.captions.publishing import WRITTEN_BY_A_PERSON
from hvcore.wire.videos import captions as wire
from hvcore.wire.videos.captions import TranscriptFormat
from hvcore_cli.commands.videos.shown import OPERATOR
from hvcore_cli.invocation import HvGroup, Invocation, pass_invocation
from hvcore_cli.output import json_option, print_json, put, say, show

_COLUMNS = {
    "language": "LANGUAGE",
    "label": "LABEL",
    "state": "STATE",
    "generated": "BY MACHINE",
    "confidence": "CONFIDENCE",
    "cues": "CUES",
    "createdAt": "CREATED",
}
_JOB_COLUMNS = {
    "wish": "WISH",
    "state": "STATE",
    "progress": "PERCENT",
    "language": "LANGUAGE",
    "confidence": "CONFIDENCE",
    "reason": "WHY",
}
_RETRIED_COLUMNS = {
    "videoID": "VIDEO",
    "orgID": "ORGANIZATION",
    "wishes": "WISHES",
    "refusal": "WHY NOT",
}
MOST_RETRIED: Final = 100_000
"""Failed tasks are forgotten after seven days."""
_org = click.option(
    "--org", default="org_local", show_default=True, help="The organization."
)


@click.group(cls=HvGroup)
def captions() -> None:
    """List captions of a video, have them made by machine, and read what is said."""


@captions.command("list")
@click.argument("video_id")
@_org
@json_option
@pass_invocation
def list_captions(
    invocation: Invocation, *, video_id: str, org: str, as_json: bool
) -> None:
    """List the captions of the video VIDEO_ID, and the jobs that make some by machine."""
    with invocation.services() as services:
        _show(services, org, video_id, as_json=as_json)


@captions.command("generate")
@click.argument("video_id")
@_org
@click.option(
    "--language",
    "languages",
    multiple=True,
    help="A language that is spoken, such as en, repeatable; by default any.",
)
@json_option
@pass_invocation
def generate(
    invocation: Invocation,
    *,
    video_id: str,
    org: str,
    languages: Sequence[str],
    as_json: bool,
) -> None:
    """Order captions by machine for the video VIDEO_ID; encode workers make them."""
    wishes = [language.lower() for language in languages] or [AUTO]
    with invocation.services() as services:
        services.caption_orders.generate(OPERATOR, org, video_id, wishes)
        _show(services, org, video_id, as_json=as_json)


@captions.command("retry")
@click.option("--org", help="Only those of this organization.")
@json_option
@pass_invocation
def retry(invocation: Invocation, *, org: str | None, as_json: bool) -> None:
    """Order the captions again that failed at every attempt within seven days."""
    with invocation.services() as services:
        if org is not None:
            # Says that there is no such organization, where an empty list would please.
            services.tenants.environments(org)
        failed = _failed_wishes(services, None if org is None else OrgId(org))
        retried = list(_retried(services, failed))
    show(retried, _RETRIED_COLUMNS, name="captions", as_json=as_json)


@captions.command("cancel")
@click.argument("video_id")
@_org
@json_option
@pass_invocation
def cancel(invocation: Invocation, *, video_id: str, org: str, as_json: bool) -> None:
    """Cancel the captions by machine that are being made for the video VIDEO_ID."""
    with invocation.services() as services:
        services.caption_orders.cancel(OPERATOR, org, video_id)
        _show(services, org, video_id, as_json=as_json)


@captions.command("transcript")
@click.argument("video_id")
@click.argument("language")
@_org
@click.option(
    "--format",
    "form",
    type=click.Choice([form.value for form in TranscriptFormat]),
    default=TranscriptFormat.TEXT.value,
    show_default=True,
    help="The format; json has the words with their times.",
)
@pass_invocation
def transcript(
    invocation: Invocation, *, video_id: str, language: str, org: str, form: str
) -> None:
    """Print the transcript of the video VIDEO_ID: its captions in a LANGUAGE."""
    with invocation.services() as services:
        found = services.transcripts
        track = found.track(OPERATOR, org, video_id, language)
        if form == TranscriptFormat.JSON.value:
            print_json(wire.transcript(track, found.said(track)))
        elif form == TranscriptFormat.VTT.value:
            put(found.webvtt(track).decode().rstrip("\n"))
        else:
            is_text = form == TranscriptFormat.TEXT.value
            write = write_text if is_text else write_subrip
            put(write(found.cues(track)).decode().rstrip("\n"))


def _failed_wishes(
    services: Services, org_id: OrgId | None
) -> Mapping[tuple[OrgId, str], list[str]]:
    """Return the wishes for captions whose attempts have all failed, by organization and video."""
    wishes: dict[tuple[OrgId, str], list[str]] = {}
    with services.uow.read() as work:
        failed = work.tasks.search(
            state=TaskState.FAILED,
            org_id=org_id,
            kind=CAPTIONS_MAKE,
            limit=MOST_RETRIED,
        )
        for task in failed:
            job = work.caption_jobs.find(CaptionJobId(str(task.payload[JOB])))
            # There is none if the same was ordered again since.
            is_failed = job is not None and job.state is CaptionJobState.FAILED
            if job is not None and is_failed and _was_tried_often(task):
                wishes.setdefault((task.org_id, task.subject), []).append(job.wish)
    return wishes


def _was_tried_often(task: Task) -> bool:
    """Return whether a task failed though it was tried again: for good at once, it would again."""
    return task.attempts + 1 >= MAX_ATTEMPTS or task.losses > MAX_LOSSES


def _retried(
    services: Services, failed: Mapping[tuple[OrgId, str], Sequence[str]]
) -> Iterator[Mapping[str, object]]:
    """Order failed captions again, and yield what became of the wishes of each video."""
    for (org_id, video_id), wishes in failed.items():
        try:
            ordered = _ordered_again(services, org_id, video_id, wishes)
            is_available = True
        except UnavailableError as exc:
            # The next ones would wait for the same outage. Those before it are told.
            ordered, is_available = {exc.detail: wishes}, False
        for refusal, together in ordered.items():
            yield {
                "videoID": video_id,
                "orgID": org_id,
                "wishes": together,
                "refusal": refusal,
            }
        if not is_available:
            return


def _ordered_again(
    services: Services, org_id: str, video_id: str, wishes: Sequence[str]
) -> Mapping[str, Sequence[str]]:
    """Order captions of a video; return the wishes by the reason that refuses them, "" if none does."""
    refusals: dict[str, str] = {}
    try:
        tracks = services.captions.of_video(OPERATOR, org_id, video_id)
        written = {one.language for one in tracks if not one.is_generated}
        for wish in wishes:
            # One that became impossible keeps no other from being ordered.
            refusal = services.caption_orders.refusal((wish,))
            refusals[wish] = f"languages {refusal}." if refusal else ""
            if wish in written:
                refusals[wish] = WRITTEN_BY_A_PERSON.format(language=wish)
        possible = [wish for wish, refusal in refusals.items() if not refusal]
        if possible:
            services.caption_orders.generate(OPERATOR, org_id, video_id, possible)
    except (
        ConflictError,
        InvalidParametersError,
        VideoNotFoundError,
        QuotaExceededError,
    ) as exc:
        refusals = {wish: refusals.get(wish) or exc.detail for wish in wishes}
    told: dict[str, list[str]] = {}
    for wish, refusal in refusals.items():
        told.setdefault(refusal, []).append(wish)
    return told


def _show(services: Services, org: str, video_id: str, *, as_json: bool) -> None:
    tracks = services.captions.of_video(OPERATOR, org, video_id)
    jobs = services.caption_orders.of_video(OPERATOR, org, video_id)
    told = wire.captions(tracks, jobs=jobs)
    if as_json:
        print_json(told)
        return
    rows = [wire.caption(track) for track in tracks]
    show(rows, _COLUMNS, name="captions", as_json=False)
    if jobs:
        say("")
        show(
            [wire.job_record(one) for one in jobs],
            _JOB_COLUMNS,
            name="jobs",
            as_json=False,
        )
