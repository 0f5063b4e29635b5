"""The promises of an analytics sink about spool files: names, positions and forgetting."""

from typing import Final

from hvcore.ports.analytics import AnalyticsSink
from hvcore.testing.analytics.kit import AnalyticsKit, Reopened
from hvcore.testing.analytics.served import VIDEO, batch, segment
from hvcore.testing.children import in_children
from hvcore.testing.held_calls import call_one_line_apart
from hvcore.testing.raised_errors import FilesOf

_LONG: Final = "kit-" + "a" * 200
FILES: Final = (
    *("kit-a.log", "kit-a.log.1", "kit-a", "kit-a.log ", "kit_a.log", "kit-A.log"),
    *("KIT-A.LOG", "kit-%.log", "%", "kit-*.log", "a.log", "b/kit-a.log", "kit-a.lo"),
    *(f"{_LONG}1.log", f"{_LONG}2.log"),
)
"""Names of spool files that begin or end alike, or that are patterns matching others."""


class FilePromises(AnalyticsKit):
    """The promises of an analytics sink about spool files: each has a position of its own until it is forgotten."""

    def test_files_with_names_alike_have_positions_of_their_own(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Spool files whose names begin or end alike, are patterns or long have positions of their own."""
        ends = {name: 10 * number for number, name in enumerate(FILES, 1)}
        for name, end in ends.items():
            sink.write(batch(*[segment()] * (end // 10), file=name))

        for each in (sink, reopened()):
            assert {name: each.position(name) for name in FILES} == ends
            assert self.counted(each, VIDEO) == sum(ends.values()) // 10

    def test_a_file_is_forgotten_and_no_file_of_a_name_alike(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Forgetting a spool file removes its position in every process, and no position of a file with a similar name."""
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
        """A spool file with a forgotten name begins at position 0 in every process; its segments add to the older counts."""
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
        """Forgetting an unknown spool file changes nothing, and the file can be written later."""
        sink.forget("kit-never.log")
        sink.write(batch(segment(), file="kit-never.log"))

        assert (self.counted(sink, VIDEO), sink.position("kit-never.log")) == (1, 10)

    def test_to_close_a_sink_is_for_one_process(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Closing a sink removes no counts or positions, and other sinks on the same data go on."""
        other = reopened()
        other.write(batch(segment()))
        other.close()
        sink.write(batch(segment(), start=10))

        assert (self.counted(sink, VIDEO), sink.position("kit-a.log")) == (2, 20)

    def test_a_sink_is_prepared_once_it_was_prepared(
        self, unprepared: AnalyticsSink
    ) -> None:
        """A sink that needs preparation is not prepared before ``prepare`` and is afterwards."""
        if type(unprepared).prepare is AnalyticsSink.prepare:
            return
        before = unprepared.is_prepared()
        unprepared.prepare()

        assert (before, unprepared.is_prepared()) == (False, True)
        unprepared.write(batch(segment()))
        assert self.counted(unprepared, VIDEO) == 1

    def test_a_sink_may_be_prepared_by_several_at_once_for_the_first_time(
        self, unprepared: AnalyticsSink
    ) -> None:
        """Several calls of ``prepare`` at once prepare a sink that was never prepared, wherever one meets another."""
        if type(unprepared).prepare is AnalyticsSink.prepare:
            return
        call_one_line_apart(unprepared.prepare, is_counted=FilesOf([unprepared]))

        assert unprepared.is_prepared()
        unprepared.write(batch(segment()))
        assert self.counted(unprepared, VIDEO) == 1

    def test_processes_may_prepare_at_once(
        self, sink: AnalyticsSink, reopened: Reopened
    ) -> None:
        """Several processes may prepare a sink that has counts at the same time, again and again; no count is lost."""
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
