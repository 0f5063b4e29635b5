"""
Find the leftovers of a test in the process and outside its folder, such as threads and files.

Descriptors, threads, children and files cost a service that runs for months; a working
directory, a signal handler or a variable that is changed belongs to somebody else.
"""

import gc
import locale
import multiprocessing
import os
import signal
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias

Found: TypeAlias = Mapping[Hashable, str]
"""Open things of a process by their identity, each with words that describe it."""

GROWS_IN: Final = 3
"""The number of tests that must have left open things of a kind before these count as a leak."""
GROWS_BY: Final = 16
"""The number of things that must be open, of all these tests together."""
_PYTESTS_OWN: Final = "PYTEST_"
_DESCRIPTORS: Final = (Path("/proc/self/fd"), Path("/dev/fd"))
_CACHES: Final = ("__pycache__", ".pytest_cache", ".hypothesis", ".coverage")
_UNLIKE: Final = object()


class LeftoverWatch:
    """
    Records the open things of a process, and finds those that are new after a test.

    Args:
        given: The folder that contains the folders of all tests.
    """

    def __init__(self, given: Path) -> None:
        self._given = given
        self._created = created_files()
        self._created.clear()
        self._before = {kind: look() for kind, look in _LOOKS.items()}
        self._environment = dict(os.environ)
        self._handlers = _handlers()
        self._folder = _folder()

    def expect_undone(self, undo: Callable[[], None]) -> None:
        """
        Call a function that undoes what a fixture changed, and expect the process as it leaves it.

        The fixture may have changed variables and the working directory before the watch
        began.
        """
        variables, folder = dict(os.environ), _folder()
        undo()
        for name in os.environ.keys() | variables.keys():
            value = os.environ.get(name)
            if value == variables.get(name):
                continue
            self._environment.pop(name, None)
            if value is not None:
                self._environment[name] = value
        if _folder() != folder:
            self._folder = _folder()

    def left(
        self, *, without: Collection[str] = (), not_in: Collection[Path] = ()
    ) -> Mapping[str, Found]:
        """
        Return the leftovers of a test by kind, after a moment in which threads and children may end.

        Args:
            without: Kinds of things that the test may leave behind.
            not_in: Folders whose open files belong to other tests.
        """
        new = self._new(without, not_in)
        if new:
            gc.collect()
            began = time.monotonic()
            while new := self._new(without, not_in):
                limit_s = max(_ENDING.get(kind, 0.0) for kind in new)
                if time.monotonic() > began + limit_s:
                    break
                time.sleep(0.01)
        return new

    def restore(self) -> None:
        """Restore the working directory, environment variables and signal handlers, so that only one test is blamed."""
        if _folder() != self._folder:
            os.chdir(self._folder)
        for name in os.environ.keys() - self._environment.keys():
            if not name.startswith(_PYTESTS_OWN):
                del os.environ[name]
        for name, value in self._environment.items():
            if not name.startswith(_PYTESTS_OWN):
                os.environ[name] = value
        for number, handler in _handlers().items():
            before = self._handlers[number]
            if handler is not before and before is not None:
                signal.signal(number, before)

    def _new(
        self, without: Collection[str], not_in: Collection[Path]
    ) -> Mapping[str, Found]:
        new: dict[str, Found] = {
            kind: {
                key: words
                for key, words in look().items()
                if key not in self._before[kind]
            }
            for kind, look in _LOOKS.items()
        }
        new["open files"] = {
            key: words
            for key, words in new["open files"].items()
            if not any(f"({folder}/" in words for folder in not_in)
        }
        new["variables"] = {
            name: name
            for name in os.environ.keys() | self._environment.keys()
            if os.environ.get(name) != self._environment.get(name)
            and not name.startswith(_PYTESTS_OWN)
        }
        new["files"] = {
            # Other threads may make files meanwhile.
            file: str(file)
            for file in tuple(self._created)
            if self._is_beside(file)
        }
        return {
            kind: found for kind, found in new.items() if found and kind not in without
        }

    def _is_beside(self, file: Path) -> bool:
        if not os.path.lexists(file) or any(one in str(file) for one in _CACHES):
            return False
        if sys.pycache_prefix and Path(sys.pycache_prefix) in file.parents:
            return False
        if self._given not in file.parents:
            return True
        # In the given folder itself, pytest makes the folders of tests.
        return file.parent == self._given and not file.is_dir()


class Growth:
    """
    Tells a leak, which grows with each test, from things that a process opens once.

    Sockets, pipes and threads may be new after one test, and stay. If they grow with
    every test, they are left over. Things that have ended since do not count, such as
    the connections of a pool that closes them when they are idle.
    """

    def __init__(self) -> None:
        self._left_by: dict[tuple[object, str], list[set[Hashable]]] = {}

    def is_leak(self, owner: object, kind: str, found: Found) -> bool:
        """Record the leftovers of one test; return whether the tests of an owner keep leaving more of a kind."""
        still_open = _LOOKS[kind]().keys()
        tests = [*self._left_by.get((owner, kind), ()), set(found)]
        left_by = [left & still_open for left in tests]
        self._left_by[owner, kind] = [left for left in left_by if left]
        left_things = set().union(*left_by)
        return (
            len(self._left_by[owner, kind]) >= GROWS_IN and len(left_things) >= GROWS_BY
        )


def open_things() -> Found:
    """Return the open descriptors, threads and children of this process."""
    gc.collect()
    return {
        (kind, key): words
        for kind in ("open files", "descriptors", "threads", "children")
        for key, words in _LOOKS[kind]().items()
    }


def _folder() -> str:
    with suppress(OSError):
        return os.getcwd()  # noqa: PTH109 - as the process has it
    return ""


def _open_files() -> Found:
    return {key: words for key, words, is_file in _descriptors() if is_file}


def _other_descriptors() -> Found:
    return {key: words for key, words, is_file in _descriptors() if not is_file}


def _descriptors() -> Iterable[tuple[Hashable, str, bool]]:
    folder = next((one for one in _DESCRIPTORS if one.is_dir()), None)
    for number in [int(one.name) for one in folder.iterdir()] if folder else ():
        # The one that lists them is closed by now.
        with suppress(OSError):
            found = os.fstat(number)
            is_file = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
            key = (number, found.st_dev, found.st_ino)
            yield key, f"descriptor {number} ({_target(number)})", is_file


def _target(number: int) -> str:
    with suppress(OSError):
        return str(Path(f"/proc/self/fd/{number}").readlink())
    return "of which this system tells no more"


def _threads() -> Found:
    return {one.ident: f"thread {one.name}" for one in threading.enumerate()}


def _children() -> Found:
    pids = {one.pid for one in multiprocessing.active_children()}
    for file in Path("/proc/self/task").glob("*/children"):
        # A thread may have ended.
        with suppress(OSError):
            pids |= set(map(int, file.read_text().split()))
    return {pid: f"process {pid} ({_command(pid)})" for pid in pids - _of_python()}


def _command(pid: int | None) -> str:
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return words[0].decode(errors="replace") or "ended, and nobody waited for it"
    return "a child"


def _of_python() -> set[int | None]:
    """Return the helper processes that multiprocessing keeps for itself."""
    from multiprocessing import forkserver, resource_tracker  # noqa: PLC0415 - if needed

    return {
        getattr(getattr(resource_tracker, "_resource_tracker", None), "_pid", None),
        getattr(getattr(forkserver, "_forkserver", None), "_forkserver_pid", None),
    }


def _handlers() -> dict[int, Any]:
    return {number: signal.getsignal(number) for number in signal.valid_signals()}


def _signals() -> Found:
    return {
        (number, id(handler)): f"{signal.Signals(number).name} (now {handler!r})"
        for number, handler in _handlers().items()
        if number in set(signal.Signals)
    }


def _directory() -> Found:
    folder = _folder()
    return {folder: folder}


def _settings() -> Found:
    values: Mapping[str, Hashable] = {
        "the locale": locale.setlocale(locale.LC_ALL),
        "the time zone": time.tzname,
        "the umask": _umask(),
        "the time limit of sockets": socket.getdefaulttimeout(),
        "the path of modules": tuple(sys.path),
        "the hook of uncaught errors": id(sys.excepthook),
        "the hook of threads' errors": id(threading.excepthook),
        "the limit of recursion": sys.getrecursionlimit(),
        "the collection of garbage": gc.isenabled(),
    }
    return {(name, value): name for name, value in values.items()}


def _umask() -> str:
    # To ask Python for it changes it, for all threads.
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("Umask"):
                return line
    return ""


_LOOKS: Final[Mapping[str, Callable[[], Found]]] = MappingProxyType(
    {
        "open files": _open_files,
        "descriptors": _other_descriptors,
        "threads": _threads,
        "children": _children,
        "directory": _directory,
        "signals": _signals,
        "settings": _settings,
    }
)
KINDS: Final = (*_LOOKS, "variables", "files")
MAY_GROW_ONCE: Final = ("descriptors", "threads")
_ENDING: Final = MappingProxyType(
    {"open files": 1.0, "children": 1.0, "descriptors": 0.2, "threads": 0.2}
)
"""The seconds that a thing of each kind may take to end after it was told to."""

_CREATED: Final = set[Path]()
_HOOKED: Final = list[object]()


def created_files() -> set[Path]:
    """Return the set of files and folders that this process creates, which goes on growing."""
    if not _HOOKED:
        _HOOKED.append(_UNLIKE)
        # For good; it costs a look at each file that is made.
        sys.addaudithook(_note_created)
    return _CREATED


def _note_created(event: str, args: tuple[Any, ...]) -> None:
    made = _MADE_BY[event](args) if event in _MADE_BY else None
    if not isinstance(made, str | bytes | os.PathLike):
        return
    with suppress(OSError, TypeError, ValueError):
        # As it is now: the working directory may change.
        path = Path(os.path.abspath(os.fsdecode(made)))  # noqa: PTH100
        if not os.path.lexists(path):
            _CREATED.add(path)


def _opened(args: tuple[Any, ...]) -> object:
    path, _, flags = args
    return path if isinstance(flags, int) and flags & os.O_CREAT else None


_MADE_BY: Final[Mapping[str, Callable[[tuple[Any, ...]], object]]] = MappingProxyType(
    {
        "open": _opened,
        "os.mkdir": lambda args: args[0],
        "os.rename": lambda args: args[1],
        "os.link": lambda args: args[1],
        "os.symlink": lambda args: args[1],
        "sqlite3.connect": lambda args: args[0],
    }
)
