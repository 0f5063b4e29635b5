"""
The kit of queues lets a right one pass, and catches every wrong one.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any, Final

import pytest

from hvcore.plugin_api import Lane
from hvcore.testing.queue import OutageOfQueue, ReopenedQueue, SharedQueueConformance
from tests.testing.queue import queue_file as wrong
from tests.testing.queue.queue_file import FileQueue

WRONG: Final[Mapping[type[FileQueue], str]] = {
    wrong.LosesOneInFifty: "test_a_thousand_ids_arrive_once_each",
    wrong.LooksThenTakes: "test_a_thousand_ids_arrive_once_each",
    wrong.OnlyReachesWhoListens: "test_a_message_put_before_reaches_a_later_consumer",
    wrong.SendsTwice: "test_a_message_put_before_reaches_a_later_consumer",
    wrong.ShoutsTheIds: "test_a_message_put_before_reaches_a_later_consumer",
    wrong.GivesBytes: "test_a_message_put_before_reaches_a_later_consumer",
    wrong.NeverDelivers: "test_a_message_put_before_reaches_a_later_consumer",
    wrong.DeliversAtTheStartOnly: "test_a_message_reaches_a_waiting_consumer",
    wrong.HasOneLane: "test_each_lane_is_a_queue_of_its_own",
    wrong.KnowsTwoLanes: "test_each_lane_is_a_queue_of_its_own",
    wrong.EmptiesTheFirstLaneFirst: "test_no_lane_waits_for_another_to_be_empty",
    wrong.EmptiesTheLastLaneFirst: "test_no_lane_waits_for_another_to_be_empty",
    wrong.LosesBothOfAPair: "test_an_id_that_is_put_twice_arrives_once_or_twice",
    wrong.KnowsEachIdOnce: "test_an_id_that_is_put_again_later_arrives_again",
    wrong.ForgetsWhatIsPutMeanwhile: (
        "test_an_id_that_is_put_while_it_is_handled_arrives_again"
    ),
    wrong.CountsEveryLane: "test_depth_counts_what_waits",
    wrong.CountsNothing: "test_depth_counts_what_waits",
    wrong.PutsSlowly: "test_no_call_takes_long",
    wrong.PingHangs: "test_no_call_takes_long",
    wrong.KeepsPutsInItsProcess: "test_a_forked_child_puts_or_says_that_it_cannot",
    wrong.PreparesAnew: "test_preparing_again_loses_nothing",
    wrong.AsksOnceInFiveSeconds: "test_an_idle_consumer_stops",
    wrong.EmptiesTheQueueFirst: "test_a_consumer_stops_between_messages",
    wrong.TakesTenAtATime: "test_a_consumer_stops_between_messages",
    wrong.GoesOnInTheBackground: "test_a_consumer_that_has_ended_takes_nothing",
    wrong.TakesTenAndGivesThemBack: (
        "test_a_killed_consumer_takes_along_what_it_handles_and_nothing_more"
    ),
    wrong.HandlesUnderItsLock: "test_a_busy_consumer_holds_up_nobody",
    wrong.HandlesInItsTransaction: "test_a_busy_consumer_holds_up_nobody",
    wrong.HandlesInAPool: ("test_a_consumer_handles_one_by_one_in_its_own_thread"),
    wrong.EndsWithTheFirstError: (
        "test_an_error_of_a_handler_is_logged_and_ends_nothing"
    ),
    wrong.TriesForEver: "test_an_error_of_a_handler_is_logged_and_ends_nothing",
    wrong.SaysNothingOfErrors: "test_an_error_of_a_handler_is_logged_and_ends_nothing",
    wrong.TracesEveryError: (
        "test_a_service_that_does_not_answer_is_a_line_in_the_log"
    ),
    wrong.SwallowsInterrupts: "test_other_exceptions_end_the_consumer",
    wrong.KeepsAHundred: "test_hundreds_of_messages_wait_for_a_consumer",
    wrong.KnowsOneKind: "test_messages_of_every_kind_arrive",
    wrong.JoinsLanesById: "test_an_id_may_wait_in_two_lanes",
    wrong.SharesOneFile: "test_queues_of_other_settings_share_nothing",
    wrong.SwallowsPutErrors: "test_an_error_in_the_middle_of_a_put_is_passed_on",
    wrong.TakesThreeAtATime: (
        "test_an_error_in_the_middle_of_consuming_loses_one_message_at_most"
    ),
    wrong.LogsEachAttempt: "test_an_outage_is_a_line_in_the_log_when_it_begins",
    wrong.PutsInOneLane: "test_processes_that_put_at_once_lose_nothing",
    wrong.KnowsNoConsumers: "test_a_consumer_is_counted_while_it_handles",
    wrong.StaysAtHome: "test_a_queue_spans_processes",
    wrong.RingsForEverybody: "test_processes_share_what_waits",
    wrong.WritesLater: "test_a_message_outlives_the_process_that_put_it",
    wrong.ClosesBeforeItWrites: ("test_a_message_arrives_after_its_queue_was_closed"),
    wrong.InstallsSignalHandlers: "test_signal_handlers_are_left_alone",
    wrong.RaisesItsClientsErrors: "test_an_outage_is_an_unavailable_error_at_once",
    wrong.WaitsForItsServer: "test_an_outage_is_an_unavailable_error_at_once",
    wrong.TakesWhatItCannotSend: "test_an_outage_is_an_unavailable_error_at_once",
    wrong.PingsItself: "test_an_outage_is_an_unavailable_error_at_once",
    wrong.GivesUpAfterAnOutage: "test_an_outage_is_waited_out",
    wrong.EndsWithAnOutage: "test_a_consumer_starts_and_stops_during_an_outage",
    wrong.IsDeafInAnOutage: "test_a_consumer_starts_and_stops_during_an_outage",
}
"""Each wrong queue, and the check that catches it."""
CAUGHT: Final = (AssertionError, pytest.fail.Exception, sqlite3.Error)
"""How a check fails; the last one is a wrong queue's own."""


class Kit(SharedQueueConformance):
    @pytest.fixture
    def queue(self, tmp_path: Path) -> FileQueue:
        return FileQueue(tmp_path)

    @pytest.fixture
    def reopened(self, tmp_path: Path) -> ReopenedQueue:
        return lambda: FileQueue(tmp_path)

    @pytest.fixture
    def elsewhere(self, tmp_path: Path) -> FileQueue:
        (tmp_path / "elsewhere").mkdir()
        return FileQueue(tmp_path / "elsewhere")

    @pytest.fixture
    def outage(self, tmp_path: Path) -> OutageOfQueue:
        return away(tmp_path)


class TestARightQueue(Kit):
    pass


class Hasty(SharedQueueConformance):
    """
    The kit, with less patience: what a wrong queue does not do is waited for.
    """

    __test__ = False
    patience_s = 0.7


def away(folder: Path) -> OutageOfQueue:
    @contextmanager
    def removed() -> Iterator[None]:
        (folder / "away").touch()
        yield
        (folder / "away").unlink()

    return removed


def run(
    check: str,
    kind: type[FileQueue],
    folder: Path,
    caplog: pytest.LogCaptureFixture,
    **cases: object,
) -> None:
    other = folder / "elsewhere"
    other.mkdir()
    given: Mapping[str, Any] = {
        "queue": kind(folder),
        "reopened": lambda: kind(folder),
        "outage": away(folder),
        "elsewhere": kind(other),
        "kind": KeyboardInterrupt,
        "caplog": caplog,
        "lanes": (Lane.ENCODE, Lane.LIGHT),
        "full": (Lane.LIGHT if kind is wrong.EmptiesTheLastLaneFirst else Lane.ENCODE),
        **cases,
    }
    method: Callable[..., None] = getattr(Hasty(), check)
    method(**{name: given[name] for name in signature(method).parameters})


@pytest.mark.cases(16)
@pytest.mark.parametrize("kind", WRONG, ids=lambda kind: kind.__name__)
def test_a_wrong_queue_is_caught(
    kind: type[FileQueue], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    try:
        with pytest.raises(CAUGHT):
            run(WRONG[kind], kind, tmp_path, caplog)
    finally:
        (tmp_path / "over").touch()


def test_no_check_was_never_seen_to_fail() -> None:
    checks = {name for name in dir(Hasty) if name.startswith("test_")}

    assert checks == set(WRONG.values())
