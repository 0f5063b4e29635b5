"""The promises of an analytics sink whose writes are interrupted by a full disk or an error."""

import resource
from functools import partial
from typing import Final

from hvcore.ports.analytics import AnalyticsSink
from hvcore.testing.analytics.kit import FILE, AnalyticsKit, Reopened
from hvcore.testing.analytics.served import SEGMENT_BYTES, VIDEO, batch, segment
from hvcore.testing.children import ends_within, in_child
from hvcore.testing.kit import may_leave
from hvcore.testing.raised_errors import BrokenOffCall, break_off_at_each_line

_COUNTS: Final = 40
"""The number of counts in a batch whose write is interrupted: it takes some kilobytes of a file."""
_BREAKS: Final = 160
"""The most errors that are raised in a test, each at another line of a call."""
_LARGEST_BYTES: Final = 2**26
_NEAR_BYTES: Final = 64
_REFUSED: Final = "refused"


class BrokenWritePromises(AnalyticsKit):
    """The promises of an analytics sink about interrupted writes: a batch is counted whole or not at all."""

    def test_a_disk_that_is_full_in_the_middle_of_a_write_keeps_whole_batches(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """A full disk in the middle of a write leaves the batch counted whole or not at all; later writes work."""
        sink.write(batch(segment()))
        if in_child(partial(_write_within, 0, reopened)) != _REFUSED:
            return  # Its files are on another machine.
        fits, too_small = _LARGEST_BYTES, 0
        while fits - too_small > _NEAR_BYTES:
            limit = (fits + too_small) // 2
            before = sink.position(FILE)
            told = in_child(partial(_write_within, limit, reopened))
            if told != _REFUSED:
                fits = limit
            else:
                too_small = limit
            self._counts_fit(sink, before, f"files of {limit} bytes: {told}")
        self._counts_fit(reopened(), sink.position(FILE), "in the end")

    @may_leave("open files", "descriptors", "files")
    def test_an_error_in_the_middle_of_a_write_is_passed_on_and_halves_no_batch(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """An error at any line of a write reaches the caller; the batch is counted whole or not, and the next one follows."""
        other, end = reopened(), 0

        def write() -> None:
            counts = [segment(height_px=100 + number) for number in range(_COUNTS)]
            sink.write(batch(*counts, start=end))

        def look(ended: BrokenOffCall[None]) -> None:
            nonlocal end
            found = sink.position(FILE)
            if ended.error is None:
                assert found > end, "it returned, and nothing was written"
            assert other.position(FILE) == found, "another sink has another position"
            self._counts_fit(sink, end, f"position {found} after {end}")
            end = sink.position(FILE)
            assert self.counted(other, VIDEO) == end // SEGMENT_BYTES

        break_off_at_each_line(write, backends=[sink], look=look, at_most=_BREAKS)

    @may_leave("open files", "descriptors", "files")
    def test_an_error_in_the_middle_of_forgetting_is_passed_on(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """An error at any line of ``forget`` leaves the file's position as it was or removed; counts and other files stay."""
        other, beside = reopened(), "kit-b.log"
        sink.write(batch(segment(), file=beside))
        counted = 1

        def before() -> None:
            nonlocal counted
            if not sink.position(FILE):
                sink.write(batch(segment()))
                counted += 1

        def look(ended: BrokenOffCall[None]) -> None:
            if ended.error is None:
                assert sink.position(FILE) == 0, "it returned, and did not forget"
            for each in (sink, other):
                assert each.position(FILE) == sink.position(FILE)
                assert each.position(beside) == SEGMENT_BYTES
                assert self.counted(each, VIDEO) == counted

        break_off_at_each_line(
            lambda: sink.forget(FILE),
            backends=[sink],
            before=before,
            look=look,
            at_most=_BREAKS,
        )

    def _counts_fit(self, sink: AnalyticsSink, before: int, where: str) -> None:
        """Assert that counts match the position, and that the next batch can be written."""
        start = sink.position(FILE)
        assert start in {before, before + _COUNTS * SEGMENT_BYTES}, where
        assert self.counted(sink, VIDEO) == start // SEGMENT_BYTES, where
        following = batch(segment(), start=start)
        ends_within(self.gives_up_within_s, partial(sink.write, following))
        end = sink.position(FILE)
        assert end == start + SEGMENT_BYTES, where
        assert self.counted(sink, VIDEO) == end // SEGMENT_BYTES, where


def _write_within(limit_bytes: int, reopened: Reopened) -> str:
    """Write a batch in a process that cannot make files larger than a limit; return whether it was counted."""
    own = reopened()
    start = own.position(FILE)
    # Of other heights than all before: what adds up in place would need no room.
    counts = [segment(height_px=1 + start + number) for number in range(_COUNTS)]
    one = batch(*counts, start=start)
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, most))
    try:
        own.write(one)
    except Exception:  # noqa: BLE001 - whatever it says
        return _REFUSED
    return "counted"
