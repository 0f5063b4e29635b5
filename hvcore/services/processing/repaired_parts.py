"""
Encode parts of a published video again, and put back their lost files.

If the new bytes are those that were published, as with sound, the files are put back and
nothing else changes. An encoder of pictures may make other bytes each time. Then the part
is published anew together with copies of all others, under a job of its own, in one step.
"""

import hashlib
import logging
from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from pathlib import Path

import attrs

from hvcore.domain.ids import JobId
from hvcore.domain.media_paths import media_root
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import MediaFile, PartDone, StoredObject
from hvcore.domain.tasks.task import Task
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.failpoints import failpoint
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import RemoteTranscoder
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.processing.attempt_cleanup import (
    LATE_WRITERS_AFTER,
    order_tidying,
)
from hvcore.services.processing.attempt_files import (
    AttemptFiles,
    content_type,
    part_of_folder,
)
from hvcore.services.processing.attempt_workspaces import AttemptWorkspaces
from hvcore.services.processing.conformance_reports import ConformanceReports
from hvcore.services.processing.encoding_speed import traced_encoder
from hvcore.services.processing.orders import order_renewal
from hvcore.services.processing.renewals import RENEWAL
from hvcore.services.processing.replaced_parts import (
    DoesNotJoinError,
    MadeAgain,
    files_of_part,
    served_names,
    with_parts,
)
from hvcore.services.processing.stored_copies import StoredCopies
from hvcore.services.processing.transcoders import Transcoders
from hvcore.services.tasks.leases import TaskRun, TaskStopped

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class RepairedParts:
    """Put back the lost files of encoded parts: the work of ``transcode.mend`` tasks."""

    uow: UnitOfWork
    storage: Storage
    transcoders: Transcoders
    workspaces: AttemptWorkspaces
    files: AttemptFiles
    copies: StoredCopies
    conformance_reports: ConformanceReports

    def repair(self, run: TaskRun) -> None:
        """
        Encode parts with lost files again and put the files back.

        If parts alone cannot be repaired, a renewal of the whole video is ordered.

        Raises:
            UnusableSourceError: The source is gone.
            TranscodeError: This attempt failed.
            NotConformantError: The repaired video must not be published.
            UnavailableError: The storage does not answer.
        """
        with self.uow.read() as work:
            video = _published(work, run.task)
            job = work.jobs.find(_job_id(run.task))
        if video is None or video.media is None:
            run.finish()
            return
        if job is None:
            # How its parts were cut, nobody knows any more.
            self._order_all(run)
            return
        try:
            made = self._made_again(run, video, job, video.media)
            if made:
                self._publish(run, job, with_parts(video.media, made), made)
            else:
                failpoint("repair.stored")
                run.finish()
        except DoesNotJoinError as error:
            _log.warning(
                "the whole video is made again",
                extra={"hv_video": video.id, "hv_why": str(error)},
            )
            self._order_all(run)

    def give_up(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        """
        Fail the repair task; the next check of the video's files finds what is still lost.

        Args:
            reason: Not used: the video, which would show the reason, plays on as it is.
            error: The error's message, which is stored with the task for operators.
        """
        del reason
        video = work.videos.find(task.subject, for_update=True)
        if work.tasks.fail(task, error=error) and video is not None:
            renewed = attrs.evolve(video, job_id=_renewal_id(task))
            order_tidying(work, renewed, timedelta(), LATE_WRITERS_AFTER)

    def _made_again(
        self, run: TaskRun, video: Video, job: TranscodeJob, media: MediaIndex
    ) -> Mapping[str, MadeAgain]:
        """Make the parts; return those of which the bytes are not those that were published."""
        transcoder = self.transcoders.of_job(job)
        if isinstance(transcoder, RemoteTranscoder):
            raise DoesNotJoinError("its parts are made elsewhere")
        made: dict[str, MadeAgain] = {}
        for folder, told in _folders(run.task).items():
            root = f"{media_root(video.id, job.id)}/{folder}"
            gone = self._gone(told, root, files_of_part(media, folder))
            if not gone:
                continue
            index, plan = part_of_folder(folder), transcoder.plan(job.order)
            if index >= len(plan):
                raise DoesNotJoinError("this version cuts the job into other parts")
            with self.workspaces.workspace(run, video) as workspace:
                with traced_encoder(job, plan[index]):
                    done = transcoder.run(plan[index], workspace)
                if not isinstance(done, PartDone):
                    raise DoesNotJoinError("its parts are made elsewhere")
                if all(_is_same(workspace.folder / n, f) for n, f in gone.items()):
                    self._put_back(run, root, workspace.folder, gone)
                    continue
                # A name of this attempt's own, as parts have.
                target = f"p{index}a{run.task.fence}"
                renewed = media_root(video.id, _renewal_id(run.task))
                self.files.store(workspace.folder, f"{renewed}/{target}")
                made[folder] = MadeAgain(folder=target, done=done)
        return made

    def _put_back(
        self, run: TaskRun, root: str, made: Path, gone: Iterable[str]
    ) -> None:
        for name in gone:
            run.check()
            self.storage.put_file(
                f"{root}/{name}", made / name, content_type=content_type(name)
            )

    def _gone(
        self,
        told: Collection[str],
        root: str,
        files: Mapping[str, MediaFile | None],
    ) -> Mapping[str, MediaFile | None]:
        sizes = {
            info.path.removeprefix(f"{root}/"): info.size_bytes
            for info in self.storage.walk(root)
        }
        return {
            name: file
            for name, file in files.items()
            if name in told or not _is_there(sizes.get(name), file)
        }

    def _publish(
        self,
        run: TaskRun,
        job: TranscodeJob,
        media: MediaIndex,
        made: Mapping[str, MadeAgain],
    ) -> None:
        """Publish the parts that were made again together with all others."""
        renewed = attrs.evolve(job, id=_renewal_id(run.task), parts_left=0)
        root = media_root(job.video_id, renewed.id)
        new = tuple(f"{one.folder}/" for one in made.values())
        self.copies.take_over(
            (
                StoredObject(name=name, made_as=name)
                for name in served_names(media)
                if not name.startswith(new)
            ),
            made_in=media_root(job.video_id, job.id),
            target=root,
            check=run.check,
        )
        run.check()
        self.files.write_playlists(root, media)
        failpoint("repair.stored")
        self.conformance_reports.issue(run, renewed, media)
        with self.uow.write() as work:
            video = _published(work, run.task, for_update=True)
            run.finish(work)
            if video is None or not video.renew(job.id, renewed.id, media):
                raise TaskStopped
            work.jobs.add(renewed)
            work.videos.save(video)
            # The old files stay for a while: requests may be reading them.
            old = attrs.evolve(video, job_id=job.id)
            order_tidying(work, old, LATE_WRITERS_AFTER)
            order_tidying(work, video, LATE_WRITERS_AFTER)
            work.commit()

    def _order_all(self, run: TaskRun) -> None:
        with self.uow.write() as work:
            video = _published(work, run.task, for_update=True)
            run.finish(work)
            if video is not None:
                order_renewal(work, video)
                unused = attrs.evolve(video, job_id=_renewal_id(run.task))
                order_tidying(work, unused, LATE_WRITERS_AFTER)
            work.commit()


def _is_there(size_bytes: int | None, file: MediaFile | None) -> bool:
    if size_bytes is None:
        return False
    return size_bytes > 0 if file is None else size_bytes == file.size_bytes


def _is_same(local: Path, file: MediaFile | None) -> bool:
    if not local.is_file():
        return False
    if file is None:
        return True
    with local.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest() == file.sha256


def _published(work: Work, task: Task, *, for_update: bool = False) -> Video | None:
    video = work.videos.find(task.subject, for_update=for_update)
    is_published = (
        video is not None
        and video.state is VideoState.READY
        and video.job_id == _job_id(task)
    )
    return video if is_published else None


def _job_id(task: Task) -> JobId:
    return JobId(str(task.payload["job"]))


def _renewal_id(task: Task) -> JobId:
    return JobId(str(task.payload[RENEWAL]))


def _folders(task: Task) -> Mapping[str, Collection[str]]:
    found = task.payload.get("folders")
    return found if isinstance(found, dict) else {}
