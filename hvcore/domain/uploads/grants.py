"""
Upload grants: permission to send one file's bytes to storage.

Source: the interface document, "Upload grant" and "upload-url".
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

import attrs

from hvcore.domain import ids
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import EnvId, GrantId, OrgId, VideoId
from hvcore.domain.limits import UPLOAD_URL_VALID_S
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video, VideoWanted

_DIRECT_UPLOAD: Final = "/arrival"


class GrantState(Enum):
    """
    Name the states of an upload grant.

    GRANTED: the bytes may be sent. UPLOADED: the bytes are in the storage; they may be
    sent again. USED: a video was made of them. ENDED: the grant expired or was
    cancelled. FETCHING: the service itself fetches the bytes from ``source_url``.
    DIRECT: the bytes may be sent straight to the store, at ``direct_upload_path``.
    TAKING: the bytes were sent straight to the store, and are being taken in for their
    video.
    """

    GRANTED = "granted"
    UPLOADED = "uploaded"
    USED = "used"
    ENDED = "ended"
    FETCHING = "fetching"
    DIRECT = "direct"
    TAKING = "taking"


IN_THE_STORE: Final = frozenset({GrantState.DIRECT, GrantState.TAKING})
"""Whose bytes are or come where others send them."""


@attrs.define(kw_only=True)
class UploadGrant:
    """
    Permit a caller to send the bytes of one file.

    Attributes:
        path: The storage path of the bytes, the ``bucketPath``.
        file_name: The caller's name of the file; for display only.
        content_type: The content type that the caller announced, with which the bytes
            must be sent; None accepts any of CONTENT_TYPES.
        size_bytes: The announced size, which the bytes must have; None accepts any size
            up to the limit.
        expires_at: Until when the bytes may be sent (UTC).
        video_id: The video of the bytes: known from the start in Family B, from the
            process request on in Family A.
        description: The video's description, unless the process request has another
            one.
        stored_path: The storage path where the bytes really are. Each transfer of the
            bytes has its own path below ``path``, so that a late one never changes
            bytes that are being processed.
        stored_bytes: The number of stored bytes.
        starts_processing: Whether processing starts as soon as the bytes are stored
            (Family B).
        source_url: The address from which the service fetches the bytes, if it does; it
            may hold its owner's secrets.
        tus_metadata: The header ``Upload-Metadata`` of a resumable upload as it was
            sent; the uploader may ask for it.
        in_parts: Whether the store may have been asked to begin a multipart upload.
    """

    id: GrantId
    org_id: OrgId
    env_id: EnvId
    path: str
    file_name: str
    content_type: str | None
    size_bytes: int | None
    created_at: datetime
    expires_at: datetime
    state: GrantState = GrantState.GRANTED
    video_id: VideoId | None = None
    description: str | None = None
    stored_path: str | None = None
    stored_bytes: int = 0
    starts_processing: bool = False
    source_url: str | None = attrs.field(default=None, repr=False)
    tus_metadata: str | None = None
    in_parts: bool = False

    @property
    def quota_bytes(self) -> int:
        """
        The bytes of the grant that count as stored for quotas; 0 once it has ended.

        A direct upload counts with its announced size from the start, because its
        uploaded file is not seen. If no size was announced, the bytes count when they are
        taken in.
        """
        if self.state in IN_THE_STORE:
            return self.size_bytes or 0
        is_counted = self.state in {GrantState.UPLOADED, GrantState.USED}
        return self.stored_bytes if is_counted else 0

    def end(self) -> None:
        """
        End the grant, and erase the caller's data in it unless it belongs to a video.

        The data of a grant with a video is erased when the video is deleted.
        """
        self.state = GrantState.ENDED
        self.source_url = None
        if self.video_id is None:
            self.file_name = ""
            self.description = self.tus_metadata = None


@attrs.frozen(kw_only=True)
class FileWanted:
    """
    Describe the file that a caller wants to upload.

    Attributes:
        content_type: The content type with which the bytes will be sent; None accepts any
            of CONTENT_TYPES.
        size_bytes: The size that the bytes must have; None accepts any size up to the
            limit.
        description: The description of the video that the file will become.
        tus_metadata: The header ``Upload-Metadata`` of a resumable upload as it was
            sent; None for other uploads.
        wants_parts: Whether the sender can send the file in parts.
    """

    file_name: str
    content_type: str | None = None
    size_bytes: int | None = None
    description: str | None = None
    tus_metadata: str | None = None
    wants_parts: bool = False


@attrs.frozen(kw_only=True)
class GrantedPart:
    """
    Hold the signed address to which one part of a file may be sent.

    Attributes:
        number: The number of the part, from 1 on.
        size_bytes: The exact size of the part.
    """

    number: int
    size_bytes: int
    signed_url: str = attrs.field(repr=False)


def new_grant(env: Environment, file: FileWanted, now: datetime) -> UploadGrant:
    """Return a new grant for a file of an environment, valid from now on for UPLOAD_URL_VALID_S."""
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
        expires_at=now + timedelta(seconds=UPLOAD_URL_VALID_S),
    )


@attrs.frozen(kw_only=True)
class UploadGranted:
    """
    Hold an upload grant and the signed address to which the file is sent.

    Attributes:
        is_direct: Whether the address is the object store's own.
        parts: The addresses to which the file may be sent in parts instead; often none.
    """

    grant: UploadGrant
    signed_url: str = attrs.field(repr=False)
    is_direct: bool = False
    parts: Sequence[GrantedPart] = ()


def source_path(org_id: OrgId, env_id: EnvId, grant_id: GrantId) -> str:
    """Return the path of a grant's bytes; no part of it comes from a caller."""
    return f"{uploads_prefix(org_id, env_id)}/{grant_id}"


def uploads_prefix(org_id: OrgId, env_id: EnvId) -> str:
    """Return the storage prefix of all bytes that were sent to an environment."""
    return f"uploads/{org_id}/{env_id}"


def direct_upload_path(grant: UploadGrant) -> str:
    """
    Return the storage path to which a grant's bytes are sent straight to the store.

    Bytes in use are never at this path, because the signed address works on for a
    while.
    """
    return direct_upload_below(grant.path)


def direct_upload_below(path: str) -> str:
    """Return the storage path of a direct upload, given the path of its grant."""
    return path + _DIRECT_UPLOAD


def grant_path(path: str) -> str:
    """Return the path of the grant to which a storage path of uploaded bytes belongs."""
    # Sendings are one level below the grant's own path.
    return "/".join(path.split("/")[:4])


def name_of_file(file_name: str) -> str:
    """Return a video's default name: the file's name without folders and extension."""
    base = file_name.replace("\\", "/").rsplit("/", 1)[-1]
    stem, dot, _ = base.rpartition(".")
    return (stem if dot and stem else base) or file_name


def new_video(
    env: Environment, wanted: VideoWanted, grant: UploadGrant, *, state: VideoState
) -> Video:
    """Make the video that the bytes of an upload grant will become."""
    return Video(
        id=ids.new_video_id(),
        public_id=ids.new_public_id(),
        org_id=env.org_id,
        env_id=env.id,
        name=wanted.name or name_of_file(grant.file_name),
        description=wanted.description or grant.description,
        state=state,
        is_public=wanted.is_public,
        settings=wanted.settings,
        source_path=grant.stored_path or grant.path,
        created_at=grant.created_at,
        upload_expires_at=grant.expires_at,
        labels=wanted.labels,
        allows_download=wanted.allows_download,
    )


def upload_path(video: Video) -> str:
    """Return the ``bucketPath`` of the upload that a video was made of."""
    return grant_path(video.source_path)
