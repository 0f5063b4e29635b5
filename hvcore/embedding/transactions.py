"""Work with the videos of one environment within a transaction of the host program."""

from typing import TYPE_CHECKING

import attrs

from hvcore.embedding.arguments import kept_hours
from hvcore.embedding.environment_parts import host_caller
from hvcore.embedding.grants import GrantsUploads

if TYPE_CHECKING:
    from hvcore.assembly.guests import GuestServices
    from hvcore.services.uploads.grants import Uploads


@attrs.frozen(kw_only=True)
class EnvironmentInTransaction(GrantsUploads):
    """
    An environment within a transaction of the host program.

    Its upload grants and deletions take effect with the commit. The transaction can go on after
    one of its methods has raised an error.
    """

    _guests: "GuestServices" = attrs.field(repr=False)

    def delete(self, video_id: str) -> None:
        """
        Delete a video: for viewers from the commit on, and soon after from the storage.

        Raises:
            VideoNotFoundError: The environment has no such video.
            AlreadyDeletedError: The video is deleted, and cannot be restored.
            UnavailableError: The database does not answer.
        """
        caller, org_id = host_caller(self._environment), self._environment.org_id
        self._guests.deletion.order(caller, org_id, video_id, None)

    def put_in_bin(self, video_id: str, *, keep_hours: int = 20) -> None:
        """
        Delete a video from the commit on, so that it can be restored for some hours.

        Args:
            keep_hours: For how many hours the video can be restored: 1 to 23.

        Raises:
            VideoNotFoundError: The environment has no such video.
            AlreadyDeletedError: The video is deleted, and cannot be restored.
            InvalidParametersError: ``keep_hours`` is not from 1 to 23.
            UnavailableError: The database does not answer.
        """
        hours = kept_hours(keep_hours)
        caller, org_id = host_caller(self._environment), self._environment.org_id
        self._guests.deletion.order(caller, org_id, video_id, None, keep_hours=hours)

    @property
    def _uploads(self) -> "Uploads":
        return self._guests.uploads
