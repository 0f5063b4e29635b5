"""The number of videos, for analytics, outside of any transaction."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Protocol

from hvcore.domain.analytics.segments import EnvironmentScope
from hvcore.domain.analytics.usage import EnvironmentUploads, VideoTotal
from hvcore.domain.ids import EnvId


class VideoTotals(Protocol):
    """Counts of videos; thread-safe."""

    def current(self, scope: EnvironmentScope) -> Sequence[VideoTotal]:
        """
        Return the number of videos, by environment, state and preset.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def uploads(
        self, scope: EnvironmentScope, since: date
    ) -> Mapping[EnvId, EnvironmentUploads]:
        """
        Return the uploads to each environment, of videos deleted since or not.

        A video whose bytes never came was not uploaded.

        Args:
            since: The first UTC day that is counted.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...
