"""An error that is raised at a line of a backend reaches the caller, or the kit tells."""

import io
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from hvcore.testing.raised_errors import (
    RAISED,
    BrokenOffCall,
    break_off_at_each_line,
)


class Counter:
    """A counter in a file that keeps every promise."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "count"
        self.lock = threading.Lock()
        self.set(0)

    def add(self) -> int:
        with self.lock, self.opened() as file:
            count = int(file.read()) + 1
            self.set(count)
        with suppress(OSError):
            self.told()
        return count

    def set(self, count: int) -> None:
        new = self.file.with_suffix(".new")
        try:
            new.write_text(str(count))
            new.replace(self.file)
        finally:
            new.unlink(missing_ok=True)

    def told(self) -> None:
        io.StringIO().write("told")

    @contextmanager
    def opened(self) -> Iterator[io.TextIOBase]:
        with self.file.open() as file:
            yield file


class SwallowsInterrupts(Counter):
    def add(self) -> int:
        try:
            return super().add()
        except KeyboardInterrupt:
            return 0


class SwallowsExits(Counter):
    def add(self) -> int:
        with suppress(SystemExit):
            return super().add()
        return 0


class SwallowsClosings(Counter):
    def add(self) -> int:
        try:
            return super().add()
        except (ValueError, GeneratorExit):
            return 0


class RenamesInterrupts(Counter):
    def add(self) -> int:
        try:
            return super().add()
        except BaseException as exc:
            raise OSError("The count does not answer.") from exc


class TakesFailuresForAbsence(Counter):
    def add(self) -> int:
        try:
            return super().add()
        except OSError as exc:
            raise LookupError("no count") from exc


class WritesInPlace(Counter):
    def set(self, count: int) -> None:
        with self.file.open("w") as file:
            text = f"{count:09}"
            file.write(text)


class KeepsTheLock(Counter):
    def add(self) -> int:
        self.lock.acquire()
        count = int(self.file.read_text()) + 1
        self.set(count)
        self.lock.release()
        return count


class AnswersTooEarly(Counter):
    def add(self) -> int:
        count = int(self.file.read_text()) + 1
        with suppress(OSError):
            self.set(count)
        return count


def broken_off(
    counter: Counter, called: Callable[[BrokenOffCall[int]], None] = lambda _: None
) -> None:
    def look(ended: BrokenOffCall[int]) -> None:
        called(ended)
        text = counter.file.read_text()
        assert text, "the count is gone"
        count = int(text)
        assert count == 1 if ended.error is None else count in {0, 1}
        assert counter.add() == count + 1

    break_off_at_each_line(
        counter.add,
        backends=[counter],
        before=lambda: counter.set(0),
        look=look,
        never=(LookupError,),
    )


def test_a_backend_that_passes_errors_on_may_be_broken_off_anywhere(
    tmp_path: Path,
) -> None:
    """Locks are let go and files closed, as they are after a real error."""
    ends = list[BrokenOffCall[int]]()

    broken_off(Counter(tmp_path), ends.append)

    assert {one.kind for one in ends} == set(RAISED)
    assert {one.place.partition(":")[0] for one in ends} == {Path(__file__).name}
    lines = {int(one.place.partition(":")[2]) for one in ends}
    assert lines >= {line for line, text in _lines(Counter.set) if ".new" in text}
    assert not lines & {line for line, text in _lines(Counter.set) if "unlink" in text}
    # What only tells of it may fail.
    assert {one.kind for one in ends if one.error is None} == {OSError}


def _lines(function: Callable[..., object]) -> Iterator[tuple[int, str]]:
    code = function.__code__
    texts = Path(code.co_filename).read_text().splitlines()
    # Without the line of ``def``.
    for line in sorted({line for *_, line in code.co_lines() if line})[1:]:
        yield line, texts[line - 1]


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (SwallowsInterrupts, "KeyboardInterrupt .*swallowed"),
        (SwallowsExits, "SystemExit .*swallowed"),
        (SwallowsClosings, "GeneratorExit .*swallowed"),
        (RenamesInterrupts, "became OSError"),
        (TakesFailuresForAbsence, "OSError .*became LookupError"),
        (WritesInPlace, "the count is gone"),
        (KeepsTheLock, "did not end"),
        (AnswersTooEarly, "OSError at"),
    ],
)
def test_a_wrong_backend_that_is_broken_off_is_caught(
    kind: type[Counter], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore.testing.raised_errors._HANGS_AFTER_S", 0.3)
    counter = kind(tmp_path)

    with pytest.raises(AssertionError, match=told):
        broken_off(counter)


def test_a_call_that_comes_to_no_line_of_the_backend_is_told() -> None:
    with pytest.raises(AssertionError, match="no line"):
        break_off_at_each_line(list, backends=[Counter], look=lambda _: None)
