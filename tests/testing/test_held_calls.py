"""Calls of kits that are held at a line meet others there, and say which line it was."""

import json
import threading
from collections.abc import Callable

import pytest

from hvcore.testing.held_calls import call_one_line_apart, held_at, lines_of


class Counter:
    """Looks, and then counts."""

    def __init__(self) -> None:
        self.count = 0

    def add(self) -> int:
        seen = self.count
        self.count = seen + 1
        return seen


class Table:
    """Is made by whoever finds none."""

    def __init__(self) -> None:
        self.is_made = False

    def prepare(self) -> None:
        if self.is_made:
            return
        self.make()

    def make(self) -> None:
        if self.is_made:
            raise ValueError("there is one already")
        self.is_made = True


def is_ours(file: str) -> bool:
    return file == __file__


def test_a_failure_begins_with_the_line_at_which_a_call_was_held() -> None:
    def count_twice() -> None:
        counter = Counter()
        with held_at(2, is_counted=is_ours) as hold:
            hold(counter.add, counter.add)
            assert counter.count == 2, "lost"

    place = r"testing/test_held_calls.py:\d+ \(self.count = seen \+ 1\)"
    with pytest.raises(AssertionError, match=f"^held at {place}: lost"):
        count_twice()


def test_an_error_of_a_backend_is_noted_with_the_line() -> None:
    def fail() -> None:
        raise ValueError("of the backend")

    with (
        pytest.raises(ValueError, match="of the backend") as raised,
        held_at(1, is_counted=is_ours) as hold,
    ):
        hold(Counter().add, fail)

    assert "test_held_calls.py" in raised.value.__notes__[0]


def test_a_line_of_python_itself_is_named_with_the_line_that_called_it() -> None:
    def read() -> object:
        return json.loads("{}")

    with held_at(2) as hold:
        hold(read, lambda: None)

    assert hold.places[0].startswith("json/__init__.py:")
    assert ", called at testing/test_held_calls.py:" in hold.places[0]


def test_a_call_of_fewer_lines_is_held_nowhere() -> None:
    counter = Counter()
    lines = lines_of(counter.add, is_counted=is_ours)

    with held_at(lines + 1, is_counted=is_ours) as hold:
        both = hold(counter.add, counter.add)

    assert (lines, both, hold.places, counter.count) == (3, None, [], 3)


def test_a_second_call_that_waits_for_a_held_one_goes_on_after_it() -> None:
    lock = threading.Lock()

    def locked() -> int:
        with lock:
            return 1

    with held_at(2, is_counted=is_ours) as hold:
        assert hold(locked, locked) == (1, 1)


def test_a_failure_of_calls_one_line_apart_says_where_they_were_held() -> None:
    with pytest.raises(AssertionError, match=r"held .*test_held_calls.py:.*already"):
        call_one_line_apart(Table().prepare, is_counted=is_ours)


@pytest.mark.parametrize("make", [Counter, Table])
def test_calls_one_line_apart_that_get_along_pass(
    make: Callable[[], Counter | Table],
) -> None:
    made, lock = make(), threading.Lock()

    def work() -> None:
        with lock:
            made.add() if isinstance(made, Counter) else made.prepare()

    call_one_line_apart(work, is_counted=is_ours)

    assert isinstance(made, Counter) or made.is_made


def test_calls_one_line_apart_that_hang_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hvcore.testing.held_calls._HANGS_AFTER_S", 0.1)
    released = threading.Event()

    def wait() -> None:
        released.wait()

    try:
        with pytest.raises(AssertionError, match="it does not end"):
            call_one_line_apart(wait, is_counted=is_ours)
    finally:
        released.set()
