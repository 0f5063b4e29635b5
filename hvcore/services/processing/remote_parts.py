"""
Run the tasks of parts that a remote service encodes: submit, poll, take over.

No worker waits for the service. Each attempt at the task is one short call of the
transcoder; what the next attempt needs is stored with the task.
"""

import logging
from datetime import timedelta

import attrs

from hvcore.domain.ids import new_job_id
from hvcore.domain.media_paths import media_root
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.remote_jobs import (
    RemoteJob,
    cancel_of_second,
    cancel_tasks,
    poll_pause_s,
    remote_job_of,
)
from hvcore.domain.processing.transcoding import Part, PartPending, TranscodeError
from hvcore.domain.tasks.kinds import TRANSCODE_KINDS
from hvcore.domain.tasks.task import ENDED, Task
from hvcore.domain.videos.video import Video
from hvcore.failpoints import failpoint
from hvcore.ports.storage import StorageRefusedError
from hvcore.ports.transcoder import (
    JobDeclinedError,
    PartTarget,
    RemoteTranscoder,
    SupportsDeclining,
    Workspace,
)
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.processing.attempt_workspaces import AttemptWorkspaces
from hvcore.services.processing.encoding_speed import traced_encoder
from hvcore.services.processing.orders import order_job
from hvcore.services.processing.part_results import PartResults
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from hvcore.services.tasks.outages import is_outage

_log = logging.getLogger(__name__)

TOOK_TOO_LONG = "The service that makes videos took too long."
REFUSED = "The storage does not permit what making the video needs."


class StoreRefusesError(TranscodeError):
    """
    The storage forbids reading or copying files; this is a permission problem, not an outage.

    The remote job is not harmed, so it is kept until the task has no attempt left:
    somebody may have corrected the permissions by then.
    """


@attrs.frozen(kw_only=True)
class RemoteParts:
    """
    Do the tasks of parts whose transcoder is a RemoteTranscoder.

    Attributes:
        default_name: The name of the transcoder of jobs that name none.
    """

    uow: UnitOfWork
    workspaces: AttemptWorkspaces
    results: PartResults
    default_name: str

    def run(
        self,
        run: TaskRun,
        video: Video,
        job: TranscodeJob,
        part: Part,
        transcoder: RemoteTranscoder,
    ) -> None:
        """
        Submit a part to the remote service, poll it, or take over its files.

        A job that the transcoder no longer accepts is planned again.

        Raises:
            UnusableSourceError: No attempt will succeed.
            StoreRefusesError: The storage does not permit what is needed.
            TranscodeError: This remote job has failed; the next attempt makes another.
            UnavailableError: The service or the storage does not answer.
        """
        self._begin(run, job)
        remote_job = _remote_job(run.task)
        root = media_root(video.id, job.id)
        target = PartTarget(
            storage=self.workspaces.storage,
            prefix=f"{root}/{remote_job.target_folder(part.index)}",
        )
        # Outside the try: a machine without room says nothing of the remote job.
        with self.workspaces.remote_workspace(
            run,
            video,
            remote_job=remote_job,
            target=target,
            remember=lambda handle: self._remember(run, handle),
        ) as workspace:
            try:
                self._call(
                    run, job, part, transcoder, workspace=workspace, target=target
                )
            except JobDeclinedError:
                if not self._plan_again(run, job, transcoder):
                    raise
            except StorageRefusedError as error:
                raise StoreRefusesError(REFUSED, log=_cause(error)) from error
            except Exception as error:
                # An outage says nothing of the remote job, which goes on.
                if not is_outage(error):
                    self._end_remote_job(run)
                raise

    def _call(  # noqa: PLR0913 - what a part is and where it is made
        self,
        run: TaskRun,
        job: TranscodeJob,
        part: Part,
        transcoder: RemoteTranscoder,
        *,
        workspace: Workspace,
        target: PartTarget,
    ) -> None:
        with traced_encoder(job, part):
            done = transcoder.run(part, workspace)
        if isinstance(done, PartPending):
            self._wait(run, done)
            return
        run.check()
        failpoint("part.encoded")
        self.results.take_over(
            run,
            job,
            index=part.index,
            remote_job=_remote_job(run.task),
            made=workspace.folder,
            made_in=target.prefix,
            done=done,
        )

    def _begin(self, run: TaskRun, job: TranscodeJob) -> None:
        remote_job = remote_job_of(run.task) or RemoteJob(
            transcoder=job.transcoder or self.default_name
        )
        if remote_job.begun_at is not None:
            return
        with self.uow.write() as work:
            begun = attrs.evolve(remote_job, begun_at=work.now())
            self._note(run, work, begun)
            work.commit()

    def _remember(self, run: TaskRun, handle: str) -> None:
        failpoint("part.submitted")
        remote_job = _remote_job(run.task)
        if remote_job.handle == handle:
            return
        with self.uow.write() as work:
            found = remote_job.with_handle(handle, work.now())
            is_held = run.note(work, found.in_payload(run.task.payload))
            if not is_held:
                self._cancel_unwanted(work, run.task, found)
            work.commit()
        failpoint("part.remembered")
        if not is_held:
            raise TaskStopped

    def _wait(self, run: TaskRun, pending: PartPending) -> None:
        with self.uow.write() as work:
            now = work.now()
            remote_job = _remote_job(run.task).with_handle(pending.handle, now)
            elapsed_s = (now - (remote_job.pending_since or now)).total_seconds()
            if elapsed_s < pending.deadline_s:
                self._put_back(run, work, remote_job, pending, elapsed_s)
                work.commit()
                return
        self._remember(run, pending.handle)
        raise TranscodeError(
            TOOK_TOO_LONG, log=f"{pending.handle} was pending for {elapsed_s:.0f} s"
        )

    def _put_back(
        self,
        run: TaskRun,
        work: Work,
        remote_job: RemoteJob,
        pending: PartPending,
        elapsed_s: float,
    ) -> None:
        pause = timedelta(seconds=poll_pause_s(pending, elapsed_s=elapsed_s))
        if work.tasks.put_back(
            run.task,
            not_before=work.now() + pause,
            payload=remote_job.in_payload(run.task.payload),
            # Never back: not every phase of a service tells how far it is.
            progress=min(max(pending.progress, run.task.progress), 1.0),
            # Why it had to wait or be tried again says nothing any more.
            error="",
        ):
            run.charge(work)
        else:
            self._cancel_unwanted(work, run.task, remote_job)

    def _plan_again(
        self, run: TaskRun, job: TranscodeJob, transcoder: RemoteTranscoder
    ) -> bool:
        """End a job, and have another one planned; False if the same would be chosen."""
        if not isinstance(transcoder, SupportsDeclining):
            return False
        if not transcoder.declines(job.order):
            # It would be planned and declined for ever.
            return False
        with self.uow.write() as work:
            video = work.videos.find(job.video_id, for_update=True)
            run.finish(work)
            ended = [run.task]
            if video is not None and video.plan_again(job.id, new_job_id()):
                work.videos.save(video)
                ended += work.tasks.cancel(video.id, kinds=TRANSCODE_KINDS)
                order_job(work, video)
            # A worker that seemed dead may be submitting. What the job has left in the
            # store is removed after that, too.
            work.tasks.add(cancel_tasks(ended, now=work.now()))
            work.commit()
        _log.info(
            "a job is declined and planned again",
            extra={"hv_task": run.task.id, "hv_transcoder": job.transcoder},
        )
        return True

    def _end_remote_job(self, run: TaskRun) -> None:
        """Have the failed remote job cancelled, and the next attempt begin anew."""
        failed = _remote_job(run.task)
        with self.uow.write() as work:
            cancels = cancel_tasks([run.task], now=work.now())
            payload = failed.after_failure().in_payload(run.task.payload)
            if run.note(work, payload, progress=0.0):
                work.tasks.add(cancels)
            work.commit()
        _log.warning(
            "a remote job has failed",
            extra={
                "hv_task": run.task.id,
                "hv_transcoder": failed.transcoder,
                "hv_handle": failed.handle or "",
            },
        )

    def _note(self, run: TaskRun, work: Work, remote_job: RemoteJob) -> None:
        if not run.note(work, remote_job.in_payload(run.task.payload)):
            raise TaskStopped

    def _cancel_unwanted(self, work: Work, task: Task, remote_job: RemoteJob) -> None:
        """
        Cancel a remote job whose task was ended meanwhile, or a second remote job.

        Else another worker goes on with the same remote job.
        """
        known = attrs.evolve(task, payload=remote_job.in_payload(task.payload))
        current = work.tasks.find(task.id)
        if current is None or current.state in ENDED:
            work.tasks.add(cancel_tasks([known], now=work.now()))
            return
        work.tasks.add(cancel_of_second(known, current, now=work.now()))


def _remote_job(task: Task) -> RemoteJob:
    remote_job = remote_job_of(task)
    if remote_job is None:
        raise LookupError(f"{task.id} keeps no remote job")
    return remote_job


def _cause(error: Exception) -> str:
    return f"{error} {error.__cause__ or ''}".strip()
