"""The promises of a sink for spool files: their names, positions and ends."""

from typing import Final

from hvcore.ports.analytics import AnalyticsSink
from hvcore.testing.analytics.kit import AnalyticsKit, Reopened
from hvcore.testing.analytics.served import VIDEO, batch, segment
from hvcore.testing.children import in_children

_LONG: Final = "kit-" + "a" * 200
FILES: Final = (
    *("kit-a.log", "kit-a.log.1", "kit-a", "kit-a.log ", "kit_a.log", "kit-A.log"),
    *("KIT-A.LOG", "kit-%.log", "%", "kit-*.log", "a.log", "b/kit-a.log", "kit-a.lo"),
    *(f"{_LONG}1.log", f"{_LONG}2.log"),
)
"""Names that begin or end alike, or that are patterns of others."""


class FilePromises(AnalyticsKit):
    """Each spool file has a position of its own, until it is forgotten."""

    def test_files_with_names_alike_have_positions_of_their_own(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Names of one beginning or end, patterns, and long ones."""
        ends = {name: 10 * number for number, name in enumerate(FILES, 1)}
        for name, end in ends.items():
            sink.write(batch(*[segment()] * (end // 10), file=name))

        for each in (sink, reopened()):
            assert {name: each.position(name) for name in FILES} == ends
            assert self.counted(each, VIDEO) == sum(ends.values()) // 10

    def test_a_file_is_forgotten_and_no_file_of_a_name_alike(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Each name in its turn; a process that has read the positions before sees the change."""
        other = reopened()
        for name in FILES:
            sink.write(batch(segment(), file=name))
        left = dict.fromkeys(FILES, 10)
        assert {name: other.position(name) for name in FILES} == left

        for name in FILES:
            sink.forget(name)
            left[name] = 0
            for each in (sink, other):
                found = {name: each.position(name) for name in FILES}
                assert found == left, f"forgotten: {name}"
        assert self.counted(reopened(), VIDEO) == len(FILES)

    def test_a_file_of_a_forgotten_name_begins_anew(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """In every process, and what was counted before is added to."""
        other = reopened()
        for _ in range(2):
            sink.write(batch(segment(), segment(), file="kit-a.log"))
            other.write(batch(segment(), start=20, file="kit-a.log"))
            sink.forget("kit-a.log")

            assert [each.position("kit-a.log") for each in (sink, other)] == [0, 0]
        other.write(batch(segment(), file="kit-a.log"))

        for each in (sink, other, reopened()):
            assert (self.counted(each, VIDEO), each.position("kit-a.log")) == (7, 10)

    def test_a_file_that_was_never_read_is_forgotten_like_any_other(
        self, sink: AnalyticsSink
    ) -> None:
        """That changes nothing, and the file may come later."""
        sink.forget("kit-never.log")
        sink.write(batch(segment(), file="kit-never.log"))

        assert (self.counted(sink, VIDEO), sink.position("kit-never.log")) == (1, 10)

    def test_to_close_a_sink_is_for_one_process(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Counts and positions stay, and other sinks go on."""
        other = reopened()
        other.write(batch(segment()))
        other.close()
        sink.write(batch(segment(), start=10))

        assert (self.counted(sink, VIDEO), sink.position("kit-a.log")) == (2, 20)

    def test_a_sink_is_prepared_once_it_was_prepared(
        self, unprepared: AnalyticsSink
    ) -> None:
        """Not before, if there is anything to prepare."""
        if type(unprepared).prepare is AnalyticsSink.prepare:
            return
        before = unprepared.is_prepared()
        unprepared.prepare()

        assert (before, unprepared.is_prepared()) == (False, True)
        unprepared.write(batch(segment()))
        assert self.counted(unprepared, VIDEO) == 1

    def test_processes_may_prepare_at_once(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Each any number of times, beside one that counts; nothing is lost."""
        sink.write(batch(segment()))

        def prepare() -> str:
            own = reopened()
            for _ in range(3):
                own.prepare()
            return str(own.is_prepared())

        told = in_children([prepare] * 3)
        sink.write(batch(segment(), start=10))
        sink.ping()

        assert told == ["True"] * 3
        assert (self.counted(sink, VIDEO), sink.position("kit-a.log")) == (2, 20)
