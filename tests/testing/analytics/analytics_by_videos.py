"""
Stores that answer wrongly which videos were watched, each in one way.
"""

from collections.abc import Sequence
from datetime import date

import attrs

from hvcore.domain.analytics.video_counts import RankedVideos, VideoCount, VideoSort
from hvcore.domain.ids import VideoId
from hvcore.ports.video_counts import VideoLengths
from hvcore.testing.analytics.served import NOON
from tests.testing.memory import MemoryStore


class ListsAVideoOfNobody(MemoryStore):
    """
    Lists a video that was never served.
    """

    def ranked(
        self, asked: RankedVideos, lengths: VideoLengths
    ) -> Sequence[VideoCount]:
        nobody = VideoCount(
            video_id=VideoId("vid_nobody"),
            day=date(2026, 1, 1) if asked.by_day else None,
            segments=0,
            length_s=0,
            last_at=NOON,
        )
        return [*super().ranked(asked, lengths), nobody]


class SortsBySegmentsAlone(MemoryStore):
    """
    Sorts by segments, whatever it is asked for.
    """

    def ranked(
        self, asked: RankedVideos, lengths: VideoLengths
    ) -> Sequence[VideoCount]:
        return super().ranked(attrs.evolve(asked, sort=VideoSort.SEGMENTS), lengths)


class SkipsOneMore(MemoryStore):
    """
    Leaves out the first video of every page but the first one.
    """

    def ranked(
        self, asked: RankedVideos, lengths: VideoLengths
    ) -> Sequence[VideoCount]:
        skip = asked.skip + 1 if asked.skip else 0
        return super().ranked(attrs.evolve(asked, skip=skip), lengths)


class KeepsItsFirstAnswer(MemoryStore):
    """
    Answers a question as it did when it was asked first.
    """

    def ranked(
        self, asked: RankedVideos, lengths: VideoLengths
    ) -> Sequence[VideoCount]:
        kept: dict[RankedVideos, Sequence[VideoCount]] = self.__dict__.setdefault(
            "kept", {}
        )
        if asked not in kept:
            kept[asked] = super().ranked(asked, lengths)
        return kept[asked]


class ListsVideosWithoutSegments(MemoryStore):
    """
    Lists the videos of which all segments were taken back.
    """

    def ranked(
        self, asked: RankedVideos, lengths: VideoLengths
    ) -> Sequence[VideoCount]:
        found = super().ranked(asked, lengths)
        served = {one.video_id for one in found}
        known = lengths.each(asked.scope, VideoId(""), asked.limit)
        return [
            *found,
            *(
                VideoCount(
                    video_id=one.video_id,
                    day=date(2026, 1, 1) if asked.by_day else None,
                    segments=0,
                    length_s=one.length_s,
                    last_at=NOON,
                )
                for one in known
                if one.video_id not in served
            ),
        ]
