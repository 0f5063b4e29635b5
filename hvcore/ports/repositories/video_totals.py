"""The video totals port: count videos for analytics, outside of any transaction."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Protocol

from hvcore.domain.analytics.segments import EnvironmentScope
from hvcore.domain.analytics.usage import EnvironmentUploads, VideoTotal
from hvcore.domain.ids import EnvId


class VideoTotals(Protocol):
    """Count videos and uploads; thread-safe."""

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
        Return the uploads to each environment, including those of videos deleted since.

        A video whose upload never arrived does not count.

        Args:
            since: The first UTC day of the number ``since`` in the result.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...
