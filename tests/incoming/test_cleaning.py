"""
Half-received files go when nobody writes them any more, and only then.
"""

import errno
import fcntl
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from hvcore.incoming.cleaning import STALE_TEMPORARY_S, remove_abandoned
from hvcore.incoming.partial import PARTIAL_PREFIX
from hvcore.incoming.whole_files import INCOMING_PREFIX

WHOLE = f"{INCOMING_PREFIX}0"
PART = f"{PARTIAL_PREFIX}up_{'0' * 22}"
OLD_S = STALE_TEMPORARY_S + 60
YOUNG_S = STALE_TEMPORARY_S - 60


def made(folder: Path, name: str, age_s: float) -> Path:
    path = folder / name
    path.write_bytes(b"half")
    os.utime(path, (time.time() - age_s,) * 2)
    return path


@pytest.fixture
def no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A network folder that has no locks.
    """

    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)


@pytest.mark.parametrize(
    ("name", "age_s", "removed"),
    [
        (WHOLE, 0, 1),
        (PART, OLD_S, 0),
        ("other", OLD_S, 1),
        ("other", YOUNG_S, 0),
    ],
)
def test_an_unlocked_file_and_one_that_is_old_are_removed(
    tmp_path: Path, name: str, age_s: float, removed: int
) -> None:
    path = made(tmp_path, name, age_s)

    assert remove_abandoned(tmp_path) == removed
    assert path.exists() == (not removed)


def test_a_locked_file_stays_however_old_it_is(tmp_path: Path) -> None:
    path = made(tmp_path, WHOLE, OLD_S)

    with path.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert remove_abandoned(tmp_path) == 0

    assert path.exists()


@pytest.mark.usefixtures("no_locks")
@pytest.mark.parametrize(("age_s", "removed"), [(OLD_S, 1), (YOUNG_S, 0)])
def test_without_locks_the_age_tells(
    tmp_path: Path, age_s: float, removed: int
) -> None:
    made(tmp_path, WHOLE, age_s)

    assert remove_abandoned(tmp_path) == removed


def link(path: Path, stack: ExitStack) -> None:
    path.symlink_to(path.parent)


def folder(path: Path, stack: ExitStack) -> None:
    path.mkdir()
    os.utime(path, (0, 0))


def removed_meanwhile(path: Path, stack: ExitStack) -> None:
    made(path.parent, path.name, OLD_S)

    def gone(*_: object) -> None:
        os.remove(path)  # noqa: PTH107 - unlink() is what is replaced
        raise FileNotFoundError(path)

    patch = stack.enter_context(pytest.MonkeyPatch.context())
    unlink = Path.unlink
    patch.setattr(Path, "unlink", lambda one: gone() if one == path else unlink(one))


@pytest.mark.parametrize("name", [WHOLE, "other"])
@pytest.mark.parametrize("make", [link, folder, removed_meanwhile])
def test_a_file_that_cannot_be_removed_keeps_no_other(
    tmp_path: Path, name: str, make: Callable[[Path, ExitStack], None]
) -> None:
    others = [made(tmp_path, one, OLD_S) for one in ("a-file", "z-file")]

    with ExitStack() as stack:
        make(tmp_path / name, stack)
        assert remove_abandoned(tmp_path) == len(others)

    assert not any(one.exists() for one in others)
