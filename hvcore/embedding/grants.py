"""Grant uploads to an environment, also within a transaction of the host program."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Unpack

import attrs

from hvcore.domain.access.tenants import Environment
from hvcore.embedding.arguments import NEW_VIDEO, NewVideo, read_arguments
from hvcore.embedding.values import Upload
from hvcore.wire.requests import VideoUploadRequest

if TYPE_CHECKING:
    from hvcore.services.uploads.grants import Uploads


@attrs.frozen(kw_only=True)
class GrantsUploads(ABC):
    """Base class of environments that can grant uploads."""

    _environment: Environment = attrs.field(repr=False)

    def grant_upload(self, *, file_name: str, **video: Unpack[NewVideo]) -> Upload:
        """
        Grant the upload of one file, and return the grant; a video is made when the file has arrived.

        Args:
            file_name: The name of the file to show, never part of a path.
            video: See NewVideo.

        Raises:
            InvalidParametersError: An argument is one that the API refuses, too; the
                text names each.
            ConflictError: Another video of the environment has this external ID.
            QuotaExceededError: The organization's quota does not allow to store or encode the
                file.
            UnavailableError: The database does not answer.
        """
        given = {"file_name": file_name, **video}
        wanted = read_arguments(VideoUploadRequest, given, NEW_VIDEO)
        granted = self._uploads.grant_video(
            self._environment,
            wanted.file_wanted(),
            wanted.video.video_wanted(),
        )
        assert granted.grant.video_id is not None  # noqa: S101 - for the type checker
        return Upload(
            video_id=granted.grant.video_id,
            address=granted.signed_url,
            expires_at=granted.grant.expires_at,
        )

    @property
    @abstractmethod
    def _uploads(self) -> "Uploads": ...
