"""
A copy within the store that need not be waited for.
"""

import threading
from datetime import UTC, datetime
from threading import Event, Semaphore
from typing import Final

import pytest

from hvcore.errors import UnavailableError
from hvcore.ports.storage import ObjectInfo
from hvcore.services.tasks.leases import TaskStopped
from hvcore.services.uploads import stoppable_copies
from hvcore.services.uploads.stoppable_copies import StoppableCopy

COPIED: Final = ObjectInfo(
    path="copy", size_bytes=1, modified_at=datetime(2030, 1, 1, tzinfo=UTC)
)


def nothing() -> None:
    """
    Let the work go on.
    """


def test_the_copy_is_given_and_kept() -> None:
    undone = Event()

    made = StoppableCopy(copy=lambda: COPIED, undo=undone.set).run(nothing)

    assert made is COPIED
    assert not undone.is_set()


def test_the_stores_own_error_passes() -> None:
    def fail() -> ObjectInfo:
        raise UnavailableError("away")

    with pytest.raises(UnavailableError, match="away"):
        StoppableCopy(copy=fail, undo=nothing).run(nothing)


def test_a_copy_that_is_made_after_a_stop_is_undone() -> None:
    begun, go_on, undone = Event(), Event(), Event()

    def copy() -> ObjectInfo:
        begun.set()
        assert go_on.wait(20)
        return COPIED

    def check() -> None:
        if begun.is_set():
            raise TaskStopped

    with pytest.raises(TaskStopped):
        StoppableCopy(copy=copy, undo=undone.set).run(check)

    assert not undone.is_set()
    go_on.set()
    assert undone.wait(20)


def test_a_store_that_hangs_holds_only_so_many_copies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stoppable_copies, "MOST_LEFT", 2)
    go_on, begun, ended = Event(), Semaphore(0), Semaphore(0)

    def copy() -> ObjectInfo:
        begun.release()
        assert go_on.wait(20)
        return COPIED

    def stop_after_the_beginning() -> None:
        if begun.acquire(blocking=False):
            raise TaskStopped

    stopped = StoppableCopy(copy=copy, undo=ended.release)
    for _ in range(2):
        with pytest.raises(TaskStopped):
            stopped.run(stop_after_the_beginning)

    with pytest.raises(UnavailableError, match="2 copies in the store"):
        StoppableCopy(copy=lambda: COPIED, undo=nothing).run(nothing)

    go_on.set()
    for _ in range(2):
        assert ended.acquire(timeout=20)
    for thread in [one for one in threading.enumerate() if one.name == "copy"]:
        thread.join(20)
    assert StoppableCopy(copy=lambda: COPIED, undo=nothing).run(nothing) is COPIED
