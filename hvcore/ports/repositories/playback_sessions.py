"""The port of the store of playback sessions."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import datetime

from hvcore.domain.analytics.playback_sessions import (
    PlaybackSession,
    SessionFigures,
    SessionsBy,
    SessionSums,
)
from hvcore.domain.analytics.segments import DateRange
from hvcore.domain.ids import VideoId


class PlaybackSessionStore(ABC):
    """
    Store the sums of playback sessions, and each session until it is over; thread-safe.

    Every method raises UnavailableError if the store does not answer.
    """

    @abstractmethod
    def begin(self, session: PlaybackSession) -> PlaybackSession:
        """
        Count a session that begins, once.

        Returns:
            The session as it counts: one that had begun before has its first moment, and of
            a video's countries of a day beyond MOST_COUNTRIES none is told.
        """

    @abstractmethod
    def report(
        self, session: PlaybackSession, number: int, figures: SessionFigures
    ) -> bool:
        """
        Replace the figures of a session; False, and nothing else, if a later report is there.

        Args:
            number: The number of the report, from 1 on; an equal one counts as the same
                report.
        """

    @abstractmethod
    def sums(
        self, video_id: VideoId, days: DateRange, by: SessionsBy
    ) -> Sequence[SessionSums]:
        """Return the sums of a video's sessions by day and value, oldest day first."""

    @abstractmethod
    def forget(self, before: datetime) -> bool:
        """
        Delete some of the sessions that began before a moment; their sums stay.

        Returns:
            Whether more may be left.
        """
