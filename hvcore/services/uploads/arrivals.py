"""
Take in the bytes that callers sent straight to the object store.

Their address works on for a while. So what was sent is copied within the store, the copy
is checked, and only the copy is used; no byte of it passes through this process.
"""

import secrets
from contextlib import suppress
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain import ids
from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import VideoId
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.tasks.task import Task
from hvcore.domain.uploads.direct import misfit, next_look, sent_type
from hvcore.domain.uploads.grants import (
    GrantState,
    UploadGrant,
    arrival_path,
    upload_path,
)
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import QuotaExceededError, UnavailableError, VideoNotFoundError
from hvcore.failpoints import failpoint
from hvcore.ports.storage import ObjectInfo, ObjectNotFoundError, Storage
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.authorization import find_authorized_video
from hvcore.services.access.quotas import require_minutes, require_storage
from hvcore.services.processing.arrived_bytes import (
    can_take_parts,
    check_arrived,
    whole_parts,
)
from hvcore.services.processing.orders import order_job, order_look
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from hvcore.services.uploads.direct_addresses import can_be_written
from hvcore.services.uploads.grants import Uploads

_OPEN: Final = frozenset({GrantState.DIRECT, GrantState.TAKING})
_GONE: Final = "The uploaded bytes are not there any more; upload the file again."
_NO_STORE: Final = "The storage cannot be written by others any more; upload again."


@attrs.frozen(kw_only=True)
class Arrivals:
    """
    Look for sent files, and take them in.
    """

    uow: UnitOfWork
    storage: Storage
    uploads: Uploads
    clock: Clock

    def complete(self, caller: Principal, org_id: str, video_id: str) -> VideoId:
        """
        Start the processing of a video whose bytes have been sent (Family B).

        Nobody needs to call it: they are noticed anyway, only later.

        Raises:
            VideoNotFoundError: There is none such.
            InvalidGcsPathError: No bytes have come yet, or others than granted.
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
            order_look(work, grant)
            work.commit()
        return video.id

    def run(self, run: TaskRun) -> None:
        """
        Take a grant's bytes in if they have come; else look again later.

        Raises:
            UnusableSourceError: They are not those that were granted.
            UnavailableError: The store does not answer; the task is tried again.
        """
        with self.uow.read() as work:
            grant = work.grants.find(_grant_id(run.task))
        if grant is None or grant.state not in _OPEN:
            run.finish()
            return
        if grant.state is GrantState.TAKING or self._begin(grant):
            self._take(run, grant)
            return
        self._look_later(run, grant)

    def give_up(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        """
        Fail the video that waits for the bytes.
        """
        grant = work.grants.find(_grant_id(task), for_update=True)
        video = _video_of(work, grant)
        if not work.tasks.fail(task, error=error):
            return
        if grant is None or grant.state is not GrantState.TAKING or video is None:
            return
        if video.job_id is not None and video.mark_failed(video.job_id, reason):
            # The grant stays: who sends the file again may have it tried again.
            work.videos.save(video)

    def _begin(self, grant: UploadGrant) -> bool:
        """
        Start the processing of a video if its bytes are there.
        """
        if not grant.starts_processing or self._arrived(grant) is None:
            return False
        with self.uow.write() as work:
            locked = work.grants.find(grant.id, for_update=True)
            video = _video_of(work, locked)
            if locked is None or locked.state is not GrantState.DIRECT:
                return locked is not None and locked.state is GrantState.TAKING
            if video is None or video.state is not VideoState.AWAITING_UPLOAD:
                return False
            video.start_processing(ids.new_job_id())
            work.videos.save(video)
            locked.state = GrantState.TAKING
            work.grants.save(locked)
            work.commit()
        return True

    def _look_later(self, run: TaskRun, grant: UploadGrant) -> None:
        later = next_look(grant, self.clock.now())
        if later is None or not run.task.payload.get("watches"):
            run.finish()
            return
        with self.uow.write() as work:
            run.put_back(work, not_before=later, error="The bytes have not come yet.")
            work.commit()

    def _take(self, run: TaskRun, grant: UploadGrant) -> None:
        storage, arrival = self.storage, arrival_path(grant)
        if not can_be_written(storage):
            raise UnusableSourceError(_NO_STORE)
        sent = self._arrived(grant)
        if sent is None:
            raise UnusableSourceError(_GONE)
        self._require_fit(grant, sent)
        # Each attempt has a path of its own, as each sending has.
        path = f"{grant.path}/{secrets.token_hex(8)}"
        try:
            copied = storage.copy(
                arrival, path, content_type=sent_type(sent.content_type, grant)
            )
        except ObjectNotFoundError as exc:
            raise UnusableSourceError(_GONE) from exc
        try:
            failpoint("arrival.copied")
            self._require_fit(grant, copied)
            run.check()
            self._keep(run, path, copied.size_bytes)
        except UnavailableError:
            # A commit that was not confirmed may have been made; see Uploads.
            raise
        except BaseException:
            self.uploads.discard(path)
            raise
        self.uploads.discard(arrival)

    def _keep(self, run: TaskRun, path: str, size_bytes: int) -> None:
        with self.uow.write() as work:
            grant = work.grants.find(_grant_id(run.task), for_update=True)
            video = _video_of(work, grant)
            run.finish(work)
            if (
                grant is None
                or grant.state is not GrantState.TAKING
                or video is None
                or video.state is not VideoState.TRANSCODING
            ):
                raise TaskStopped
            grant.stored_path, grant.stored_bytes = path, size_bytes
            grant.state = GrantState.USED
            work.grants.save(grant)
            video.source_path = path
            work.videos.save(video)
            order_job(work, video)
            _require_quotas(work, grant)
            work.commit()

    def _arrived(self, grant: UploadGrant) -> ObjectInfo | None:
        with suppress(ObjectNotFoundError):
            return self.storage.stat(arrival_path(grant))
        store, found = self.storage, whole_parts(self.storage, grant)
        if found is None or not can_take_parts(store):
            return None
        # Another worker may be doing the same; what counts is what is there then.
        with suppress(ObjectNotFoundError):
            store.join_parts(*found)
        failpoint("arrival.joined")
        with suppress(ObjectNotFoundError):
            return self.storage.stat(arrival_path(grant))
        return None

    def _require_fit(self, grant: UploadGrant, found: ObjectInfo) -> None:
        reason = misfit(
            grant, size_bytes=found.size_bytes, content_type=found.content_type
        )
        if reason is not None:
            self.uploads.discard(arrival_path(grant))
            raise UnusableSourceError(reason)


def _grant_id(task: Task) -> str:
    return str(task.payload["grant"])


def _video_of(work: Work, grant: UploadGrant | None) -> Video | None:
    if grant is None or grant.video_id is None:
        return None
    return work.videos.find(grant.video_id, for_update=True)


def _require_quotas(work: Work, grant: UploadGrant) -> None:
    """
    Raise UnusableSourceError where a quota has no room: trying again is no use.
    """
    try:
        require_minutes(work, grant.org_id)
        require_storage(work, grant.org_id, grant.stored_bytes)
    except QuotaExceededError as exc:
        raise UnusableSourceError(exc.detail) from exc
