"""
Certificates of what lies in a remote storage.
"""

import threading
from collections import Counter
from typing import BinaryIO

import attrs
import pytest

from hvcore.conformance import Piece
from hvcore.errors import UnavailableError
from hvcore.services.processing.published_source import PublishedSource
from hvcore.services.processing.read_ahead import AHEAD, read_ahead
from hvcore.services.tasks.leases import TaskStopped
from tests.support.media_samples import (
    ROOT,
    BytesStorage,
    file_of,
    index,
    segments,
    video_track,
)

COUNT = 20
WINDOW_BYTES = 16


class SlowStorage(BytesStorage):
    """
    Answers only when so many ask at once, or a moment later.

    Attributes:
        at_once: How many there were at most.
        failing: How often each path is refused before it is given.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[str] = Counter()
        self.failing = 0
        self.open_now = self.at_once = 0
        self.many = threading.Condition()
        self.is_held = threading.Event()
        self.is_held.set()

    def open(self, path: str, *, start: int = 0, end: int | None = None) -> BinaryIO:
        with self.many:
            self.asked[path] += 1
            number = self.asked[path]
            self.open_now += 1
            self.at_once = max(self.at_once, self.open_now)
            self.many.notify_all()
            self.many.wait_for(lambda: self.at_once >= AHEAD, timeout=0.5)
        self.is_held.wait(10)
        with self.many:
            self.open_now -= 1
        if number <= self.failing:
            raise UnavailableError("The storage does not answer.")
        return super().open(path, start=start, end=end)


@pytest.fixture
def storage() -> SlowStorage:
    return SlowStorage()


def source_of(storage: SlowStorage) -> PublishedSource:
    contents = [b"segment %2d" % number for number in range(COUNT)]
    made = tuple(
        attrs.evolve(segment, file=file_of(content))
        for segment, content in zip(segments([9] * COUNT), contents, strict=True)
    )
    for number, content in enumerate(contents):
        storage.objects[f"{ROOT}/a1/video/720p/{number}.m4s"] = content
    return PublishedSource(
        storage=storage,
        media_root=ROOT,
        media=index(video_track(of=made)),
        before_reading=lambda: None,
    )


def read_all(source: PublishedSource) -> list[Piece]:
    with read_ahead(source) as ahead:
        return [
            ahead.read(f"video/720p/{number}.m4s", 0, WINDOW_BYTES)
            for number in range(COUNT)
        ]


def test_segments_are_read_side_by_side_in_order_and_once(
    storage: SlowStorage,
) -> None:
    pieces = read_all(source_of(storage))

    assert [piece.data for piece in pieces] == [
        b"segment %2d" % n for n in range(COUNT)
    ]
    assert set(storage.asked.values()) == {1}
    assert len(storage.asked) == COUNT
    assert storage.at_once == AHEAD


def test_a_request_that_fails_is_repeated(storage: SlowStorage) -> None:
    source = source_of(storage)
    storage.failing = 1

    pieces = read_all(source)

    assert len(pieces) == COUNT
    assert set(storage.asked.values()) == {2}


def test_a_storage_that_is_away_ends_the_reading(storage: SlowStorage) -> None:
    source = source_of(storage)
    storage.failing = 99

    with pytest.raises(UnavailableError, match="does not answer"):
        read_all(source)


def test_a_reading_that_is_not_wanted_any_more_waits_for_no_answer(
    storage: SlowStorage,
) -> None:
    storage.is_held.clear()
    stopping = threading.Event()

    def stop() -> None:
        # Asked once by the first read, then while it waits for its answer.
        if storage.asked and threading.current_thread() is threading.main_thread():
            stopping.set()
            raise TaskStopped

    source = source_of(storage)
    source.before_reading = stop

    with pytest.raises(TaskStopped):
        read_all(source)
    assert stopping.is_set()
    storage.is_held.set()
