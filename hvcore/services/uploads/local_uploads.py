"""Make videos of local files and streams, without an upload address."""

from typing import BinaryIO, Final

import attrs

from hvcore.clock import Clock
from hvcore.domain import ids
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import VideoId
from hvcore.domain.labels import external_id_taken
from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.uploads.content_types import container_type
from hvcore.domain.uploads.grants import FileWanted, GrantState, UploadGrant, new_video
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import VideoWanted
from hvcore.errors import (
    ForbiddenError,
    InvalidFileSizeError,
    InvalidParametersError,
    UnsupportedFormatError,
)
from hvcore.incoming.whole_files import ArrivingFile, arriving_file
from hvcore.ports.repositories.catalog import VideoCatalog
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.quotas import require_minutes
from hvcore.services.processing.orders import order_job
from hvcore.services.uploads.ended_grants import take_back
from hvcore.services.uploads.grants import Uploads
from hvcore.services.uploads.source_checks import SNIFFED_BYTES, sniffed_type

BLOCK_BYTES: Final = 1024 * 1024


@attrs.frozen(kw_only=True)
class LocalUploads:
    """
    Make videos of files of this machine and of streams of this process.

    Attributes:
        uploads: The service that grants and receives uploads; it must not grant
            addresses of the object store.
    """

    uploads: Uploads
    videos: VideoCatalog
    clock: Clock

    def take(
        self, env: Environment, source: BinaryIO, file: FileWanted, wanted: VideoWanted
    ) -> VideoId:
        """
        Store the rest of a stream as a video's source file, and return the new video's id.

        The video is made once the file is stored: whoever is killed before leaves none, so
        that its external ID is free. Bytes that were stored by then are removed a day later.

        Args:
            source: Read from its present position, and left open.

        Raises:
            UnsupportedFormatError: The content is no video in a supported format.
            InvalidFileSizeError: The stream is empty, too large, or not as large as announced.
            QuotaExceededError: The organization may not store or encode it.
            ConflictError: Another video of the environment has this external ID.
            ForbiddenError: The stream took more than a day, or the environment was removed
                meanwhile.
            UnavailableError: There is no room, or the database or storage does not
                answer.
            Exception: Any error that the stream raises.
        """
        head = _read(source, SNIFFED_BYTES)
        if not head:
            raise InvalidFileSizeError("The source is empty.")
        try:
            found = sniffed_type(head)
        except UnusableSourceError as exc:
            raise UnsupportedFormatError(str(exc)) from exc
        content_type = container_type(file.content_type) or found
        file = attrs.evolve(file, content_type=content_type)
        self._refuse_early(env, wanted)
        grant = self.uploads.grant(env, file).grant
        try:
            with (
                self.uploads.room_for(grant, file.size_bytes) as reserved,
                arriving_file(self.uploads.incoming_dir(), reserved) as arriving,
            ):
                _fill(arriving, head, source)
                arriving.finish()
                self.uploads.receive(
                    grant.id,
                    arriving.path,
                    size_bytes=arriving.size_bytes,
                    content_type=content_type,
                )
            return self._make_video(env, grant, wanted)
        except BaseException:
            take_back(self.uploads.uow, grant, self.clock.now())
            raise

    def _refuse_early(self, env: Environment, wanted: VideoWanted) -> None:
        """Refuse, before the file is copied, a request that `_make_video` would refuse."""
        external_id = wanted.labels.external_id
        if external_id is not None and self.videos.find_external(env, external_id):
            raise external_id_taken(external_id)
        with self.uploads.uow.read() as work:
            require_minutes(work, env.org_id)

    def _make_video(
        self, env: Environment, granted: UploadGrant, wanted: VideoWanted
    ) -> VideoId:
        with self.uploads.uow.write() as work:
            grant = work.grants.find(granted.id, for_update=True)
            if grant is None or grant.state is not GrantState.UPLOADED:
                raise ForbiddenError(
                    "This upload was ended meanwhile; upload the file again."
                )
            video = new_video(env, wanted, grant, state=VideoState.AWAITING_UPLOAD)
            video.created_at = self.clock.now()
            video.start_processing(ids.new_job_id())
            grant.video_id, grant.state = video.id, GrantState.USED
            work.videos.add(video)
            work.grants.save(grant)
            order_job(work, video)
            require_minutes(work, env.org_id)
            record_by_caller(
                work, "video.upload", video.id, org_id=env.org_id, name=video.name
            )
            work.commit()
        return video.id


def _fill(arriving: ArrivingFile, head: bytes, source: BinaryIO) -> None:
    block = head
    while block:
        if arriving.size_bytes + len(block) > MAX_UPLOAD_BYTES:
            raise InvalidFileSizeError(
                f"A file must have at most {MAX_UPLOAD_BYTES} bytes (5 GB)."
            )
        arriving.write(block)
        block = _read(source, BLOCK_BYTES)


def _read(source: BinaryIO, size_bytes: int) -> bytes:
    """Read up to a number of bytes; fewer only at the end of the source."""
    blocks, left = [], size_bytes
    while left:
        block = source.read(left)
        if not isinstance(block, bytes | bytearray | memoryview):
            raise InvalidParametersError(
                f"The source gives {type(block).__name__} instead of bytes; open it in "
                "binary mode, and let it wait for what it has not yet."
            )
        if not block:
            break
        blocks.append(bytes(block))
        left -= len(block)
    return b"".join(blocks)
