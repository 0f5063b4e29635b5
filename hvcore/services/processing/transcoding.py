"""
Plan, run and publish transcode jobs.

A job is cut into parts; each part is a task of its own. Whoever finishes the
last part orders the assembling, which publishes with one compare-and-set on
the video. Nobody waits for anybody.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import attrs

from hvcore.domain.ids import JobId
from hvcore.domain.limits import SEGMENT_S
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.ladder import build_ladder
from hvcore.domain.processing.storyboard import still_interval_s
from hvcore.domain.processing.transcoding import (
    MediaIndex,
    Part,
    PartDone,
    PartPending,
    TranscodeError,
    TranscodeOrder,
)
from hvcore.domain.tasks.kinds import (
    TRANSCODE_ASSEMBLE,
    TRANSCODE_KINDS,
    TRANSCODE_PART,
)
from hvcore.domain.tasks.task import Lane, NewTask, Task, TaskState
from hvcore.domain.videos.video import Video, VideoState, media_root
from hvcore.errors import UnavailableError
from hvcore.failpoints import failpoint
from hvcore.ports.queue import Queue
from hvcore.ports.transcoder import Transcoder
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.quotas import require_planned
from hvcore.services.processing.attempt_cleanup import LATE_WRITERS_AFTER, order_tidying
from hvcore.services.processing.attempt_files import AttemptFiles
from hvcore.services.processing.certificates import Certificates
from hvcore.services.processing.part_payloads import (
    part_index,
    part_payload,
    planned_part,
)
from hvcore.services.processing.source_captions import SourceCaptions
from hvcore.services.processing.storyboards import Storyboards
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from hvcore.wire.stored import from_stored, to_stored

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class Transcoding:
    """
    The work of the three kinds of transcode tasks.
    """

    uow: UnitOfWork
    queue: Queue
    transcoder: Transcoder
    files: AttemptFiles
    storyboards: Storyboards
    certificates: Certificates
    source_captions: SourceCaptions

    def plan(self, run: TaskRun) -> None:
        """
        Probe the source, choose the ladder, order the parts.

        Raises:
            UnusableSourceError: The source cannot be made into a video, or no minute of
                the month is left.
            TranscodeError: The transcoder failed, or planned nothing.
        """
        video = self._wanted_video(run)
        if video is None:
            run.finish()
            return
        self.files.drop_other_sendings(video)
        with self.files.workspace(run, video) as workspace:
            source = self.transcoder.probe(workspace)
        order = TranscodeOrder(
            source=source,
            settings=video.settings,
            ladder=build_ladder(source, video.settings),
            segment_s=SEGMENT_S,
            workers=self._workers(),
            still_interval_s=still_interval_s(source.duration_s),
        )
        parts = self._parts(order)
        job = TranscodeJob(
            id=_job_id(run.task),
            video_id=video.id,
            order=order,
            parts_total=len(parts),
            parts_left=len(parts),
        )
        with self.uow.write() as work:
            run.finish(work)
            if work.jobs.add(job):
                require_planned(work, video.org_id, job.id)
                work.tasks.add(
                    NewTask(
                        kind=TRANSCODE_PART,
                        lane=Lane.ENCODE,
                        org_id=video.org_id,
                        subject=video.id,
                        payload=part_payload(job.id, part),
                    )
                    for part in parts
                )
            work.commit()

    def run_part(self, run: TaskRun) -> None:
        """
        Make the files of one part and store them in a folder of this attempt.

        Raises:
            UnusableSourceError: No attempt will succeed.
            TranscodeError: This attempt failed.
        """
        video = self._wanted_video(run)
        job = self._job(run)
        if video is None or job is None:
            run.finish()
            return
        part = planned_part(run.task, job.order, self.transcoder)
        folder = f"p{part.index}a{run.task.fence}"
        with self.files.workspace(run, video) as workspace:
            done = self.transcoder.run(part, workspace)
            if isinstance(done, PartPending):
                self._wait_for(run.task, done)
                return
            run.check()
            failpoint("part.encoded")
            self._keep(run, job, part_folder=folder, made=workspace.folder, done=done)

    def assemble(self, run: TaskRun) -> None:
        """
        Join the parts, write the playlists, check all that, publish.

        Raises:
            NotConformantError: What was made must not be published.
        """
        video = self._wanted_video(run)
        job = self._job(run)
        if video is None or job is None:
            run.finish()
            return
        done = self._finished_parts(job)
        media = self.transcoder.assemble(job.order, done)
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
            self.certificates.issue(run, job, media)
            media = self._publish(run, video, media, done)
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
        Fail the video whose job cannot be finished; its other parts end.
        """
        video = work.videos.find(task.subject, for_update=True)
        if not work.tasks.fail(task, error=error):
            return
        if video is not None and video.mark_failed(_job_id(task), reason):
            work.videos.save(video)
            work.tasks.cancel(video.id, kinds=TRANSCODE_KINDS)
            order_tidying(work, video, timedelta(), LATE_WRITERS_AFTER)

    def _parts(self, order: TranscodeOrder) -> tuple[Part, ...]:
        parts = self.transcoder.plan(order)
        if not parts:
            # Nobody would finish a last part, and the job would never end.
            raise TranscodeError(
                "The transcoder planned no work for this video.",
                log=f"{type(self.transcoder).__name__}.plan returned no parts",
            )
        return parts

    def _workers(self) -> int:
        try:
            return max(1, self.queue.workers(Lane.ENCODE))
        except UnavailableError:
            # One part more or less: nothing to wait for.
            return 1

    def _wanted_video(self, run: TaskRun) -> Video | None:
        with self.uow.read() as work:
            video = work.videos.find(run.task.subject)
        if (
            video is None
            or video.state is not VideoState.TRANSCODING
            or video.job_id != _job_id(run.task)
        ):
            return None
        return video

    def _job(self, run: TaskRun) -> TranscodeJob | None:
        with self.uow.read() as work:
            return work.jobs.find(_job_id(run.task))

    def _publish(
        self,
        run: TaskRun,
        video: Video,
        media: MediaIndex,
        done: Sequence[tuple[str, PartDone]],
    ) -> MediaIndex:
        with (
            self.source_captions.stored(run, video, media, done) as captions,
            self.uow.write() as work,
        ):
            current = work.videos.find(video.id, for_update=True)
            run.finish(work)
            media = captions.noted_in(media)
            if current is None or not current.mark_ready(_job_id(run.task), media):
                raise TaskStopped
            work.videos.save(current)
            captions.put(work, video.id)
            order_tidying(work, current, LATE_WRITERS_AFTER)
            work.commit()
        return media

    def _keep(
        self,
        run: TaskRun,
        job: TranscodeJob,
        *,
        part_folder: str,
        made: Path,
        done: PartDone,
    ) -> None:
        target = f"{media_root(job.video_id, job.id)}/{part_folder}"
        try:
            self.files.store(made, target)
            failpoint("part.stored")
            self._finish_part(run, job, part_folder, done)
        except UnavailableError:
            # A commit that was not confirmed may have been made: then these files
            # are the part. If they are not, the tidying removes them.
            raise
        except BaseException:
            # Lost, cancelled or refused: nobody else knows of these files.
            self.files.discard(target)
            raise

    def _finish_part(
        self, run: TaskRun, job: TranscodeJob, folder: str, done: PartDone
    ) -> None:
        result = {"folder": folder, "done": to_stored(done)}
        with self.uow.write() as work:
            run.finish(work, result=result)
            if work.jobs.count_down(job.id) == 0:
                work.tasks.add(
                    [
                        NewTask(
                            kind=TRANSCODE_ASSEMBLE,
                            lane=Lane.LIGHT,
                            org_id=run.task.org_id,
                            subject=run.task.subject,
                            payload={"job": job.id},
                        )
                    ]
                )
            work.commit()

    def _wait_for(self, task: Task, pending: PartPending) -> None:
        with self.uow.write() as work:
            work.tasks.put_back(
                task,
                not_before=work.now() + timedelta(seconds=pending.retry_after_s),
                payload={**task.payload, "handle": pending.handle},
            )
            work.commit()

    def _finished_parts(self, job: TranscodeJob) -> Sequence[tuple[str, PartDone]]:
        with self.uow.read() as work:
            tasks = work.tasks.of_subject(job.video_id, kind=TRANSCODE_PART)
        done: dict[int, tuple[str, PartDone]] = {}
        for task in tasks:
            if (
                task.state is TaskState.DONE
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


def _part_result(result: Mapping[str, Any]) -> tuple[str, PartDone]:
    return result["folder"], from_stored(result["done"], PartDone)
