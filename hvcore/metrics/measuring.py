"""
Record measurements; errors here never reach the code that is measured.

The Prometheus client library is loaded at the first measurement, which must come after a fork.
"""

import logging
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from hvcore.processes.fork_lock import ForkLock

if TYPE_CHECKING:
    from prometheus_client import Counter, Histogram

NOTED_APPS: Final = "app"
"""The ending of notes of servers, in the same folder (hvcore_cli.processes.served_apps)."""
PAUSE_S: Final = 60.0
"""After a failure, such as a disk that is full."""

_log = logging.getLogger(__name__)


@attrs.define
class _State:
    """Whether this process measures, and where."""

    is_on: bool = False
    folder: Path | None = None
    paused_until_s: float = 0.0
    lock: ForkLock = attrs.field(factory=ForkLock)


_state: Final = _State()
_is_silent: Final = ContextVar("hv_is_silent", default=False)


def folder_of(data_dir: Path) -> Path:
    """
    Return the folder into which the processes of this machine write their metrics.

    Each machine has its own folder: machines that share a data folder have equal process numbers.
    """
    return data_dir / "run" / "metrics" / socket.gethostname()


def forget_all(folder: Path) -> None:
    """Remove all metrics files from a folder, as far as possible; no process that writes there may run."""
    with suppress(OSError):
        for path in (*folder.glob("*.db"), *folder.glob(f"*.{NOTED_APPS}")):
            path.unlink(missing_ok=True)


def switch_on() -> None:
    """Measure into the Prometheus client library's own registry, as the program has set it up."""
    _state.is_on = True


def write_to(folder: Path) -> None:
    """
    Measure into files in a folder that all processes of the machine share.

    If the folder cannot be made, nothing is measured.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        _log.warning("nothing is measured", extra={"hv_why": exc.strerror})
        return
    # The library's own setting; it reads it when it is loaded and when it writes.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    _state.folder, _state.is_on = folder, True


@contextmanager
def unmeasured() -> Iterator[None]:
    """Within the block, measure nothing that this thread does."""
    before = _is_silent.set(True)
    try:
        yield
    finally:
        _is_silent.reset(before)


@attrs.define(eq=False)
class _Instrument:
    """
    A metric of this process, made when it is first used; thread-safe.

    Attributes:
        name: With its unit, as Prometheus has it.
        labels: The names of its labels; none has many values.
    """

    name: str
    help: str
    labels: tuple[str, ...] = ()
    _children: dict[tuple[str, ...], Any] = attrs.field(factory=dict, init=False)
    _made: Any = attrs.field(default=None, init=False)

    def _use(self, values: tuple[str, ...], use: Callable[[Any], None]) -> None:
        if not _state.is_on or _is_silent.get():
            return
        try:
            use(self._children.get(values) or self._child(values))
        except Exception as error:  # noqa: BLE001 - whatever it is, the service goes on
            _give_in(error)

    def _child(self, values: tuple[str, ...]) -> Any:  # noqa: ANN401 - the library's
        if time.monotonic() < _state.paused_until_s:
            return _NOTHING
        with _state.lock.held():
            if self._made is None:
                _prepare()
                self._made = self._make()
            child = self._made.labels(*values) if self.labels else self._made
            self._children[values] = child
        return child

    def _make(self) -> Any:  # noqa: ANN401 - the library's
        raise NotImplementedError


@attrs.define(eq=False)
class CounterOf(_Instrument):
    """A counter metric: a number that only grows."""

    kind = "counter"

    def add(self, *values: str, amount: float = 1.0) -> None:
        """Add to the counter, under the given values of its labels."""
        self._use(values, lambda child: child.inc(amount))

    def _make(self) -> "Counter":
        from prometheus_client import Counter  # noqa: PLC0415 - see the module

        return Counter(self.name, self.help, self.labels)


@attrs.define(eq=False)
class HistogramOf(_Instrument):
    """A histogram metric, which counts values in buckets by their size."""

    buckets: Sequence[float] = ()
    kind = "histogram"

    def observe(self, *values: str, amount: float) -> None:
        """Count a value in the histogram, under the given values of its labels."""
        self._use(values, lambda child: child.observe(amount))

    def _make(self) -> "Histogram":
        from prometheus_client import Histogram  # noqa: PLC0415 - see the module

        return Histogram(self.name, self.help, self.labels, buckets=self.buckets)


@attrs.frozen
class GaugeOf:
    """A gauge metric: a number that can rise and fall, read at the moment when the metrics are served."""

    name: str
    help: str
    labels: tuple[str, ...] = ()
    kind = "gauge"


class _Nothing:
    def inc(self, amount: float) -> None:
        """Count nothing."""

    def observe(self, amount: float) -> None:
        """Take note of nothing."""


_NOTHING: Final = _Nothing()


def _prepare() -> None:
    if _state.folder is not None:
        from hvcore.metrics.process_files import use_files  # noqa: PLC0415 - see above

        use_files()


def _give_in(error: Exception) -> None:
    if time.monotonic() >= _state.paused_until_s:
        _log.warning(
            "not everything is measured",
            extra={"hv_why": f"{type(error).__name__}: {error}"},
        )
    _state.paused_until_s = time.monotonic() + PAUSE_S
