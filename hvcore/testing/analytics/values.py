"""The promises of an analytics sink about unusual names and large numbers."""

import unicodedata
from typing import Final

import attrs

from hvcore.domain.analytics.segments import BatchId, ServedBatch
from hvcore.domain.ids import VideoId
from hvcore.ports.analytics import AnalyticsSink
from hvcore.testing.analytics.kit import FILE, AnalyticsKit, Reopened
from hvcore.testing.analytics.served import VIDEO, batch, segment

NAMES: Final = (
    *("vid_Kit", "vid_kit", "VID_KIT", "vidXkit", "vid-kit", "vid_kit "),
    *("vid_%", 'vid_"', "vid_'", "vid_\\", "vid_,;", "{vid}", "vid_😀", "vid_🎬"),
    *("vid\t1", "vid\t2", "vid\n1", "vid\n2", "vid\r1", "vid\r2", "NULL", "007", "7"),
    *("vid_é", unicodedata.normalize("NFD", "vid_é")),
)
"""
Names of videos and files that are different, but that some databases take for equal or cannot quote.

Ours have letters, digits, ``_`` and ``-``; programs that embed hvcore choose others.
"""
MANY: Final = 2_000
"""The number of counts in a large batch; one of a busy machine has some hundreds."""
LARGE: Final = 3 * 2**31 + 1
"""A number that neither an integer of 32 bits nor a float of 32 bits holds exactly."""


class ValuePromises(AnalyticsKit):
    """The promises of an analytics sink to store every name and number exactly."""

    def test_names_stay_as_they_are(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Unusual names of videos and of spool files are kept apart letter by letter."""
        for number, name in enumerate(NAMES, 1):
            sink.write(batch(*[segment(name)] * number, file=f"{name}.log"))
        videos = {name: number for number, name in enumerate(NAMES, 1)}

        for each in (sink, reopened()):
            counted = {name: self.counted(each, VideoId(name)) for name in NAMES}
            assert counted == videos
            ends = {name: each.position(f"{name}.log") for name in NAMES}
            assert ends == {name: 10 * number for name, number in videos.items()}

    def test_a_batch_may_have_many_counts(self, sink: AnalyticsSink) -> None:
        """A batch may have 2,000 counts, as from a machine that could not reach the sink for long."""
        videos = [VideoId(f"vid_kit_{number}") for number in range(MANY)]
        sink.write(batch(*map(segment, videos)))

        # Some from everywhere: to ask for all takes long where each is asked alone.
        asked = [*videos[:MANY:97], videos[-1]]
        assert [self.counted(sink, video) for video in asked] == [1] * len(asked)
        assert sink.position(FILE) == 10 * MANY

    def test_large_numbers_are_exact(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Counts and positions beyond 32 bits are exact."""
        (one,) = batch(segment()).counts
        large = attrs.evolve(one, segments=LARGE)
        for start in (0, LARGE):
            part = BatchId(file=FILE, start=start, end=start + LARGE)
            sink.write(ServedBatch(id=part, counts=(large,)))

        for each in (sink, reopened()):
            assert self.counted(each, VIDEO) == 2 * LARGE
            assert each.position(FILE) == 2 * LARGE
