"""The promises of an analytics sink about several writers, readers, forks and killed processes."""

import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Final

from hvcore.domain.analytics.segments import SegmentServed, ServedBatch
from hvcore.domain.ids import VideoId
from hvcore.ports.analytics import AnalyticsSink
from hvcore.testing.analytics.kit import FILE, AnalyticsKit, Reopened
from hvcore.testing.analytics.served import SEGMENT_BYTES, VIDEO, batch, segment
from hvcore.testing.children import (
    Child,
    Report,
    TraceFunction,
    at_once,
    ends_within,
    in_child,
    spread,
)
from hvcore.testing.held_calls import held_at, lines_of

_PLACES: Final = 32
"""The most lines of a call at which another call runs in between."""
_KILLS: Final = 32
_OTHER: Final = "kit-b.log"
_WRITTEN_BYTES: Final = 2 * SEGMENT_BYTES
"""The bytes that are written of a file before another call runs in between."""


class SinkSharingPromises(AnalyticsKit):
    """The promises of an analytics sink that several processes write and read: each batch counts once."""

    def test_writers_at_once_lose_nothing(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Several writers, each with its own file, count the same videos at the same time; no count is lost."""
        sinks = [sink, reopened(), sink, reopened()]

        def write(number: int) -> None:
            # In opposite orders: whoever locks as it comes, deadlocks.
            ones = [segment(f"vid_kit_{n}") for n in range(20)]
            if number % 2:
                ones.reverse()
            for start in range(0, 1_000, 200):
                sinks[number].write(batch(*ones, file=f"kit-{number}.log", start=start))

        at_once([partial(write, number) for number in range(4)])

        assert [self.counted(sink, VideoId(f"vid_kit_{n}")) for n in range(20)] == (
            [20] * 20
        )
        assert [sink.position(f"kit-{n}.log") for n in range(4)] == [1_000] * 4

    def test_a_writer_in_the_middle_of_another_loses_nothing(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A write of one file in the middle of a write of another file loses no counts, at whatever line of code it comes."""
        other = reopened()
        for one, line in _places(sink, segment()):
            beside = batch(segment(), file=_OTHER, start=one.id.start - _WRITTEN_BYTES)
            with held_at(line) as hold:
                hold(partial(sink.write, one), partial(other.write, beside))
                ends = (sink.position(FILE), sink.position(_OTHER))

                assert ends == (one.id.end, beside.id.end), (
                    "a write beside one of another file moves no position, or a wrong one"
                )
                assert self.counted(sink, VIDEO) == sum(ends) // SEGMENT_BYTES, (
                    "of two writes of different files at once, counts are lost or double"
                )

    def test_the_same_batch_at_once_counts_once(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A batch that several sinks write at the same time counts once."""
        sinks = [sink, reopened(), sink, reopened()]
        for start in range(0, 100, SEGMENT_BYTES):
            one = batch(segment(), start=start)
            at_once([partial(own.write, one) for own in sinks])

        assert (self.counted(sink, VIDEO), sink.position(FILE)) == (10, 100)

    def test_the_same_batch_in_the_middle_of_itself_counts_once(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A batch that a second sink writes in the middle of the same write counts once, at whatever line of code it comes."""
        other = reopened()
        for one, line in _places(sink, segment()):
            with held_at(line) as hold:
                hold(partial(sink.write, one), partial(other.write, one))
                found = (self.counted(sink, VIDEO), sink.position(FILE))

                assert found == (one.id.end // SEGMENT_BYTES, one.id.end), (
                    "the same batch, written twice at once, does not count once"
                )

    def test_counts_and_position_move_together(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A reader beside a writer always sees counts and position of the same batches."""
        other, seen = reopened(), []
        is_done = threading.Event()

        def look() -> None:
            while not is_done.is_set():
                seen.append(self._seen(other))

        def write() -> None:
            try:
                for start in range(0, 300, SEGMENT_BYTES):
                    sink.write(batch(segment(), start=start))
            finally:
                is_done.set()

        at_once([write, look])

        assert [found for found in seen if not _fits(found)] == []

    def test_a_reader_in_the_middle_of_a_writer_sees_all_of_a_batch_or_nothing(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A reader in the middle of a write sees all counts of the batch or none, at whatever line of code it comes."""
        look = partial(self._seen, reopened())
        for one, line in _places(sink, segment(), segment(height_px=360)):
            with held_at(line) as hold:
                both = hold(partial(sink.write, one), look)
                found = both[1] if both else (0, 0, 0)

                assert _fits(found), "a reader sees counts and position of two moments"
                assert not any(number % 2 for number in found), (
                    "a reader sees half a batch"
                )

    def test_a_file_is_forgotten_while_another_is_written(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A write of another file while a file is forgotten loses neither position nor counts, at whatever line of code it comes."""
        other = reopened()
        old = batch(segment("vid_kit_2"), file="kit-old.log")
        sink.write(old)
        sink.write(batch(segment()))
        lines = lines_of(partial(sink.forget, old.id.file))
        for number, line in enumerate(spread(lines, at_most=_PLACES), 1):
            sink.write(old)
            one = batch(segment(), start=number * SEGMENT_BYTES)
            with held_at(line) as hold:
                hold(partial(sink.forget, old.id.file), partial(other.write, one))

                ends = (sink.position(old.id.file), sink.position(FILE))
                assert ends == (0, one.id.end), (
                    "a file is not forgotten, or one that is written beside it has "
                    "another position"
                )
                assert self.counted(sink, VIDEO) == number + 1, (
                    "what is written while another file is forgotten does not count once"
                )

    def test_a_writer_may_be_killed_at_any_moment(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A writer that is killed at any line leaves its batch counted or not; the next writer goes on from the position."""
        lines = int(in_child(lambda: str(lines_of(_next_write(reopened)))))
        end = sink.position(FILE)
        assert (self.counted(sink, VIDEO), end) == (2, 20)

        # After the last one it returned: what it wrote is durable.
        for line in [*spread(lines, at_most=_KILLS), lines + 1]:
            child = Child(partial(_stop_at, line, reopened))
            try:
                child.line()
            finally:
                child.kill()
            end = self._goes_on(sink, end, f"killed at line {line} of {lines}")

    def test_a_fork_counts_or_says_that_it_cannot(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A forked process that inherits a sink counts or raises an error; its parent goes on counting."""
        sink.write(batch(segment()))

        def write() -> str:
            try:
                sink.write(batch(segment(), start=10))
            except Exception:  # noqa: BLE001 - whatever it says
                return "refused"
            return "counted"

        further = int(in_child(write) == "counted")
        sink.write(batch(segment(), file=_OTHER))

        for each in (sink, reopened()):
            assert self.counted(each, VIDEO) == 2 + further
            assert each.position(FILE) == 10 + 10 * further
            assert each.position(_OTHER) == 10

    def _seen(self, sink: AnalyticsSink) -> tuple[int, int, int]:
        """Return the counts, the position in segments, and the counts again."""
        before = self.counted(sink, VIDEO)
        position = sink.position(FILE) // SEGMENT_BYTES
        return before, position, self.counted(sink, VIDEO)

    def _goes_on(self, sink: AnalyticsSink, before: int, where: str) -> int:
        """Write the next batch from the position on, as the flusher does; return the new position."""
        start = sink.position(FILE)
        following = batch(segment(), start=start)
        ends_within(self.gives_up_within_s, partial(sink.write, following))
        end = sink.position(FILE)

        assert before <= start == end - SEGMENT_BYTES, where
        assert self.counted(sink, VIDEO) == end // SEGMENT_BYTES, where
        return end


def _places(
    sink: AnalyticsSink, *notes: SegmentServed
) -> Iterator[tuple[ServedBatch, int]]:
    """Give one batch of a file after another, and a line of ``write`` for each."""
    size = SEGMENT_BYTES * len(notes)
    # The first ones do what is done once.
    sink.write(batch(*notes))
    lines = lines_of(partial(sink.write, batch(*notes, start=size)))
    for number, line in enumerate(spread(lines, at_most=_PLACES), 2):
        yield batch(*notes, start=size * number), line


def _fits(seen: tuple[int, int, int]) -> bool:
    before, position, after = seen
    return before <= position <= after


def _next_write(reopened: Reopened) -> Callable[[], None]:
    """Open a sink; return what writes the next batch of a file, as the flusher does."""
    own = reopened()
    two = batch(segment(), segment(height_px=360), start=own.position(FILE))
    return partial(own.write, two)


def _stop_at(line: int, reopened: Reopened, report: Report) -> None:
    """Write up to a line, or to the end, and wait there to be killed."""
    write, lines = _next_write(reopened), 0

    def trace(_frame: FrameType, event: str, _arg: object) -> TraceFunction:
        nonlocal lines
        lines += event == "line"
        if lines == line:
            _wait(report)
        return trace

    sys.settrace(trace)
    write()
    _wait(report)


def _wait(report: Report) -> None:
    sys.settrace(None)
    report("here")
    threading.Event().wait()
