"""
Segments that tell when they are counted, and when that is taken back.
"""

from collections.abc import Callable, Sequence

import attrs

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId
from hvcore.domain.playback.viewer import Viewer
from hvcore.ports.counting import CountedSegment
from tests.support.media_samples import VIDEO

PLACE = SegmentPlace(
    org_id=OrgId("org_a"), env_id=EnvId("env_1"), video_id=VIDEO, height_px=720
)


@attrs.frozen
class Telling:
    tell: Callable[[str], object]

    def count(self, segments: Sequence[CountedSegment]) -> bool:
        for segment in segments:
            segment.line = b"1 %s 0\n" % segment.place.text
            self.tell("counted")
        return True

    def take_back(self, lines: Sequence[bytes]) -> None:
        for _ in lines:
            self.tell("taken back")

    def ignore(self, place: SegmentPlace, reason: IgnoredReason) -> None:
        raise AssertionError(f"{place} is ignored because of {reason}")


def recorded_segment(tell: Callable[[str], object]) -> CountedSegment:
    return CountedSegment(Telling(tell), PLACE, None, Viewer())
