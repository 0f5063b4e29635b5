"""
Resumable uploads (tus), which clients can continue after a cut.

The grant says how long an upload may be continued; the size of the partial file says how
much has arrived. Once all bytes have arrived, the file is handled like every other upload.
"""

import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Final, TypeGuard

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import GrantId
from hvcore.domain.uploads.direct import sent_type
from hvcore.domain.uploads.expiry import expiry_after
from hvcore.domain.uploads.grants import (
    FileWanted,
    GrantState,
    UploadGrant,
    UploadGranted,
)
from hvcore.domain.uploads.resumable import (
    UploadGoneError,
    UploadLockedError,
)
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import NO_CHANGES, Video, VideoChanges, VideoWanted
from hvcore.errors import (
    ForbiddenError,
    ProcessingInProgressError,
    QuotaExceededError,
    VideoNotFoundError,
)
from hvcore.incoming.disk_space import DiskReservation
from hvcore.incoming.partial import PartialFile, PartialFiles
from hvcore.ports.storage import SupportsUploadFile
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.processes.rounds import Round
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.authorization import require_listed
from hvcore.services.uploads.ended_grants import erasure_of, purge_of
from hvcore.services.uploads.grants import Uploads
from hvcore.settings import PublicSettings
from hvcore.signing.upload_addresses import UploadSigner

_log = logging.getLogger(__name__)

PROLONG_STEP: Final = timedelta(minutes=1)
"""The least prolongation that is stored: many small chunks must not each write to the database."""


@attrs.frozen(kw_only=True)
class ArrivingUpload:
    """
    Describe a resumable upload that is on its way.

    Attributes:
        received_bytes: The bytes that have arrived on this machine.
        size_bytes: The bytes of the whole file.
    """

    video: Video
    received_bytes: int
    size_bytes: int

    @property
    def percent(self) -> int:
        """The share of the file that has arrived, 0 to 100."""
        return 100 * self.received_bytes // max(self.size_bytes, 1)


@attrs.frozen(kw_only=True)
class ResumableUploads:
    """Create, continue, finish and end resumable uploads (tus)."""

    uow: UnitOfWork
    uploads: Uploads
    signer: UploadSigner
    public: PublicSettings
    clock: Clock

    def create(
        self, env: Environment, file: FileWanted, wanted: VideoWanted
    ) -> UploadGranted:
        """
        Create a video and grant the resumable upload of its file.

        The video's job starts once the whole file is there.

        Args:
            file: The announced file, with its size and its ``tus_metadata``.

        Raises:
            QuotaExceededError: The organization may not store or encode it.
        """
        grant = self.uploads.grant_video(env, file, wanted).grant
        path = self.signer.sign_resumable(grant.id, self.clock.now())
        return UploadGranted(grant=grant, signed_url=self.public.upload_url + path)

    def set_anew(
        self,
        env: Environment,
        video_id: str,
        wanted: VideoWanted,
        texts: VideoChanges = NO_CHANGES,
    ) -> Video:
        """
        Replace the encoding settings and visibility of a video whose upload is unfinished.

        Args:
            wanted: The settings and the visibility; nothing else of it is used.
            texts: The changes of name, description and tags.

        Raises:
            VideoNotFoundError: The environment has no such video, or it is deleted.
            ProcessingInProgressError: The upload is complete.
            InvalidParametersError: The video would have too much metadata.
        """
        with self.uow.write() as work:
            # Under its lock: the last byte may come at this moment.
            video = work.videos.find(video_id, for_update=True)
            if video is None or video.env_id != env.id:
                raise VideoNotFoundError
            if video.state is not VideoState.AWAITING_UPLOAD:
                require_listed(video)
                raise ProcessingInProgressError
            if video.set_anew(wanted, texts):
                work.videos.save(video)
                record_by_caller(
                    work,
                    "video.change",
                    video.id,
                    org_id=video.org_id,
                    name=video.name,
                    public=video.is_public,
                )
                work.commit()
        return video

    def arriving(self, env: Environment, limit: int) -> Sequence[ArrivingUpload]:
        """
        Return the resumable uploads of an environment that are on their way, newest first.

        Raises:
            UnavailableError: The disk fails.
        """
        with self.uow.read() as work:
            found = [
                (grant, work.videos.find(grant.video_id))
                for grant in work.grants.arriving(env, self.clock.now(), limit)
                if grant.video_id is not None
            ]
        files = self.partial_files()
        return [
            ArrivingUpload(
                video=video,
                received_bytes=files.size_of(grant.id),
                size_bytes=grant.size_bytes or 0,
            )
            for grant, video in found
            if video is not None and video.state is VideoState.AWAITING_UPLOAD
        ]

    def partial_files(self) -> PartialFiles:
        """
        Return the partial files of unfinished uploads on this machine.

        Raises:
            UnavailableError: The folder of partial files cannot be made.
        """
        return PartialFiles(folder=self.uploads.incoming_dir())

    def room_for(
        self, grant: UploadGrant, size_bytes: int | None
    ) -> AbstractContextManager[DiskReservation]:
        """
        Reserve disk space for the bytes of one request of an upload while they arrive.

        Args:
            size_bytes: The number of bytes that the upload still lacks.

        Raises:
            UnavailableError: The bytes will not fit, or the disk fails.
        """
        return self.uploads.room_for(grant, size_bytes)

    def is_room_scarce(self) -> bool:
        """
        Return whether an organization with less than its share waits for disk space.

        Raises:
            UnavailableError: The disk fails.
        """
        return self.uploads.is_room_scarce()

    def find(self, grant_id: GrantId) -> UploadGrant:
        """
        Return the grant of a resumable upload that may continue, or is complete (``USED``).

        Raises:
            UploadGoneError: The upload expired, was ended or was cancelled.
        """
        with self.uow.read() as work:
            return self._alive(work.grants.find(grant_id))

    def prolong(self, grant_id: GrantId) -> UploadGrant:
        """
        Move the expiry of a resumable upload forward because bytes arrive, and return its grant.

        Raises:
            UploadGoneError: The upload expired, was ended or was cancelled.
        """
        grant = self.find(grant_id)
        if not self._is_to_prolong(grant):
            return grant
        with self.uow.write() as work:
            grant = self._alive(work.grants.find(grant_id, for_update=True))
            if self._is_to_prolong(grant):
                self._prolong(work, grant)
                work.commit()
        return grant

    def check_quotas(self, grant: UploadGrant) -> None:
        """
        Refuse further bytes of an upload whose whole file would exceed the quotas.

        Raises:
            QuotaExceededError: 507; the organization may not store or encode it.
        """
        self.uploads.check_quotas(grant, grant.size_bytes)

    def finish(self, grant: UploadGrant, file: PartialFile) -> None:
        """
        Store the complete file of a resumable upload, and start the video's processing.

        If the storage or the database fails, the file stays and finishing can be tried again.

        Raises:
            UploadGoneError: The upload was ended meanwhile.
            UnavailableError: The storage or the database does not answer.
            QuotaExceededError: 507; the organization may not store or encode it.
        """
        file.sync()
        try:
            with file.handed_over() as local:
                self.uploads.receive(
                    grant.id,
                    local,
                    size_bytes=file.size_bytes,
                    content_type=sent_type(None, grant),
                )
        except ForbiddenError as exc:
            file.remove()
            raise UploadGoneError from exc
        except ProcessingInProgressError:
            # A process that was killed had come so far.
            _log.info("upload was kept before", extra={"hv_upload": grant.id})
        file.remove()

    def cancel(self, grant_id: GrantId) -> None:
        """
        End a resumable upload, and delete the video that waits for it.

        Raises:
            UploadGoneError: The upload has expired, was ended or was cancelled.
            ProcessingInProgressError: The upload is complete.
        """
        now = self.clock.now()
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: grant, video.
            grant = self._alive(work.grants.find(grant_id, for_update=True))
            if grant.state is GrantState.USED:
                raise ProcessingInProgressError(
                    "The upload is complete; delete the video instead."
                )
            grant.end()
            work.grants.save(grant)
            video = work.videos.find(grant.video_id or "", for_update=True)
            if video is not None and video.state is VideoState.AWAITING_UPLOAD:
                video.delete(now)
                work.videos.save(video)
                work.tasks.add([erasure_of(video, work.now())])
            # A process that was killed may have stored the bytes already.
            work.tasks.add([purge_of(grant)])
            work.commit()

    def tidy(self) -> int:
        """
        Remove the partial files of ended uploads; return the number of files that are gone.

        A complete file is stored instead, if the storage can take it by moving it: the storage may
        have been down when the last byte arrived, and the client has gone.
        """
        removed = 0
        current = Round(_log, "resumable uploads cannot be tidied")
        with current.part():
            files = self.partial_files()
            for grant_id in files.found():
                # Without the database nobody can be judged.
                with self.uow.read() as work:
                    grant = work.grants.find(grant_id)
                # The store may refuse one upload, and the disk another.
                with current.part(hv_upload=grant_id):
                    removed += self._tidied(files, grant_id, grant)
        return removed

    def _tidied(
        self, files: PartialFiles, grant_id: GrantId, grant: UploadGrant | None
    ) -> bool:
        running = None
        if self._is_alive(grant) and grant.state is not GrantState.USED:
            running = grant
        if running is not None and not self._is_moved_at_once(files, running):
            return False
        try:
            with files.hold(grant_id) as file:
                if running is None:
                    file.remove()
                else:
                    self.finish(running, file)
        except (UploadLockedError, UploadGoneError, QuotaExceededError):
            # Somebody is sending still, has just ended it, or must make room first.
            return False
        return True

    def _is_moved_at_once(self, files: PartialFiles, grant: UploadGrant) -> bool:
        # Elsewhere the sweep would stand still while gigabytes are copied.
        is_moved = isinstance(self.uploads.storage, SupportsUploadFile)
        return is_moved and files.size_of(grant.id) == grant.size_bytes

    def _alive(self, grant: UploadGrant | None) -> UploadGrant:
        if not self._is_alive(grant):
            raise UploadGoneError
        return grant

    def _is_alive(self, grant: UploadGrant | None) -> TypeGuard[UploadGrant]:
        if grant is None or grant.tus_metadata is None:
            return False
        return grant.state is GrantState.USED or (
            grant.state is GrantState.GRANTED and self.clock.now() < grant.expires_at
        )

    def _is_to_prolong(self, grant: UploadGrant) -> bool:
        if grant.state is GrantState.USED:
            return False
        until = expiry_after(self.clock.now(), grant.created_at)
        return until - grant.expires_at >= PROLONG_STEP

    def _prolong(self, work: Work, grant: UploadGrant) -> None:
        grant.expires_at = expiry_after(self.clock.now(), grant.created_at)
        work.grants.save(grant)
        video = work.videos.find(grant.video_id or "", for_update=True)
        if video is None or video.state is not VideoState.AWAITING_UPLOAD:
            raise UploadGoneError
        video.upload_expires_at = grant.expires_at
        work.videos.save(video)
