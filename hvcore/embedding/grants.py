"""The upload grants of an environment, also within a transaction of the host program."""

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
    """The upload grants of an environment."""

    _environment: Environment = attrs.field(repr=False)

    def grant_upload(self, *, file_name: str, **video: Unpack[NewVideo]) -> Upload:
        """
        Permit one file to be sent; the video is made when it has arrived.

        Args:
            file_name: Of the file; shown, never part of a path.
            video: See NewVideo.

        Raises:
            InvalidParametersError: An argument is one that the API refuses, too; the
                text names each.
            ConflictError: Another video of the environment has this external ID.
            QuotaExceededError: The organization may not store or encode it.
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
