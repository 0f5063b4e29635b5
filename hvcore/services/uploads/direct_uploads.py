"""
Take in files that clients uploaded directly to the object store.

The presigned address stays valid for a while after the upload. So the uploaded file is
copied within the store, the copy is checked, and only the copy is used. No byte of the
file passes through this process.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain import ids
from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import JobId, VideoId
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.tasks.task import Task
from hvcore.domain.uploads.direct import (
    UNREADABLE,
    is_given_up,
    mismatch,
    next_look,
    sent_type,
)
from hvcore.domain.uploads.grants import (
    IN_THE_STORE,
    GrantState,
    UploadGrant,
    direct_upload_path,
    upload_path,
)
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import QuotaExceededError, UnavailableError, VideoNotFoundError
from hvcore.failpoints import failpoint
from hvcore.ports.storage import (
    ObjectInfo,
    ObjectNotFoundError,
    Storage,
    UnreadableObjectError,
)
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.authorization import find_authorized_video
from hvcore.services.access.quotas import require_minutes, require_storage
from hvcore.services.processing.arrived_bytes import (
    SENT_AGAIN,
    can_take_parts,
    check_arrived,
    remove_mismatched,
    whole_parts,
)
from hvcore.services.processing.orders import order_job, order_look
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from hvcore.services.uploads.direct_addresses import can_be_written
from hvcore.services.uploads.grants import Uploads, locked_video
from hvcore.services.uploads.measured_uploads import count_upload
from hvcore.services.uploads.stoppable_copies import StoppableCopy

_GONE: Final = "The uploaded bytes are not there any more; upload the file again."
_NO_STORE: Final = "The storage cannot be written by others any more; upload again."
_NEVER_GIVEN: Final = (
    "The storage did not give the uploaded file for a day; upload it again."
)


@attrs.frozen(kw_only=True)
class DirectUploads:
    """Find files that were uploaded directly to the object store, and start their processing."""

    uow: UnitOfWork
    storage: Storage
    uploads: Uploads
    clock: Clock

    def complete(self, caller: Principal, org_id: str, video_id: str) -> VideoId:
        """
        Start the processing of a video whose file was uploaded directly (Family B).

        Clients may call it so that processing starts sooner; a task finds the file in any case.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            InvalidGcsPathError: No file has been uploaded yet, or it does not fit the grant.
        """
        with self.uow.read() as work:
            video = find_authorized_video(work, caller, org_id, video_id)
            if video.state is VideoState.DELETED or video.never_came(self.clock.now()):
                raise VideoNotFoundError
            grant = work.grants.find_path(upload_path(video))
        if grant is None or video.state is not VideoState.AWAITING_UPLOAD:
            return video.id
        check_arrived(self.storage, grant, location="path.assetId")
        with self.uow.write() as work:
            # From now on nobody takes it for one that never came.
            locked = work.grants.find(grant.id, for_update=True)
            started = locked_video(work, locked)
            if locked is not None and started is not None:
                _start(work, locked, started)
                order_look(work, locked, started.job_id)
            work.commit()
        return video.id

    def run(self, run: TaskRun) -> None:
        """
        Take in the uploaded file of a grant if it is in the store, or look again later.

        Raises:
            UnusableSourceError: The file does not fit the grant, or the store has not given it
                for a day.
            UnavailableError: The store does not answer; the task is tried again.
        """
        with self.uow.read() as work:
            grant = work.grants.find(_grant_id(run.task))
        if grant is None or grant.state not in IN_THE_STORE:
            run.finish()
        elif self._has_come(run, grant) and self._begin(run, grant):
            try:
                self._take(run, grant)
            except ObjectNotFoundError as exc:
                if self._is_open(grant):
                    raise UnusableSourceError(_GONE) from exc
                # Another worker has taken it in, and then removed it.
                run.finish()
        elif grant.state is GrantState.DIRECT:
            self._look_later(run, grant)
        else:
            # For a job that is over; the one that follows has ordered its own.
            run.finish()

    def give_up(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        """
        Fail the task and the job that waits for the uploaded file.

        A video that has a newer job by now is not failed.

        Args:
            reason: A sentence for the video's owner that says why the task failed.
            error: The error's message, which is stored with the task for operators.
        """
        grant = work.grants.find(_grant_id(task), for_update=True)
        video = locked_video(work, grant)
        if not work.tasks.fail(task, error=error):
            return
        count_upload("refused")
        if grant is None or video is None or not _is_for_job(task, grant, video):
            return
        if video.mark_failed(_job_id(task), reason):
            work.videos.save(video)
            # Who sends the file again may have it tried again.
            grant.state = GrantState.DIRECT
            work.grants.save(grant)

    def _has_come(self, run: TaskRun, grant: UploadGrant) -> bool:
        if grant.state is GrantState.TAKING:
            return True
        if not grant.starts_processing:
            return False
        try:
            with self._for_a_day(run, grant):
                return self._arrived(grant) is not None
        except UnreadableObjectError:
            # It is refused once a job waits for it, which then fails with a reason.
            return True

    @contextmanager
    def _for_a_day(self, run: TaskRun, grant: UploadGrant) -> Iterator[None]:
        """
        Wait no longer for what the store never gives.

        Not for what the database does not answer: then no job could be failed.
        """
        try:
            yield
        except UnreadableObjectError:
            raise
        except UnavailableError as exc:
            if is_given_up(grant, run.task.created_at, self.clock.now()):
                raise UnusableSourceError(_NEVER_GIVEN) from exc
            raise

    def _is_open(self, grant: UploadGrant) -> bool:
        with self.uow.read() as work:
            found = work.grants.find(grant.id)
        return found is not None and found.state is GrantState.TAKING

    def _begin(self, run: TaskRun, grant: UploadGrant) -> bool:
        """
        Note the job that takes the bytes in, and the path of its copy.

        The video's first job begins here.

        Returns:
            False if no job waits for them, or another than that of the task.
        """
        with self._for_a_day(run, grant):
            self._drop_copy(run)
        with self.uow.write() as work:
            locked = work.grants.find(grant.id, for_update=True)
            video = locked_video(work, locked)
            if locked is None or video is None:
                return False
            _start(work, locked, video)
            noted = {"job": video.job_id, **run.task.payload, "copy": _new_path(grant)}
            if noted["job"] != video.job_id or not _is_wanted(locked, video):
                return False
            if not run.note(work, noted):
                raise TaskStopped
            work.commit()
        return True

    def _drop_copy(self, run: TaskRun) -> None:
        """Remove the copy that an earlier, killed attempt has left."""
        copied_to = run.task.payload.get("copy")
        if copied_to is not None:
            self.uploads.discard(str(copied_to))
            self.uploads.direct.end_parts(str(copied_to))

    def _look_later(self, run: TaskRun, grant: UploadGrant) -> None:
        later = next_look(grant, self.clock.now())
        if later is None or not run.task.payload.get("watches"):
            run.finish()
            return
        with self.uow.write() as work:
            run.put_back(work, not_before=later, error="The bytes have not come yet.")
            work.commit()

    def _take(self, run: TaskRun, grant: UploadGrant) -> None:
        path = str(run.task.payload["copy"])
        try:
            with self._for_a_day(run, grant):
                copied = self._copied(run, grant, path)
            run.check()
            self._keep(run, path, copied.size_bytes)
            count_upload("stored", copied.size_bytes)
        except UnreadableObjectError as exc:
            self.uploads.discard(direct_upload_path(grant))
            raise UnusableSourceError(UNREADABLE) from exc
        except UnavailableError:
            # A commit that was not confirmed may have been made; see Uploads.
            raise
        except BaseException:
            self.uploads.discard(path)
            raise
        self.uploads.discard(direct_upload_path(grant))

    def _copied(self, run: TaskRun, grant: UploadGrant, path: str) -> ObjectInfo:
        storage, uploaded_path = self.storage, direct_upload_path(grant)
        if not can_be_written(storage):
            raise UnusableSourceError(_NO_STORE)
        sent = self._arrived(grant)
        if sent is None:
            raise ObjectNotFoundError(uploaded_path)
        self._require_fit(grant, sent, sent)
        type_ = sent_type(sent.content_type, grant)
        copied = StoppableCopy(
            copy=partial(storage.copy, uploaded_path, path, content_type=type_),
            undo=partial(self.uploads.discard, path),
        ).run(run.check)
        failpoint("direct_upload.copied")
        self._require_fit(grant, copied, sent)
        return copied

    def _keep(self, run: TaskRun, path: str, size_bytes: int) -> None:
        with self.uow.write() as work:
            grant = work.grants.find(_grant_id(run.task), for_update=True)
            video = locked_video(work, grant)
            run.finish(work)
            if (
                grant is None
                or video is None
                or not _is_wanted(grant, video)
                or not _is_for_job(run.task, grant, video)
            ):
                raise TaskStopped
            reserved_bytes = grant.quota_bytes
            grant.stored_path, grant.stored_bytes = path, size_bytes
            grant.state = GrantState.USED
            work.grants.save(grant)
            video.source_path = path
            work.videos.save(video)
            order_job(work, video)
            _require_quotas(work, grant, reserved_bytes)
            work.commit()

    def _arrived(self, grant: UploadGrant) -> ObjectInfo | None:
        with suppress(ObjectNotFoundError):
            return self.storage.stat(direct_upload_path(grant))
        store, found = self.storage, whole_parts(self.storage, grant)
        if found is None or not can_take_parts(store):
            return None
        # Another worker may be doing the same; what counts is what is there then.
        with suppress(ObjectNotFoundError):
            store.join_parts(*found)
        failpoint("direct_upload.joined")
        with suppress(ObjectNotFoundError):
            return self.storage.stat(direct_upload_path(grant))
        return None

    def _require_fit(
        self, grant: UploadGrant, found: ObjectInfo, sent: ObjectInfo
    ) -> None:
        reason = mismatch(
            grant, size_bytes=found.size_bytes, content_type=found.content_type
        )
        if reason is None:
            return
        if not remove_mismatched(self.storage, sent):
            # What is there by now may be what was granted.
            raise UnavailableError(SENT_AGAIN)
        raise UnusableSourceError(reason)


def _new_path(grant: UploadGrant) -> str:
    # Each attempt has a path of its own, as each sending has.
    return f"{grant.path}/{secrets.token_hex(8)}"


def _start(work: Work, grant: UploadGrant, video: Video) -> None:
    """Begin the first job of a video whose bytes have come; nothing if it has one."""
    if (
        grant.state is GrantState.DIRECT
        and grant.starts_processing
        and video.state is VideoState.AWAITING_UPLOAD
    ):
        video.start_processing(ids.new_job_id())
        work.videos.save(video)
        grant.state = GrantState.TAKING
        work.grants.save(grant)


def _is_wanted(grant: UploadGrant, video: Video) -> bool:
    return grant.state is GrantState.TAKING and video.state is VideoState.TRANSCODING


def _is_for_job(task: Task, grant: UploadGrant, video: Video) -> bool:
    return grant.state is GrantState.TAKING and _job_id(task) == video.job_id


def _job_id(task: Task) -> JobId:
    return JobId(str(task.payload.get("job")))


def _grant_id(task: Task) -> str:
    return str(task.payload["grant"])


def _require_quotas(work: Work, grant: UploadGrant, reserved_bytes: int) -> None:
    """Raise UnusableSourceError where a quota has no room: trying again is no use."""
    try:
        require_minutes(work, grant.org_id)
        require_storage(
            work, grant.org_id, grant.stored_bytes, reserved_bytes=reserved_bytes
        )
    except QuotaExceededError as exc:
        raise UnusableSourceError(exc.detail) from exc
