"""
The queue on Amazon SQS.

A message is removed before it is handled, as with the other queues: the database's lease
says who works on a task, and a task may take longer than SQS hides a message (12 hours).
"""

import logging
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from hvcore.plugin_api import (
    ConfigError,
    Lane,
    Queue,
    SupportsPrepare,
    TaskId,
    UnavailableError,
    hand_over,
)
from hvcore_queue_sqs.options import SqsOptions
from hvcore_queue_sqs.requests import QUEUE_ATTRIBUTES, Message, SqsRequests
from hvcore_queue_sqs.turns import Turns

LOOKS_AGAIN_S: Final = 0.1
"""The seconds between two looks while no lane answers; ``until`` is called as often."""

_log = logging.getLogger(__name__)


class SqsQueue(SupportsPrepare, Queue):
    """
    A queue of task ids on Amazon SQS, with a standard queue for each lane.

    Raises:
        ConfigError: No SQS client can be made with these options.
    """

    def __init__(self, options: SqsOptions) -> None:
        self._options = options
        # Now: to make a client takes longer than a put may.
        self._of_process = {os.getpid(): SqsRequests(options)}

    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        """
        Put a task's id into a lane.

        Raises:
            UnavailableError: The message was not taken.
        """
        self._sqs().send(task_id, kind=kind, lane=lane)

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        turns = Turns(lanes)
        while not until():
            message = self._take(turns, until)
            if message is None and turns.are_all_resting:
                time.sleep(LOOKS_AGAIN_S)
            if message is not None:
                self._remove(message)
                hand_over(handle, message.task_id)

    def depth(self, lane: Lane) -> int:
        """Return the approximate number of messages in a lane; a task that was put twice counts twice."""
        return self._sqs().depth(lane)

    def workers(self, lane: Lane) -> int:  # noqa: ARG002 - SQS knows no consumers
        """Return the number of encode workers in the settings, for any lane: SQS knows no consumers."""
        return self._options.workers

    def ping(self) -> None:
        """
        Raise UnavailableError if SQS does not answer, or the queue of a lane fails.

        The text names each queue that fails. A missing right to send messages shows
        only when a message is sent.
        """
        sqs = self._sqs()
        # At the same time: all of them may take as long as one.
        with ThreadPoolExecutor(len(Lane), thread_name_prefix="sqs-ping") as asked:
            failures = asked.map(partial(_failure, sqs), Lane)
        told = dict.fromkeys(text for text in failures if text is not None)
        if told:
            raise UnavailableError(" ".join(told))

    def prepare(self) -> None:
        """
        Create the missing queues at SQS, if the options allow it.

        Raises:
            UnavailableError: SQS does not answer, or refuses.
            ConfigError: Queues are missing; the text has the commands that make them.
        """
        sqs = self._sqs()
        missing = [lane for lane in Lane if not sqs.is_there(lane)]
        if missing and not self._options.creates:
            # In one line: hv shows texts of plugins as one.
            commands = " && ".join(map(self._command, missing))
            raise ConfigError(f"queue: queues are missing at SQS. Run: {commands}")
        for lane in missing:
            sqs.create(lane)

    def is_prepared(self) -> bool:
        """Return whether every lane has its queue at SQS."""
        sqs = self._sqs()
        return all(sqs.is_there(lane) for lane in Lane)

    def close(self) -> None:
        sqs = self._of_process.pop(os.getpid(), None)
        if sqs is not None:
            sqs.close()

    def _take(self, turns: Turns, until: Callable[[], bool]) -> Message | None:
        sqs = self._sqs()
        # All lanes at a glance, and the last one for longer.
        for wait_s in [0] * (len(turns) - 1) + [1] * self._options.wait_s:
            # Each time, because a slow SQS makes a round long.
            if until():
                return None
            if turns.is_resting:
                turns.pass_on()
                continue
            began_s = time.monotonic()
            try:
                message = sqs.receive(turns.lane, wait_s=wait_s)
            except UnavailableError as exc:
                turns.failed(exc)
                continue
            turns.answered()
            if message is not None:
                turns.had_message()
                return message
            turns.pass_on()
            if wait_s and time.monotonic() - began_s < LOOKS_AGAIN_S:
                # SQS would have waited; this would ask it as fast as the network goes.
                time.sleep(LOOKS_AGAIN_S)
        # Else it would be the same lane each time that is looked into for longer, and
        # only a longer look asks all of SQS's servers.
        turns.pass_on()
        return None

    def _remove(self, message: Message) -> None:
        try:
            self._sqs().remove(message)
        except UnavailableError as exc:
            # It is handled all the same: to get it twice does no harm.
            _log.warning(
                "a message was not removed, and comes back",
                extra={"hv_task": message.task_id, "hv_why": exc.detail},
            )

    def _sqs(self) -> SqsRequests:
        # A client's connections are of one process. Without a lock, because a fork may
        # leave one locked for ever: of two clients that are made at once, one stays.
        pid = os.getpid()
        found = self._of_process.get(pid)
        if found is None:
            found = self._of_process.setdefault(pid, SqsRequests(self._options))
        return found

    def _command(self, lane: Lane) -> str:
        options = self._options
        attributes = ",".join(
            f"{name}={value}" for name, value in QUEUE_ATTRIBUTES.items()
        )
        words = ["aws sqs create-queue", "--queue-name", options.name_of(lane)]
        words += ["--attributes", attributes]
        words += ["--region", options.region] if options.region else []
        words += ["--endpoint-url", options.endpoint] if options.endpoint else []
        return " ".join(words)


def _failure(sqs: SqsRequests, lane: Lane) -> str | None:
    try:
        sqs.depth(lane)
    except UnavailableError as exc:
        return exc.detail
    return None
