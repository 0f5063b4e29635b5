"""The promises of every analytics sink: each batch is counted exactly once."""

from datetime import timedelta

import pytest

from hvcore.domain.analytics.segments import BatchId, ServedBatch
from hvcore.domain.ids import VideoId
from hvcore.ports.analytics import AnalyticsSink, BatchRefusedError
from hvcore.testing.analytics.broken_writes import BrokenWritePromises
from hvcore.testing.analytics.files import FilePromises
from hvcore.testing.analytics.kit import FILE, AnalyticsKit, Reopened
from hvcore.testing.analytics.outages import OutagePromises
from hvcore.testing.analytics.places import PlacePromises
from hvcore.testing.analytics.served import (
    NOON,
    VIDEO,
    BreaksOffError,
    batch,
    cut_off,
    segment,
    taken_back,
)
from hvcore.testing.analytics.sharing import SinkSharingPromises
from hvcore.testing.analytics.values import ValuePromises
from hvcore.testing.children import at_once


class AnalyticsSinkConformance(
    ValuePromises,
    PlacePromises,
    FilePromises,
    BrokenWritePromises,
    SinkSharingPromises,
    OutagePromises,
    AnalyticsKit,
):
    """The promises of every AnalyticsSink: each batch is counted exactly once."""

    def test_a_new_file_begins_at_0(self, sink: AnalyticsSink) -> None:
        """The position of a spool file that was never written is 0."""
        assert sink.position("never-seen.log") == 0

    def test_a_batch_is_counted_at_once(self, sink: AnalyticsSink) -> None:
        """A batch is counted, and the position moved, as soon as ``write`` has returned."""
        sink.write(batch(segment(), segment(height_px=360)))
        after_first = (self.counted(sink, VIDEO), sink.position(FILE))
        sink.write(batch(segment(at=NOON + timedelta(days=1)), start=20))

        assert after_first == (2, 20)
        assert (self.counted(sink, VIDEO), sink.position(FILE)) == (3, 30)

    def test_others_see_it_at_once(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Other processes, also ones that were open before, see a batch as soon as it is written."""
        other = reopened()
        before = (self.counted(other, VIDEO), other.position(FILE))
        sink.write(batch(segment()))

        assert before == (0, 0)
        assert (self.counted(other, VIDEO), other.position(FILE)) == (1, 10)

    def test_the_same_batch_twice_counts_once(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A batch that is written twice, because the answer was lost, counts once."""
        sink.write(batch(segment()))
        sink.write(batch(segment()))
        reopened().write(batch(segment()))
        sink.write(batch(segment(), start=10))
        # One of before the last.
        sink.write(batch(segment()))

        assert (self.counted(sink, VIDEO), sink.position(FILE)) == (2, 20)

    def test_ranges_that_overlap_or_leave_a_gap_are_refused(
        self, sink: AnalyticsSink
    ) -> None:
        """A batch that overlaps the position or leaves a gap is refused; counts and position stay."""
        sink.write(batch(segment(), segment()))
        for start, count in ((10, 2), (0, 3), (30, 1), (21, 1)):
            with pytest.raises(BatchRefusedError):
                sink.write(batch(*[segment()] * count, start=start))

            assert (self.counted(sink, VIDEO), sink.position(FILE)) == (2, 20), start
        with pytest.raises(BatchRefusedError):
            sink.write(batch(segment(), file="kit-new.log", start=10))

        assert sink.position("kit-new.log") == 0

    def test_a_write_that_fails_changes_nothing(self, sink: AnalyticsSink) -> None:
        """A write that fails changes neither counts nor position, and the batch can be written again."""
        sink.write(batch(segment()))
        whole = batch(segment(), segment("vid_kit_2"), segment("vid_kit_3"), start=10)
        with pytest.raises(BreaksOffError):
            sink.write(cut_off(whole))

        assert (self.counted(sink, VIDEO), sink.position(FILE)) == (1, 10)
        sink.write(whole)
        assert (self.counted(sink, VIDEO), sink.position(FILE)) == (2, 40)

    def test_a_batch_without_counts_moves_the_position(
        self, sink: AnalyticsSink
    ) -> None:
        """A batch without counts moves the position past damaged lines."""
        sink.write(ServedBatch(id=BatchId(file=FILE, start=0, end=99), counts=()))

        assert (self.counted(sink, VIDEO), sink.position(FILE)) == (0, 99)

    def test_a_count_taken_back_is_not_counted(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A count that is taken back is subtracted, also if that is written before the count itself."""
        sink.write(batch(segment(), segment()))
        sink.write(taken_back(batch(segment(), start=20)))
        sink.write(taken_back(batch(segment("vid_kit_2"), start=30)))
        sink.write(batch(segment("vid_kit_2"), segment("vid_kit_2"), start=40))

        for each in (sink, reopened()):
            assert self.counted(each, VIDEO) == 1
            assert self.counted(each, VideoId("vid_kit_2")) == 1

    def test_a_sum_below_zero_waits_for_the_counts_that_were_taken_back(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Counts taken back in two batches before the counts come are both subtracted: the sum stays below zero."""
        sink.write(taken_back(batch(segment())))
        reopened().write(taken_back(batch(segment(), start=10)))
        sink.write(batch(segment(), segment(), segment(), start=20))

        for each in (sink, reopened()):
            counted = self.counted(each, VIDEO)
            assert counted == 1, (
                f"3 segments and 2 taken back before are counted as {counted}:"
                " a sum below zero was not stored"
            )

    def test_files_do_not_know_each_other(self, sink: AnalyticsSink) -> None:
        """The same range of bytes of two spool files is two batches."""
        sink.write(batch(segment(), file="kit-a.log"))
        sink.write(batch(segment(), file="kit-b.log"))

        assert self.counted(sink, VIDEO) == 2

    def test_a_forgotten_file_keeps_its_counts(self, sink: AnalyticsSink) -> None:
        """Forgetting a spool file, once or twice, removes its position alone; counts and other files stay."""
        sink.write(batch(segment(), file="kit-a.log"))
        sink.write(batch(segment(), file="kit-b.log"))
        sink.forget("kit-a.log")
        sink.forget("kit-a.log")

        assert self.counted(sink, VIDEO) == 2
        assert (sink.position("kit-a.log"), sink.position("kit-b.log")) == (0, 10)

    def test_counts_survive_the_sink(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Counts and positions are still there in a sink that is opened later."""
        sink.write(batch(segment()))
        sink.close()
        again = reopened()

        assert (self.counted(again, VIDEO), again.position(FILE)) == (1, 10)
        again.write(batch(segment(), start=10))
        assert self.counted(again, VIDEO) == 2

    def test_preparing_again_changes_nothing(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Preparing a sink again changes no counts, also while others count and prepare (``hv migrate``)."""
        sink.write(batch(segment()))
        other = reopened()
        at_once([sink.prepare, other.prepare, sink.prepare, other.prepare])

        assert sink.is_prepared()
        assert (self.counted(sink, VIDEO), sink.position(FILE)) == (1, 10)
        sink.ping()
