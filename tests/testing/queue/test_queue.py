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
from tests.testing.queue import wrong_consumers, wrong_messages, wrong_processes
from tests.testing.queue.queue_file import FileQueue

WRONG: Final[Mapping[type[FileQueue], str]] = {
    wrong_messages.LosesOneInFifty: "test_a_thousand_ids_arrive_once_each",
    wrong_messages.LooksThenTakes: "test_a_thousand_ids_arrive_once_each",
    wrong_messages.OnlyReachesWhoListens: "test_a_message_put_before_reaches_a_later_consumer",
    wrong_messages.SendsTwice: "test_a_message_put_before_reaches_a_later_consumer",
    wrong_messages.ShoutsTheIds: "test_a_message_put_before_reaches_a_later_consumer",
    wrong_messages.GivesBytes: "test_a_message_put_before_reaches_a_later_consumer",
    wrong_messages.NeverDelivers: "test_a_message_put_before_reaches_a_later_consumer",
    wrong_messages.DeliversAtTheStartOnly: "test_a_message_reaches_a_waiting_consumer",
    wrong_messages.HasOneLane: "test_each_lane_is_a_queue_of_its_own",
    wrong_messages.KnowsTwoLanes: "test_each_lane_is_a_queue_of_its_own",
    wrong_messages.EmptiesTheFirstLaneFirst: "test_no_lane_waits_for_another_to_be_empty",
    wrong_messages.EmptiesTheLastLaneFirst: "test_no_lane_waits_for_another_to_be_empty",
    wrong_messages.LosesBothOfAPair: "test_an_id_that_is_put_twice_arrives_once_or_twice",
    wrong_messages.KnowsEachIdOnce: "test_an_id_that_is_put_again_later_arrives_again",
    wrong_messages.ForgetsWhatIsPutMeanwhile: (
        "test_an_id_that_is_put_while_it_is_handled_arrives_again"
    ),
    wrong_messages.CountsEveryLane: "test_depth_counts_what_waits",
    wrong_messages.CountsNothing: "test_depth_counts_what_waits",
    wrong_messages.PutsSlowly: "test_no_call_takes_long",
    wrong_messages.PingHangs: "test_no_call_takes_long",
    wrong_messages.KeepsPutsInItsProcess: "test_a_forked_child_puts_or_says_that_it_cannot",
    wrong_messages.KeepsItsLockInAChild: (
        "test_a_child_that_is_forked_in_the_middle_of_a_call_waits_for_no_lock"
    ),
    wrong_messages.KeepsItsConsumersLockInAChild: (
        "test_a_child_that_is_forked_in_the_middle_of_a_call_waits_for_no_lock"
    ),
    wrong_messages.PreparesAnew: "test_preparing_again_loses_nothing",
    wrong_consumers.AsksOnceInFiveSeconds: "test_an_idle_consumer_stops",
    wrong_consumers.EmptiesTheQueueFirst: "test_a_consumer_stops_between_messages",
    wrong_consumers.TakesTenAtATime: "test_a_consumer_stops_between_messages",
    wrong_consumers.GoesOnInTheBackground: "test_a_consumer_that_has_ended_takes_nothing",
    wrong_consumers.TakesTenAndGivesThemBack: (
        "test_a_killed_consumer_takes_along_what_it_handles_and_nothing_more"
    ),
    wrong_consumers.HandlesUnderItsLock: "test_a_busy_consumer_holds_up_nobody",
    wrong_consumers.HandlesInItsTransaction: "test_a_busy_consumer_holds_up_nobody",
    wrong_consumers.HandlesInAPool: (
        "test_a_consumer_handles_one_by_one_in_its_own_thread"
    ),
    wrong_consumers.EndsWithTheFirstError: (
        "test_an_error_of_a_handler_is_logged_and_ends_nothing"
    ),
    wrong_consumers.TriesForEver: "test_an_error_of_a_handler_is_logged_and_ends_nothing",
    wrong_consumers.SaysNothingOfErrors: "test_an_error_of_a_handler_is_logged_and_ends_nothing",
    wrong_consumers.TracesEveryError: (
        "test_a_service_that_does_not_answer_is_a_line_in_the_log"
    ),
    wrong_consumers.SwallowsInterrupts: "test_other_exceptions_end_the_consumer",
    wrong_messages.KeepsAHundred: "test_hundreds_of_messages_wait_for_a_consumer",
    wrong_messages.KnowsOneKind: "test_messages_of_every_kind_arrive",
    wrong_messages.JoinsLanesById: "test_an_id_may_wait_in_two_lanes",
    wrong_messages.SharesOneFile: "test_queues_of_other_settings_share_nothing",
    wrong_messages.SwallowsPutErrors: "test_an_error_in_the_middle_of_a_put_is_passed_on",
    wrong_processes.TakesThreeAtATime: (
        "test_an_error_in_the_middle_of_consuming_loses_one_message_at_most"
    ),
    wrong_processes.LogsEachAttempt: "test_an_outage_is_a_line_in_the_log_when_it_begins",
    wrong_processes.SaysNothingOfOutages: (
        "test_an_outage_is_a_line_in_the_log_when_it_begins"
    ),
    wrong_processes.PutsInOneLane: "test_processes_that_put_at_once_lose_nothing",
    wrong_consumers.KnowsNoConsumers: "test_a_consumer_is_counted_while_it_handles",
    wrong_processes.StaysAtHome: "test_a_queue_spans_processes",
    wrong_processes.RingsForEverybody: "test_processes_share_what_waits",
    wrong_messages.WritesLater: "test_a_message_outlives_the_process_that_put_it",
    wrong_messages.ClosesBeforeItWrites: (
        "test_a_message_arrives_after_its_queue_was_closed"
    ),
    wrong_consumers.InstallsSignalHandlers: "test_signal_handlers_are_left_alone",
    wrong_processes.RaisesItsClientsErrors: "test_an_outage_is_an_unavailable_error_at_once",
    wrong_processes.WaitsForItsServer: "test_an_outage_is_an_unavailable_error_at_once",
    wrong_processes.TakesWhatItCannotSend: "test_an_outage_is_an_unavailable_error_at_once",
    wrong_processes.PingsItself: "test_an_outage_is_an_unavailable_error_at_once",
    wrong_processes.GivesUpAfterAnOutage: "test_an_outage_is_waited_out",
    wrong_processes.EndsWithAnOutage: "test_a_consumer_starts_and_stops_during_an_outage",
    wrong_processes.IsDeafInAnOutage: "test_a_consumer_starts_and_stops_during_an_outage",
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


@pytest.mark.every(3)
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
        "full": (
            Lane.LIGHT
            if kind is wrong_messages.EmptiesTheLastLaneFirst
            else Lane.ENCODE
        ),
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
