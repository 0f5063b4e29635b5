"""
Plan, run and publish transcode jobs.

A job is cut into parts; each part is a task of its own. The worker that finishes the
last part orders the assembling, which publishes with one compare-and-set on the video.
No task waits for another one.
"""

import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import attrs

from hvcore.domain.ids import JobId
from hvcore.domain.limits import SEGMENT_S
from hvcore.domain.media_paths import media_root
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.ladder import build_ladder
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.remote_jobs import cancel_tasks
from hvcore.domain.processing.storyboard import still_interval_s
from hvcore.domain.processing.transcoding import (
    Part,
    PartDone,
    PartPending,
    TranscodeError,
    TranscodeOrder,
)
from hvcore.domain.tasks.kinds import (
    PART_KINDS,
    TRANSCODE_KINDS,
    TRANSCODE_PART,
    TRANSCODE_REMOTE,
)
from hvcore.domain.tasks.task import Lane, NewTask, Task, TaskState
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.failpoints import failpoint
from hvcore.ports.queue import Queue
from hvcore.ports.transcoder import RemoteTranscoder, Transcoder
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.quotas import require_planned
from hvcore.services.captions.orders import CaptionOrders, WishesWhenReady
from hvcore.services.processing.attempt_cleanup import LATE_WRITERS_AFTER, order_tidying
from hvcore.services.processing.attempt_files import AttemptFiles
from hvcore.services.processing.attempt_workspaces import AttemptWorkspaces
from hvcore.services.processing.conformance_reports import ConformanceReports
from hvcore.services.processing.encoding_speed import note_encoded, traced_encoder
from hvcore.services.processing.part_payloads import (
    part_index,
    part_payload,
    planned_part,
)
from hvcore.services.processing.part_results import PartResults
from hvcore.services.processing.remote_parts import RemoteParts
from hvcore.services.processing.renewals import (
    carried,
    end_renewal,
    replaced_job,
    wanted_video,
)
from hvcore.services.processing.source_captions import SourceCaptions
from hvcore.services.processing.storyboards import Storyboards
from hvcore.services.processing.transcoder_choice import TranscoderChoice
from hvcore.services.processing.transcoders import Transcoders
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from hvcore.wire.stored import from_stored


@attrs.frozen(kw_only=True)
class Transcoding:
    """Do the three kinds of transcode tasks: plan a job, encode a part, assemble the video."""

    uow: UnitOfWork
    queue: Queue
    transcoders: Transcoders
    choice: TranscoderChoice
    files: AttemptFiles
    workspaces: AttemptWorkspaces
    results: PartResults
    remote_parts: RemoteParts
    storyboards: Storyboards
    conformance_reports: ConformanceReports
    source_captions: SourceCaptions
    caption_orders: CaptionOrders

    def plan(self, run: TaskRun) -> None:
        """
        Probe the source, choose the ladder of renditions, and order the tasks of the parts.

        Raises:
            UnusableSourceError: The source cannot be made into a video, the organization's
                minutes of the month are used up, or every transcoder for it declines.
            TranscodeError: The transcoder failed, or planned nothing.
        """
        video = self._wanted_video(run)
        if video is None:
            run.finish()
            return
        self.files.drop_other_sendings(video)
        prober = self.choice.before_probing(video)
        with self.workspaces.workspace(run, video) as workspace:
            source = prober.transcoder.probe(workspace)
        order = TranscodeOrder(
            source=source,
            settings=video.settings,
            ladder=build_ladder(source, video.settings),
            segment_s=SEGMENT_S,
            workers=self._workers(),
            still_interval_s=still_interval_s(source.duration_s),
        )
        chosen = self.choice.after_probing(video, order, prober)
        parts = _planned(chosen.transcoder, order)
        is_remote = isinstance(chosen.transcoder, RemoteTranscoder)
        job = TranscodeJob(
            id=_job_id(run.task),
            video_id=video.id,
            order=order,
            parts_total=len(parts),
            parts_left=len(parts),
            transcoder=chosen.name,
            chosen_because=chosen.because,
        )
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: grant, video, tasks. The job's
            # record refers to the video, and would lock it behind the task.
            work.videos.find(video.id, for_update=True)
            run.finish(work)
            if work.jobs.add(job):
                if replaced_job(run.task) is None:
                    # What was made once is not counted twice.
                    require_planned(work, video.org_id, job.id)
                work.tasks.add(
                    NewTask(
                        kind=TRANSCODE_REMOTE if is_remote else TRANSCODE_PART,
                        # What is made elsewhere keeps no encoder waiting.
                        lane=Lane.OUTBOUND if is_remote else Lane.ENCODE,
                        org_id=video.org_id,
                        subject=video.id,
                        payload={**part_payload(job, part), **carried(run.task)},
                    )
                    for part in parts
                )
            work.commit()

    def run_part(self, run: TaskRun) -> None:
        """
        Encode one part of a job, and store its files in a folder of this attempt.

        Raises:
            UnusableSourceError: No attempt will succeed.
            TranscodeError: This attempt failed.
        """
        video = self._wanted_video(run)
        job = self._job(run)
        if video is None or job is None:
            self._finish_unwanted(run)
            return
        transcoder = self.transcoders.of_job(job)
        part = planned_part(run.task, job.order, transcoder)
        if isinstance(transcoder, RemoteTranscoder):
            self.remote_parts.run(run, video, job, part, transcoder)
            return
        with self.workspaces.workspace(run, video) as workspace:
            began_s = time.monotonic()
            with traced_encoder(job, part):
                done = transcoder.run(part, workspace)
            note_encoded(part, time.monotonic() - began_s)
            if isinstance(done, PartPending):
                raise TypeError(f"{job.transcoder} is no RemoteTranscoder")
            run.check()
            failpoint("part.encoded")
            self.results.keep(
                run, job, index=part.index, made=workspace.folder, done=done
            )

    def assemble(self, run: TaskRun) -> None:
        """
        Join the parts of a job, write the playlists, check the result, and publish the video.

        Raises:
            NotConformantError: The result breaks a rule and must not be published.
        """
        video = self._wanted_video(run)
        job = self._job(run)
        if video is None or job is None:
            run.finish()
            return
        done = self._finished_parts(job)
        media = self.transcoders.of_job(job).assemble(job.order, done)
        root = media_root(video.id, job.id)
        run.check()
        # A name of this attempt's own, as parts have.
        sheets = f"storyboard-a{run.task.fence}"
        try:
            media = self.storyboards.add(
                root,
                media,
                done,
                interval_s=job.order.still_interval_s,
                folder=sheets,
            )
            self.files.write_playlists(root, media)
            failpoint("assemble.written")
            self.conformance_reports.issue(run, job, media)
            media = self._publish(run, video, job, media, done)
        except UnavailableError:
            # These files may be published, as in _keep.
            raise
        except BaseException:
            self.files.discard(f"{root}/{sheets}")
            raise
        failpoint("assemble.published")
        self.files.drop_unpublished(root, media)

    def give_up(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        """
        Fail a task and the video whose job cannot be finished; the job's other tasks end.

        Args:
            reason: A sentence for the video's owner that says why the task failed.
            error: The error's message, which is stored with the task for operators.
        """
        video = work.videos.find(task.subject, for_update=True)
        current = work.tasks.find(task.id)
        if current is None or not work.tasks.fail(task, error=error):
            return
        ended = [current]
        if video is not None and video.mark_failed(_job_id(task), reason):
            work.videos.save(video)
            ended += work.tasks.cancel(video.id, kinds=TRANSCODE_KINDS)
            order_tidying(work, video, timedelta(), LATE_WRITERS_AFTER)
        elif video is not None and replaced_job(task) is not None:
            ended += end_renewal(work, video, task)
        work.tasks.add(cancel_tasks(ended, now=work.now()))

    def _finish_unwanted(self, run: TaskRun) -> None:
        with self.uow.write() as work:
            run.finish(work)
            # A version that knows nothing of it may have ended the job.
            work.tasks.add(cancel_tasks([run.task], now=work.now()))
            work.commit()

    def _workers(self) -> int:
        try:
            return max(1, self.queue.workers(Lane.ENCODE))
        except UnavailableError:
            # One part more or less: nothing to wait for.
            return 1

    def _wanted_video(self, run: TaskRun) -> Video | None:
        with self.uow.read() as work:
            video = work.videos.find(run.task.subject)
        return wanted_video(video, run.task)

    def _job(self, run: TaskRun) -> TranscodeJob | None:
        with self.uow.read() as work:
            return work.jobs.find(_job_id(run.task))

    def _publish(
        self,
        run: TaskRun,
        video: Video,
        job: TranscodeJob,
        media: MediaIndex,
        done: Sequence[tuple[str, PartDone]],
    ) -> MediaIndex:
        is_new = replaced_job(run.task) is None
        wishes = (
            self.caption_orders.wishes_when_ready(video)
            if is_new
            else WishesWhenReady()
        )
        with (
            self.source_captions.stored(run, video, media, done) as captions,
            self.uow.write() as work,
        ):
            current = work.videos.find(video.id, for_update=True)
            run.finish(work)
            media = captions.noted_in(media)
            if current is None or not self._show(work, run, current, job, media):
                raise TaskStopped
            current.take_chapters(job.order.source.chapters)
            work.videos.save(current)
            captions.put(work, video.id)
            if is_new:
                self.caption_orders.order_ready(work, current, wishes)
            order_tidying(work, current, LATE_WRITERS_AFTER)
            work.commit()
        return media

    def _show(
        self,
        work: Work,
        run: TaskRun,
        video: Video,
        job: TranscodeJob,
        media: MediaIndex,
    ) -> bool:
        replaced = replaced_job(run.task)
        if replaced is None:
            video.source = job.order.source.figures
            return video.mark_ready(job.id, media)
        if not video.renew(replaced, job.id, media):
            return False
        # Its files stay for a while: requests may be reading them.
        old = attrs.evolve(video, job_id=replaced)
        order_tidying(work, old, LATE_WRITERS_AFTER)
        return True

    def _finished_parts(self, job: TranscodeJob) -> Sequence[tuple[str, PartDone]]:
        with self.uow.read() as work:
            tasks = work.tasks.of_subject(job.video_id)
        done: dict[int, tuple[str, PartDone]] = {}
        for task in tasks:
            if (
                task.kind in PART_KINDS
                and task.state is TaskState.DONE
                and task.result is not None
                and task.payload["job"] == job.id
            ):
                done[part_index(task)] = _part_result(task.result)
        if len(done) != job.parts_total:
            raise TranscodeError(
                "A part of the video is missing.",
                log=f"{len(done)} of {job.parts_total} parts are done",
            )
        return [done[index] for index in sorted(done)]


def _job_id(task: Task) -> JobId:
    return JobId(str(task.payload["job"]))


def _planned(transcoder: Transcoder, order: TranscodeOrder) -> tuple[Part, ...]:
    parts = transcoder.plan(order)
    if not parts:
        # Nobody would finish a last part, and the job would never end.
        raise TranscodeError(
            "The transcoder planned no work for this video.",
            log=f"{type(transcoder).__name__}.plan returned no parts",
        )
    return parts


def _part_result(result: Mapping[str, Any]) -> tuple[str, PartDone]:
    return result["folder"], from_stored(result["done"], PartDone)
