"""
Upload grants: permission to send one file's bytes to storage.

Source: interface, "Upload grant" and "upload-url".
"""

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import Final

import attrs

from hvcore.domain import ids
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import EnvId, GrantId, OrgId, VideoId
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video, VideoWanted

_DIRECT_UPLOAD: Final = "/arrival"


class GrantState(Enum):
    """
    The states of an upload.

    GRANTED: the bytes may come. UPLOADED: they are there; they may be sent
    again. USED: a video was made of them. ENDED: ran out or cancelled.
    FETCHING: the service itself fetches them from ``source_url``.
    DIRECT: the bytes may come, straight to the store, at ``direct_upload_path``.
    TAKING: they came that way, and are being taken in for their video.
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
    Permission to send one file.

    Attributes:
        path: Storage path of the bytes, the ``bucketPath``.
        file_name: What the caller calls the file; display data only.
        content_type: The type the bytes must be sent with, as it was asked for;
            None takes any of CONTENT_TYPES.
        size_bytes: The size they must have; None takes any up to the limit.
        expires_at: When sending ends (UTC).
        video_id: The video they belong to: from the start in Family B, from
            the process request on in Family A.
        description: Of the video, unless the process request has another.
        stored_path: Where the bytes really are: each sending has a path of
            its own below ``path``, so that a late one never changes what is
            being processed.
        stored_bytes: How many there are.
        starts_processing: Family B: the bytes start the job once they are there.
        source_url: Where the service fetches the bytes from, if it does; may
            hold its owner's secrets.
        tus_metadata: Of a resumable upload: ``Upload-Metadata`` as it was
            sent, which its holder may ask for.
        in_parts: The store may have been asked to begin it in parts.
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
        The bytes of the grant that count as stored: none once it has ended.

        What goes straight to the store has its room from the start, because nobody
        sees it come. A size that was not announced counts when it is taken in.
        """
        if self.state in IN_THE_STORE:
            return self.size_bytes or 0
        is_counted = self.state in {GrantState.UPLOADED, GrantState.USED}
        return self.stored_bytes if is_counted else 0

    def end(self) -> None:
        """
        Permit nothing any more; what its caller has told goes, unless a video has it.

        The video's own end takes it along then.
        """
        self.state = GrantState.ENDED
        self.source_url = None
        if self.video_id is None:
            self.file_name = ""
            self.description = self.tus_metadata = None


@attrs.frozen(kw_only=True)
class FileWanted:
    """
    The file that a caller wants to upload.

    Attributes:
        content_type: None if the caller did not say; see UploadGrant.
        size_bytes: None if the caller did not say; see UploadGrant.
        description: For the video that the file will become.
        tus_metadata: See UploadGrant.
        wants_parts: The sender can send it in parts.
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
    The address to which one part of a file may be sent.

    Attributes:
        number: From 1 on.
        size_bytes: The size it must have.
    """

    number: int
    size_bytes: int
    signed_url: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class UploadGranted:
    """
    A grant and the address that carries it out.

    Attributes:
        is_direct: The address is the store's own.
        parts: Where the file may be sent in parts instead; often none.
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
    Return the path to which callers send a grant's bytes straight to the store.

    Never where bytes are that are in use: the address works on for a while.
    """
    return direct_upload_below(grant.path)


def direct_upload_below(path: str) -> str:
    """Return the same for a grant's path."""
    return path + _DIRECT_UPLOAD


def grant_path(path: str) -> str:
    """Return the path of the grant to which a path below it belongs, or it itself."""
    # Sendings are one level below the grant's own path.
    return "/".join(path.split("/")[:4])


def name_of_file(file_name: str) -> str:
    """Return a video's default name: the file's name without its ending."""
    base = file_name.replace("\\", "/").rsplit("/", 1)[-1]
    stem, dot, _ = base.rpartition(".")
    return (stem if dot and stem else base) or file_name


def new_video(
    env: Environment, wanted: VideoWanted, grant: UploadGrant, *, state: VideoState
) -> Video:
    """Make the video that a grant's bytes will become."""
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
