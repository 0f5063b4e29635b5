"""
Grant uploads, receive the uploaded files, and end the grants whose files never arrive.

Source: the interface document, "upload-url".
"""

import logging
import secrets
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain import ids, limits
from hvcore.domain.access.tenants import Environment
from hvcore.domain.uploads.content_types import allowed_types, fits
from hvcore.domain.uploads.grants import (
    FileWanted,
    GrantState,
    UploadGrant,
    UploadGranted,
    new_grant,
    new_video,
)
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video, VideoWanted
from hvcore.errors import (
    ForbiddenError,
    InvalidFileSizeError,
    ProcessingInProgressError,
    UnavailableError,
    UnsupportedFormatError,
)
from hvcore.failpoints import failpoint
from hvcore.incoming.cleaning import remove_abandoned
from hvcore.incoming.disk_space import (
    DiskReservation,
    DiskReservations,
    check_room,
)
from hvcore.ports.storage import Storage, SupportsUploadFile
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.quotas import (
    IN_THE_BODY,
    require_minutes,
    require_storage,
)
from hvcore.services.processing.orders import order_job, order_watch
from hvcore.services.uploads.direct_addresses import DirectAddresses
from hvcore.services.uploads.ended_grants import (
    end_expired,
    take_back,
)
from hvcore.services.uploads.measured_uploads import measured_upload
from hvcore.services.uploads.taken_files import taken_file
from hvcore.settings import PublicSettings
from hvcore.signing.upload_addresses import UploadSigner

_log = logging.getLogger(__name__)

NOT_SENT_HERE: Final = frozenset(
    {
        GrantState.ENDED,
        GrantState.FETCHING,
        GrantState.DIRECT,
        GrantState.TAKING,
    }
)


@attrs.frozen(kw_only=True)
class Uploads:
    """
    Grant uploads, and receive, check and store the uploaded files.

    Attributes:
        room: Reservations of disk space, shared by all processes of this machine.
        direct: Signs addresses of the object store, for uploads that go there directly.
    """

    uow: UnitOfWork
    storage: Storage
    signer: UploadSigner
    public: PublicSettings
    clock: Clock
    work_dir: Path
    room: DiskReservations
    direct: DirectAddresses

    def grant(self, env: Environment, file: FileWanted) -> UploadGranted:
        """
        Grant the upload of one file that a process request will name later (Family A).

        Raises:
            QuotaExceededError: The organization may not store it.
            UnavailableError: The store cannot be asked; nothing is granted.
        """
        grant = new_grant(env, file, self.clock.now())
        granted = self._signed(grant, file)
        with self.uow.write() as work:
            work.grants.add(grant)
            require_storage(work, env.org_id, file.size_bytes or 0)
            work.commit()
        return self._with_parts(granted)

    def grant_video(
        self, env: Environment, file: FileWanted, wanted: VideoWanted
    ) -> UploadGranted:
        """
        Create a video and grant the upload of its file (Family B).

        The video's job starts once the file is there.

        Raises:
            QuotaExceededError: The organization may not store or encode it.
            UnavailableError: The store cannot be asked; nothing is granted.
        """
        grant = new_grant(env, file, self.clock.now())
        video = new_video(env, wanted, grant, state=VideoState.AWAITING_UPLOAD)
        grant.video_id = video.id
        grant.starts_processing = True
        granted = self._signed(grant, file)
        with self.uow.write() as work:
            work.videos.add(video)
            work.grants.add(grant)
            if granted.is_direct:
                order_watch(work, grant)
            require_minutes(work, env.org_id)
            require_storage(work, env.org_id, file.size_bytes or 0)
            record_by_caller(
                work, "video.upload", video.id, org_id=env.org_id, name=video.name
            )
            work.commit()
        return self._with_parts(granted)

    def open_upload(self, grant_id: str) -> UploadGrant:
        """
        Return the grant with this id if its file may be uploaded now.

        Raises:
            ForbiddenError: The grant is unknown, has expired or was cancelled.
            ProcessingInProgressError: The video is being processed.
        """
        with self.uow.read() as work:
            grant = work.grants.find(grant_id)
        if grant is not None and grant.state is GrantState.USED:
            raise ProcessingInProgressError(errors=taken_file(self.storage, grant))
        return self._checked(grant)

    def check_announced(
        self, grant: UploadGrant, content_type: str | None, size_bytes: int | None
    ) -> None:
        """
        Refuse an upload by its request headers, before its body is read.

        Args:
            content_type: The announced content type as sent, parameters included.
            size_bytes: The announced size; None if the client announced none.

        Raises:
            UnsupportedFormatError: 415; the type is not the one that was granted.
            InvalidFileSizeError: The size is not the one that was granted, or is too large.
            QuotaExceededError: 507; the organization may not store it.
        """
        if not fits(content_type, grant.content_type):
            allowed = allowed_types(grant.content_type)
            raise UnsupportedFormatError(
                f"Send the bytes with the header Content-Type: {allowed}.", status=415
            )
        if size_bytes is not None:
            self._check_size(grant, size_bytes)
        self.check_quotas(grant, size_bytes)

    def check_quotas(self, grant: UploadGrant, size_bytes: int | None) -> None:
        """
        Refuse an upload that would exceed the organization's quotas, before its body is read.

        The quotas are checked again when the file has arrived, and that check decides.

        Args:
            size_bytes: The size of the whole file; None if nobody has announced it.

        Raises:
            QuotaExceededError: 507; the organization may not store or encode it.
        """
        with self.uow.read() as work:
            # It takes the place of what was sent before.
            more_bytes = (size_bytes or 1) - grant.quota_bytes
            _require(work, grant, more_bytes)

    def room_for(
        self, grant: UploadGrant, size_bytes: int | None
    ) -> AbstractContextManager[DiskReservation]:
        """
        Reserve disk space of this machine for a file while it arrives.

        Every file that this machine receives has such a reservation before its first byte is
        read: each PUT, each PATCH and each fetched file. ``check_quotas`` checks the storage
        quota of the organization.

        Args:
            size_bytes: The number of bytes that are still to come; None if the client did
                not announce the size.

        Raises:
            UnavailableError: The bytes will not fit, or the disk fails.
        """
        return self.room.reserve(self.incoming_dir(), size_bytes, client=grant.org_id)

    def is_room_scarce(self) -> bool:
        """
        Return whether an organization with less than its share waits for disk space.

        Raises:
            UnavailableError: The disk fails.
        """
        return self.room.is_scarce()

    def check_room(self) -> None:
        """
        Check that this machine's disk has room for an upload of the smallest size.

        Raises:
            NoRoomError: The host has no room.
            UnavailableError: The disk does not work.
        """
        check_room(self.incoming_dir())

    def incoming_dir(self) -> Path:
        """
        Return the folder of this machine in which uploaded files are kept until they are stored.

        Raises:
            UnavailableError: The folder cannot be made.
        """
        if isinstance(self.storage, SupportsUploadFile):
            return self.storage.upload_dir()
        folder = self.work_dir / "incoming"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise UnavailableError("The folder for uploads cannot be made.") from exc
        return folder

    def receive(
        self, grant_id: str, local: Path, *, size_bytes: int, content_type: str
    ) -> UploadGrant:
        """
        Store an uploaded file that has arrived completely, and return its grant.

        The file is durable on return. A grant of a video starts the video's processing.

        Args:
            local: The local file with all of the bytes.
            content_type: The media type with which the bytes were sent.

        Raises:
            InvalidFileSizeError: The size is not the one that was granted.
            ForbiddenError: The grant expired or was cancelled meanwhile.
            ProcessingInProgressError: Processing began meanwhile.
            QuotaExceededError: 507; the organization may not store or encode it.
        """
        with measured_upload(size_bytes):
            return self._receive(
                grant_id, local, size_bytes=size_bytes, content_type=content_type
            )

    def _receive(
        self, grant_id: str, local: Path, *, size_bytes: int, content_type: str
    ) -> UploadGrant:
        with self.uow.read() as work:
            grant = self._still_open(work.grants.find(grant_id))
        self._check_size(grant, size_bytes)
        path = f"{grant.path}/{secrets.token_hex(8)}"
        self.storage.put_file(path, local, content_type=content_type)
        try:
            failpoint("upload.stored")
            previous, grant = self._take_in(grant_id, path, size_bytes)
        except UnavailableError:
            self._discard_if_unknown(grant_id, path)
            raise
        except Exception:
            self.discard(path)
            raise
        failpoint("upload.taken")
        if previous is not None:
            self.discard(previous)
        return grant

    def expire(self) -> int:
        """End videos and grants whose bytes can no longer arrive; return the number of ended ones."""
        return end_expired(self.uow, self.clock.now())

    def discard(self, path: str) -> None:
        """Remove an uploaded object that nothing refers to; a failure is only logged."""
        try:
            self.storage.delete_tree(path)
        except UnavailableError:
            # Not lost: the prefix goes when the grant or its video goes.
            _log.warning("upload could not be removed yet", extra={"hv_path": path})

    def clean_incoming(self) -> int:
        """
        Remove partial upload files that a crash has left on this machine; return their number.

        If the folder cannot be read, this is only logged.
        """
        try:
            return remove_abandoned(self.incoming_dir())
        except (OSError, UnavailableError):
            _log.warning("the folder for uploads cannot be cleaned", exc_info=True)
            return 0

    def _with_parts(self, granted: UploadGranted) -> UploadGranted:
        try:
            parts = self.direct.parts(granted.grant)
        except Exception:
            take_back(self.uow, granted.grant, self.clock.now())
            raise
        return attrs.evolve(granted, parts=parts)

    def _signed(self, grant: UploadGrant, file: FileWanted) -> UploadGranted:
        address = self.direct.address(grant)
        if address is not None:
            grant.state = GrantState.DIRECT
            grant.in_parts = file.wants_parts and self.direct.has_parts(grant)
            return UploadGranted(grant=grant, signed_url=address.url, is_direct=True)
        expires_unix = int(grant.expires_at.timestamp())
        path = self.signer.sign(grant.id, expires_unix, self.clock.now())
        return UploadGranted(grant=grant, signed_url=self.public.upload_url + path)

    def _checked(self, grant: UploadGrant | None) -> UploadGrant:
        if grant is not None and grant.state is GrantState.USED:
            raise ProcessingInProgressError
        if (
            grant is None
            # What the service fetches itself, or the store gets, nobody sends here.
            or grant.state in NOT_SENT_HERE
            or self.clock.now() >= grant.expires_at
        ):
            raise ForbiddenError(
                "This upload address is not valid any more; request a new one."
            )
        return grant

    def _check_size(self, grant: UploadGrant, size_bytes: int) -> None:
        if grant.size_bytes is not None and size_bytes != grant.size_bytes:
            raise InvalidFileSizeError(
                f"The upload was granted for {grant.size_bytes} bytes, and "
                f"{size_bytes} were sent."
            )
        if not 1 <= size_bytes <= limits.MAX_UPLOAD_BYTES:
            raise InvalidFileSizeError(
                f"A file must have from 1 to {limits.MAX_UPLOAD_BYTES} bytes (5 GB)."
            )

    def _discard_if_unknown(self, grant_id: str, path: str) -> None:
        # A commit may fail and yet have happened, or be under way: only its answer
        # was lost. The grant's row is locked by it.
        try:
            with self.uow.write() as work:
                grant = work.grants.find(grant_id, for_update=True)
        except UnavailableError:
            # They may be in use; if not, the next sending's job removes them, or the grant's end.
            return
        if grant is None or grant.stored_path != path:
            self.discard(path)

    def _take_in(
        self, grant_id: str, path: str, size_bytes: int
    ) -> tuple[str | None, UploadGrant]:
        with self.uow.write() as work:
            grant = self._still_open(work.grants.find(grant_id, for_update=True))
            previous, more_bytes = grant.stored_path, size_bytes - grant.quota_bytes
            grant.stored_path, grant.stored_bytes = path, size_bytes
            grant.state = GrantState.UPLOADED
            if grant.starts_processing and grant.video_id is not None:
                video = work.videos.find(grant.video_id, for_update=True)
                if video is None or video.state is not VideoState.AWAITING_UPLOAD:
                    raise ForbiddenError(
                        "The video was cancelled; request a new upload address."
                    )
                video.source_path = path
                video.start_processing(ids.new_job_id())
                work.videos.save(video)
                order_job(work, video)
                grant.state = GrantState.USED
            work.grants.save(grant)
            _require(work, grant, more_bytes)
            work.commit()
        return previous, grant

    def _still_open(self, grant: UploadGrant | None) -> UploadGrant:
        if grant is not None and grant.state in {
            GrantState.GRANTED,
            GrantState.UPLOADED,
        }:
            # Begun in time is in time: only the state may have moved on.
            return grant
        return self._checked(grant)


def locked_video(work: Work, grant: UploadGrant | None) -> Video | None:
    """Return the video of a grant, locked until the transaction ends; None if it has none."""
    if grant is None or grant.video_id is None:
        return None
    return work.videos.find(grant.video_id, for_update=True)


def _require(work: Work, grant: UploadGrant, more_bytes: int) -> None:
    if grant.starts_processing:
        require_minutes(work, grant.org_id, status=IN_THE_BODY)
    if more_bytes > 0:
        require_storage(work, grant.org_id, more_bytes, status=IN_THE_BODY)
