"""``hv tasks``: what is due, queued, leased or failed, and why."""

from collections.abc import Sequence

import click

from hvcore.domain.ids import OrgId, TaskId
from hvcore.domain.processing.remote_jobs import remote_job_of
from hvcore.domain.tasks.task import Task, TaskState
from hvcore_cli.invocation import HvCommand, Invocation, pass_invocation
from hvcore_cli.output import json_option, show, timestamp


@click.command(cls=HvCommand)
@click.option(
    "--state",
    type=click.Choice([state.value for state in TaskState]),
    help="Only tasks in this state.",
)
@click.option("--org", help="Only tasks of this organization.")
@click.option("--video", help="Only tasks about this video.")
@click.option("--kind", help="Only tasks of this kind, such as webhook.deliver.")
@click.option(
    "--give-up",
    metavar="TASK",
    help="Try this transcode.cancel no more: the service elsewhere may go on.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="The most tasks that are shown.",
)
@json_option
@pass_invocation
def tasks(  # noqa: PLR0913 - one per option
    invocation: Invocation,
    *,
    state: str | None,
    org: str | None,
    video: str | None,
    kind: str | None,
    give_up: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """Show tasks, the latest change first; or give a cancellation up."""
    with invocation.services() as services:
        if give_up is not None:
            found: Sequence[Task] = [services.remote_cancels.give_up(TaskId(give_up))]
        else:
            with services.uow.read() as work:
                found = work.tasks.search(
                    state=None if state is None else TaskState(state),
                    org_id=None if org is None else OrgId(org),
                    subject=video,
                    kind=kind,
                    limit=limit,
                )
    columns = {
        "taskID": "TASK",
        "kind": "KIND",
        "subject": "ABOUT",
        "orgID": "ORGANIZATION",
        "state": "STATE",
        "progress": "DONE",
        "attempts": "ATTEMPTS",
        "losses": "LOSSES",
        "worker": "WORKER",
        "transcoder": "MADE BY",
        "notBefore": "NOT BEFORE",
        "updatedAt": "CHANGED",
        "error": "WHY",
    }
    show([_record(task) for task in found], columns, name="tasks", as_json=as_json)


def _record(task: Task) -> dict[str, object]:
    return {
        "taskID": task.id,
        "kind": task.kind,
        "lane": task.lane.value,
        "orgID": task.org_id,
        "subject": task.subject,
        "state": task.state.value,
        "progress": round(task.progress * 100),
        "attempts": task.attempts,
        "losses": task.losses,
        "worker": task.worker,
        "notBefore": timestamp(task.not_before),
        "leasedAt": timestamp(task.leased_at),
        "leaseUntil": timestamp(task.lease_until),
        "createdAt": timestamp(task.created_at),
        "updatedAt": timestamp(task.updated_at),
        "error": task.error,
        **_maker(task),
    }


def _maker(task: Task) -> dict[str, object]:
    """Return the transcoder of a part, the reason for it, and its handle."""
    remote_job = remote_job_of(task)
    handle = remote_job.handle if remote_job else task.payload.get("handle")
    return {
        "transcoder": task.payload.get("transcoder", ""),
        "transcoderBecause": task.payload.get("chosen_because", ""),
        "handle": handle or "",
    }
