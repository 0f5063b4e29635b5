"""
Grant uploads, receive their bytes, and end those that never arrive.

Source: interface, "upload-url".
"""

import logging
import secrets
from contextlib import AbstractContextManager
from datetime import timedelta
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
    new_video,
    source_path,
)
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import VideoWanted
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
from hvcore.services.access.audit import record_by_person
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
    Everything about bytes on their way in.

    Attributes:
        room: On the disks of this machine, for all of its processes.
        direct: Addresses of the store itself, where callers get these.
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
        Permit one file to be sent; a process request follows (Family A).

        Raises:
            QuotaExceededError: The organization may not store it.
            UnavailableError: The store cannot be asked; nothing is granted.
        """
        grant = self._new_grant(env, file)
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
        Permit one file to be sent, which starts the job once it is there (Family B).

        Raises:
            QuotaExceededError: The organization may not store or encode it.
            UnavailableError: The store cannot be asked; nothing is granted.
        """
        grant = self._new_grant(env, file)
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
            record_by_person(
                work, "video.upload", video.id, org_id=env.org_id, name=video.name
            )
            work.commit()
        return self._with_parts(granted)

    def open_upload(self, grant_id: str) -> UploadGrant:
        """
        Return the grant of an upload that may begin now.

        Raises:
            ForbiddenError: Unknown, run out or cancelled.
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
        Refuse an upload by its headers, before a byte of it is read.

        Args:
            content_type: As sent, parameters included.
            size_bytes: None if the sender did not announce it.

        Raises:
            UnsupportedFormatError: 415; not the type of the grant.
            InvalidFileSizeError: Not the size of the grant, or too large.
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
        Refuse a body before it is read; the check after it has arrived decides.

        Args:
            size_bytes: Of the whole file; None if nobody has announced it.

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
        Reserve space for a body while it arrives.

        Everything that is received begins here, before a byte of it is read: each
        PUT, each PATCH and each fetched file. What an organization may store in all,
        check_quotas asks.

        Args:
            size_bytes: Of the bytes that are still to come; None if the sender did
                not announce it.

        Raises:
            UnavailableError: It will not fit, or the disk fails.
        """
        return self.room.reserve(self.incoming_dir(), size_bytes, client=grant.org_id)

    def is_room_scarce(self) -> bool:
        """
        Return whether others that have less than a share wait for space.

        Raises:
            UnavailableError: The disk fails.
        """
        return self.room.is_scarce()

    def check_room(self) -> None:
        """
        Check that the smallest of uploads would find room.

        Raises:
            NoRoomError: It would not.
            UnavailableError: The disk does not work.
        """
        check_room(self.incoming_dir())

    def incoming_dir(self) -> Path:
        """
        Return the folder in which bytes are collected before they are stored.

        Raises:
            UnavailableError: It cannot be made.
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
        Store a file that has arrived completely; it is durable on return.

        Raises:
            InvalidFileSizeError: Not the size of the grant.
            ForbiddenError: The grant ran out or was cancelled meanwhile.
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
        """End videos and grants whose bytes can no longer arrive."""
        return end_expired(self.uow, self.clock.now())

    def discard(self, path: str) -> None:
        """Remove bytes that nobody refers to, best effort."""
        try:
            self.storage.delete_tree(path)
        except UnavailableError:
            # Not lost: the prefix goes when the grant or its video goes.
            _log.warning("upload could not be removed yet", extra={"hv_path": path})

    def clean_incoming(self) -> int:
        """
        Remove files that uploads cut off by a crash have left on this machine.

        A folder that does not work is left alone.
        """
        try:
            return remove_abandoned(self.incoming_dir())
        except (OSError, UnavailableError):
            _log.warning("the folder for uploads cannot be cleaned", exc_info=True)
            return 0

    def _new_grant(self, env: Environment, file: FileWanted) -> UploadGrant:
        now = self.clock.now()
        grant_id = ids.new_grant_id()
        return UploadGrant(
            id=grant_id,
            org_id=env.org_id,
            env_id=env.id,
            path=source_path(env.org_id, env.id, grant_id),
            file_name=file.file_name,
            description=file.description,
            content_type=file.content_type,
            size_bytes=file.size_bytes,
            tus_metadata=file.tus_metadata,
            created_at=now,
            expires_at=now + timedelta(seconds=limits.UPLOAD_URL_VALID_S),
        )

    def _with_parts(self, granted: UploadGranted) -> UploadGranted:
        if not granted.grant.in_parts:
            return granted
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


def _require(work: Work, grant: UploadGrant, more_bytes: int) -> None:
    if grant.starts_processing:
        require_minutes(work, grant.org_id, status=IN_THE_BODY)
    if more_bytes > 0:
        require_storage(work, grant.org_id, more_bytes, status=IN_THE_BODY)
