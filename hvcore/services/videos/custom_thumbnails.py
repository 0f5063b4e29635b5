"""
Set the poster of a video: a picture that a client sends, or a frame of the video.

Source: the interface document, "What the service does", 6.
"""

import hashlib
import io
import logging
import secrets
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

import attrs

from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import VideoId
from hvcore.domain.media_paths import posters_prefix
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.domain.tasks.kinds import THUMBNAIL_MAKE
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import (
    ConflictError,
    FieldError,
    InvalidParametersError,
    UnavailableError,
    VideoNotFoundError,
)
from hvcore.pictures.drawing_process import DrawingEndedError
from hvcore.pictures.drawing_room import DrawingRoom
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import SupportsStill, Transcoder, Workspace
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.conditions import Condition, require_condition
from hvcore.services.playback.moments.stills import StillLocation, locate
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from hvcore.services.videos.replaced_pictures import order_removal
from hvcore.throttling.shares import SharedCapacity

_log = logging.getLogger(__name__)

WAIT_FOR_REDRAW_S: Final = 5.0
TASK_WAITS_S: Final = 60.0
JPEG_TYPE: Final = "image/jpeg"


@attrs.frozen(kw_only=True)
class CustomThumbnails:
    """
    Set the posters of videos, from pictures that clients send or from frames.

    Attributes:
        work_dir: The folder for temporary files; one folder for each attempt.
        slots: Limits the files that are received at a time: captions, chapters and pictures
            together.
        pictures: Redraws the pictures that requests send.
        task_pictures: Redraws the frames that tasks have taken from videos.
    """

    uow: UnitOfWork
    storage: Storage
    transcoder: Transcoder
    work_dir: Path
    slots: SharedCapacity
    pictures: DrawingRoom
    task_pictures: DrawingRoom

    def receiving(self, org_id: str) -> AbstractContextManager[None]:
        """
        Hold a slot for a picture while it is received and set.

        Raises:
            UnavailableError: Too many files are being received, in all or of the
                organization.
        """
        return self.slots.take(org_id)

    def set_picture(  # noqa: PLR0913 - a video, its picture, and a condition
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        *,
        picture: bytes,
        content_type: str,
        only_if: Condition[str] | None = None,
    ) -> Video:
        """
        Set a picture that a client sent as the video's poster; return the video.

        Viewers get the picture from the next request on.

        Args:
            content_type: The media type of the picture, such as ``image/jpeg``; one of
                ``pictures.redraw.PICTURE_FORMATS``.
            only_if: A condition on the value of ``choice``, checked when the poster is changed.

        Raises:
            PreconditionFailedError: The condition does not hold, and the present poster is
                another picture; nothing is changed.
            InvalidParametersError: The picture cannot be read; or the video has failed.
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            ConflictError: The video is not ready yet.
            UnavailableError: Too many pictures are being read.
        """
        # First: decoding is work that only a video's owner may ask for.
        with self.uow.read() as work:
            video = _ready(find_authorized_video(work, caller, org_id, video_id))
        drawn = self.pictures.draw(
            lambda child: child.redraw(picture, content_type),
            organization=video.org_id,
            begins_within_s=WAIT_FOR_REDRAW_S,
        )
        mark = _mark(picture)
        path = self._store(video, drawn, mark)
        try:
            with self.uow.write() as work:
                video = _ready(
                    find_authorized_video(
                        work, caller, org_id, video_id, for_update=True
                    )
                )
                is_there = only_if is not None and _is_chosen(work, video, mark)
                if not is_there:
                    require_condition(only_if, _choice(work, video))
                    # What was asked for last is shown, not what is made last.
                    work.tasks.cancel(video.id, kinds=[THUMBNAIL_MAKE])
                    _show(work, video, path)
                    record_by_caller(
                        work, "thumbnail.upload", video.id, org_id=video.org_id
                    )
                    work.commit()
        except BaseException:
            self._take_back(video.id, path)
            raise
        if is_there:
            # Sent once more, because the first answer was lost.
            self._take_back(video.id, path)
        return video

    def choice(self, video_id: VideoId) -> str:
        """
        Return a name of the video's poster that changes with each choice, for conditions.

        A poster that was ordered but is not made yet counts as chosen.

        Raises:
            VideoNotFoundError: There is no such video.
        """
        with self.uow.read() as work:
            video = work.videos.find(video_id)
            if video is None:
                raise VideoNotFoundError
            return _choice(work, video)

    def order_still(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        at_s: float,
        *,
        only_if: Condition[str] | None = None,
    ) -> Video:
        """
        Order the frame at a moment of a video as its poster; return the video.

        The poster is shown as soon as it is made.

        Args:
            at_s: The moment, in seconds from the beginning of the video.
            only_if: A condition on the value of ``choice``, checked when the poster is changed.

        Raises:
            PreconditionFailedError: The condition does not hold, and another poster was
                chosen; nothing is changed.
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            ConflictError: The video is not ready yet.
            InvalidParametersError: The moment is behind the video's end, or
                the video has failed; 422: the transcoder makes no pictures.
        """
        with self.uow.write() as work:
            video = _ready(
                find_authorized_video(work, caller, org_id, video_id, for_update=True)
            )
            self._check(video, at_s)
            mark = _mark_of_still(video.job_id, at_s)
            if only_if is not None and _is_chosen(work, video, mark):
                # Sent once more, because the first answer was lost.
                return video
            require_condition(only_if, _choice(work, video))
            work.tasks.cancel(video.id, kinds=[THUMBNAIL_MAKE])
            work.tasks.add(
                [
                    NewTask(
                        kind=THUMBNAIL_MAKE,
                        lane=Lane.LIGHT,
                        org_id=video.org_id,
                        subject=video.id,
                        payload={"job": video.job_id, "at_s": at_s},
                    )
                ]
            )
            record_by_caller(
                work, "thumbnail.choose", video.id, org_id=video.org_id, at_s=at_s
            )
            work.commit()
        return video

    def make(self, run: TaskRun) -> None:
        """
        Take the ordered frame out of the published segments, and set it as the video's poster.

        The source file is not needed, and the storage need not be on this machine.

        Raises:
            UnusableSourceError: No attempt will succeed.
            TranscodeError: This attempt failed.
            UnavailableError: The storage does not answer.
        """
        with self.uow.read() as work:
            video = work.videos.find(run.task.subject)
        media = _wanted_media(run, video)
        if video is None or media is None:
            run.finish()
            return
        if not isinstance(self.transcoder, SupportsStill):
            raise TranscodeError("This worker's transcoder makes no pictures.")
        location = locate(media, float(str(run.task.payload["at_s"])))
        with self._workspace(run, video, location) as workspace:
            made = self.transcoder.still(workspace, location.at_s).read_bytes()
        try:
            drawn = self.task_pictures.draw(
                lambda child: child.redraw(made, JPEG_TYPE),
                organization=video.org_id,
                begins_within_s=TASK_WAITS_S,
            )
        except DrawingEndedError as exc:
            # An attempt, not an outage: the picture may be why.
            raise TranscodeError("The picture could not be drawn.") from exc
        at_s = float(str(run.task.payload["at_s"]))
        path = self._store(video, drawn, _mark_of_still(video.job_id, at_s))
        try:
            self._publish(run, path)
        except BaseException:
            # Deleted, lost or overtaken.
            self._take_back(video.id, path)
            raise

    def _publish(self, run: TaskRun, path: str) -> None:
        with self.uow.write() as work:
            video = work.videos.find(run.task.subject, for_update=True)
            run.finish(work)
            if video is None or _wanted_media(run, video) is None:
                raise TaskStopped
            _show(work, video, path)
            work.commit()

    def _check(self, video: Video, at_s: float) -> None:
        if at_s > video.duration_s:
            raise _not_possible(
                f"timestampSeconds must be at most {video.duration_s:.3f}, the video's "
                "duration.",
                at_s,
            )
        if not isinstance(self.transcoder, SupportsStill):
            raise _not_possible(
                "timestampSeconds is not available here: the transcoder "
                f"{self.transcoder.capabilities().name} lacks it. Send a picture.",
                at_s,
                status=422,
            )

    @contextmanager
    def _workspace(
        self, run: TaskRun, video: Video, location: StillLocation
    ) -> Iterator[Workspace]:
        base = self.work_dir / f"{run.task.id}a{run.task.fence}"
        folder = base / "out"
        folder.mkdir(parents=True)
        source = base / "segment.mp4"
        try:
            with source.open("wb") as copy:
                for found in location.files:
                    with self.storage.open(f"{video.media_root}/{found.path}") as file:
                        shutil.copyfileobj(file, copy)
            yield Workspace(
                source=source, folder=folder, report=run.report, check=run.check
            )
        finally:
            shutil.rmtree(base, ignore_errors=True)

    def _store(self, video: Video, picture: bytes, mark: str) -> str:
        name = f"{mark}{secrets.token_hex(8)}"
        path = f"{posters_prefix(video.id)}/{name}.jpg"
        self.storage.write(path, io.BytesIO(picture), content_type=JPEG_TYPE)
        return path

    def _take_back(self, video_id: VideoId, path: str) -> None:
        """
        Remove a picture that was not chosen.

        A commit whose answer got lost may have been made, or may still be under
        way: so it is waited for, and looked up.
        """
        try:
            with self.uow.write() as work:
                video = work.videos.find(video_id, for_update=True)
            if video is None or video.poster_path != path:
                self.storage.delete_tree(path)
        except UnavailableError:
            # It is removed once a later picture has been replaced.
            _log.warning("picture not removed yet", extra={"hv_path": path})


def _show(work: Work, video: Video, path: str) -> None:
    """Save a video's new picture, and order the removal of the picture before."""
    made = video.media.poster if video.media else None
    replaced = video.poster_path or (f"{video.media_root}/{made}" if made else None)
    video.choose_picture(path)
    work.videos.save(video)
    if replaced is not None:
        order_removal(work, video, replaced)


def _mark(choice: bytes) -> str:
    """Return the beginning that the names of all pictures of one choice share."""
    return hashlib.sha256(choice).hexdigest()[:16]


def _mark_of_still(job_id: str | None, at_s: float) -> str:
    return _mark(f"{job_id} {at_s}".encode())


def _is_chosen(work: Work, video: Video, mark: str) -> bool:
    """Return whether a choice is the last one, be its picture made yet or not."""
    ordered = work.tasks.unended(video.id, kind=THUMBNAIL_MAKE)
    if ordered:
        at_s = float(str(ordered[-1].payload["at_s"]))
        return _mark_of_still(video.job_id, at_s) == mark
    name = (video.poster_path or "").rpartition("/")[2]
    return name.startswith(mark)


def _choice(work: Work, video: Video) -> str:
    ordered = work.tasks.unended(video.id, kind=THUMBNAIL_MAKE)
    shown = video.poster_path or video.job_id or ""
    names = [shown.rpartition("/")[2], *(task.id for task in ordered)]
    return "+".join(sorted(names))


def _ready(video: Video) -> Video:
    require_listed(video)
    if video.state is VideoState.TRANSCODING:
        raise ConflictError(
            "The video is being processed; choose its picture once it is ready."
        )
    if video.state is VideoState.FAILED:
        raise InvalidParametersError(
            "The video has failed; process it again before you choose its picture."
        )
    return video


def _wanted_media(run: TaskRun, video: Video | None) -> MediaIndex | None:
    if video is None or video.state is not VideoState.READY:
        return None
    return video.media if video.job_id == run.task.payload["job"] else None


def _not_possible(
    message: str, at_s: float, *, status: int | None = None
) -> InvalidParametersError:
    problem = FieldError(message=message, location="body.timestampSeconds", value=at_s)
    return InvalidParametersError(message, errors=[problem], status=status)
