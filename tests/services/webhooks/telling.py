"""
A plugin whose subscriber writes down what it is told, and processes that tell it.

``main`` tells all that is ordered, by two processes at a time, of which one
after the other is killed.
"""

import os
import random
import signal
import sys
import threading
import time
import traceback
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs

from hvcore.assembly import Services, build
from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.kinds import SUBSCRIBER_TELL
from hvcore.domain.tasks.task import TaskState
from hvcore.plugin_api import (
    BuildContext,
    EventSubscriber,
    EventSubscriberBackend,
    SubscribedEvent,
    hookimpl,
)
from hvcore.settings import load
from tests.support.fakes import MemoryQueue, TextTranscoder

PLUGINS: Final = (
    "hvcore_analytics_sql.plugin",
    "hvcore_auth_apikey.plugin",
    "hvcore_ratelimit.plugin",
    "hvcore_storage_fsspec.plugin",
    "tests.services.webhooks.telling",
)
ENVIRON: Final = {"HV_PLUGINS": ",".join(PLUGINS)}
HEARD: Final = "heard.txt"
AT_A_TIME: Final = 40
LONGEST_LIFE_S: Final = 0.2
"""Of a process, after it has told its first event."""


@attrs.frozen(kw_only=True)
class TellOptions:
    """
    Where it is written down.
    """

    folder: str = ""


class Chronicle(EventSubscriber):
    """
    Writes a line for each event, which a kill leaves whole.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.at_first = threading.Event()

    def hear(self, event: SubscribedEvent) -> None:
        """
        Write the line.
        """
        self.at_first.set()
        line = f"{event.video_id} {event.sequence} {event.kind.value}\n"
        with self.path.open("ab", buffering=0) as file:
            file.write(line.encode())


def build_chronicle(options: TellOptions, context: BuildContext) -> Chronicle:
    """
    Make the subscriber.
    """
    folder = Path(options.folder) if options.folder else context.state_dir
    return Chronicle(folder / HEARD)


@hookimpl
def hvcore_event_subscribers() -> Iterator[EventSubscriberBackend]:
    """
    Offer it.
    """
    yield EventSubscriberBackend(
        name="chronicle", factory=build_chronicle, options=TellOptions
    )


def heard_in(path: Path) -> Mapping[str, list[int]]:
    """
    Return the sequences that were told, by video, in the order of the telling.
    """
    found: dict[str, list[int]] = defaultdict(list)
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    for video_id, sequence, _ in (line.split() for line in lines):
        found[video_id].append(int(sequence))
    return found


def untold(services: Services) -> list[TaskId]:
    """
    Return the tasks that have not ended; some of those that are due, first.
    """
    with services.uow.read() as work:
        waiting = [
            task
            for state in (TaskState.DUE, TaskState.QUEUED, TaskState.LEASED)
            for task in work.tasks.search(
                state=state, kind=SUBSCRIBER_TELL, limit=10_000
            )
        ]
    now = services.clock.now()
    due = [task for task in waiting if task.not_before <= now]
    # About as queues have them: most others would find that it is not their turn.
    due.reverse()
    first = sorted(due, key=lambda task: task.not_before)[:AT_A_TIME]
    return [task.id for task in first or waiting[:AT_A_TIME]]


def tell_all(folder: Path, *, is_mortal: bool) -> None:
    """
    Tell what is ordered; a mortal process is killed in the middle of it.
    """
    settings = load(config_path=None, environ=ENVIRON, data_dir=folder).settings
    overrides = {"queue": MemoryQueue(), "transcoder": TextTranscoder()}
    with build(settings, rings=False, overrides=overrides) as services:
        (subscriber,) = services.subscriptions.subscribers.values()
        assert isinstance(subscriber, Chronicle)
        if is_mortal:
            threading.Thread(target=_die, args=[subscriber], daemon=True).start()
        while (waiting := untold(services)) or is_mortal:
            if not waiting:
                subscriber.at_first.set()
            # Out of order, and against the other process.
            random.shuffle(waiting)
            for task_id in waiting:
                services.task_runs.run(
                    task_id, worker=f"test:{os.getpid()}", stopping=lambda: False
                )


def _die(subscriber: Chronicle) -> None:
    subscriber.at_first.wait()
    time.sleep(random.uniform(0, LONGEST_LIFE_S))  # noqa: S311 - no secret
    os.kill(os.getpid(), signal.SIGKILL)


def tell_through_kills(folder: Path, kills: int) -> None:
    """
    Tell with two processes at a time, until this many were killed.
    """
    alive, died = set[int](), 0
    settings = load(config_path=None, environ=ENVIRON, data_dir=folder).settings
    while died < kills or alive:
        while died + len(alive) < kills and len(alive) < 2:
            alive.add(_start(folder))
        process, status = os.wait()
        alive.discard(process)
        died += 1
        was_killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        assert was_killed, f"a process ended with {status} before it was killed"
        # As hv up does with a worker that has died.
        with build(settings, rings=False) as services, services.uow.write() as work:
            work.tasks.free_worker(f"test:{process}")
            work.commit()


def main() -> None:
    """
    Tell everything in the folder of the first argument, through kills.
    """
    folder = Path(sys.argv[1])
    tell_through_kills(folder, int(sys.argv[2]))
    tell_all(folder, is_mortal=False)


def _start(folder: Path) -> int:
    process = os.fork()
    if process:
        return process
    try:
        tell_all(folder, is_mortal=True)
    except Exception:  # noqa: BLE001 - nothing else shows it
        traceback.print_exc()
    os._exit(1)
