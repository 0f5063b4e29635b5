"""
Make a part of a published video once more, and put back what is gone of it.

A file is put back only if its bytes are those that were published: then nothing else
changes, and players notice nothing. An encoder of another version makes other bytes; then
the whole video is made again, see renewals.
"""

import hashlib
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs

from hvcore.domain.ids import JobId
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import MediaFile, PartDone
from hvcore.domain.tasks.task import Task
from hvcore.domain.videos.media_paths import media_root
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.failpoints import failpoint
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import RemoteTranscoder
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.processing.attempt_files import content_type
from hvcore.services.processing.attempt_workspaces import AttemptWorkspaces
from hvcore.services.processing.orders import order_renewal
from hvcore.services.processing.part_payloads import planned_part
from hvcore.services.processing.transcoders import Transcoders
from hvcore.services.tasks.leases import TaskRun

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class MendedParts:
    """
    The work of mending tasks.
    """

    uow: UnitOfWork
    storage: Storage
    transcoders: Transcoders
    workspaces: AttemptWorkspaces

    def mend(self, run: TaskRun) -> None:
        """
        Put back what is gone of a part; order the whole video if that is not possible.

        Raises:
            UnusableSourceError: The source is gone.
            TranscodeError: This attempt failed.
            UnavailableError: The storage does not answer.
        """
        with self.uow.read() as work:
            video = _published(work, run.task)
            job = work.jobs.find(_job_id(run.task))
        if video is None or video.media is None:
            run.finish()
        elif job is None or not self._put_back(run, video, job, video.media):
            self._order_all(run)
        else:
            failpoint("mend.stored")
            run.finish()

    def _put_back(
        self, run: TaskRun, video: Video, job: TranscodeJob, media: MediaIndex
    ) -> bool:
        folder = str(run.task.payload["folder"])
        root = f"{media_root(video.id, job.id)}/{folder}"
        gone = self._gone(run.task, root, files_of_part(media, folder))
        if not gone:
            return True
        transcoder = self.transcoders.of_job(job)
        if isinstance(transcoder, RemoteTranscoder):
            return False
        try:
            part = planned_part(run.task, job.order, transcoder)
        except IndexError:
            # This version cuts the job into other parts.
            return False
        with self.workspaces.workspace(run, video) as workspace:
            done = transcoder.run(part, workspace)
            if not isinstance(done, PartDone):
                return False
            made = {name: workspace.folder / name for name in gone}
            if not all(_is_same(made[name], file) for name, file in gone.items()):
                _log.warning(
                    "a part made again differs; the whole video is made again",
                    extra={"hv_video": video.id, "hv_folder": folder},
                )
                return False
            for name, local in made.items():
                run.check()
                path = f"{root}/{name}"
                self.storage.put_file(path, local, content_type=content_type(name))
        return True

    def _gone(
        self, task: Task, root: str, files: Mapping[str, MediaFile | None]
    ) -> Mapping[str, MediaFile | None]:
        sizes = {
            info.path.removeprefix(f"{root}/"): info.size_bytes
            for info in self.storage.walk(root)
        }
        damaged = task.payload.get("damaged")
        told = set(damaged) if isinstance(damaged, list) else set()
        return {
            name: file
            for name, file in files.items()
            if name in told or not _is_there(sizes.get(name), file)
        }

    def _order_all(self, run: TaskRun) -> None:
        with self.uow.write() as work:
            video = _published(work, run.task, for_update=True)
            run.finish(work)
            if video is not None:
                order_renewal(work, video)
            work.commit()


def files_of_part(media: MediaIndex, folder: str) -> Mapping[str, MediaFile | None]:
    """
    Return what is served out of a folder of a part, by the path below it.

    Returns:
        None for the poster, which nobody has measured.
    """
    return dict(_files_of_part(media, folder))


def _files_of_part(
    media: MediaIndex, folder: str
) -> Iterator[tuple[str, MediaFile | None]]:
    for published in media.tracks:
        track = published.track
        if published.pieces and published.pieces[0].folder == folder:
            # All parts have made the same one; the first part's is served.
            yield f"{track.name}/init.m4s", track.init
        for piece in published.pieces:
            if piece.folder == folder:
                last = piece.first_number + piece.count
                for number in range(piece.first_number, last):
                    yield f"{track.name}/{number}.m4s", track.segments[number].file
    if media.poster is not None and media.poster.startswith(f"{folder}/"):
        yield media.poster.removeprefix(f"{folder}/"), None


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
