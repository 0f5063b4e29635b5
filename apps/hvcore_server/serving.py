"""
Serve a WSGI app with gunicorn, set up by this program and not by a file.

The app is built in the worker, after the fork: a database connection must
never cross one. The arbiter does nothing but start workers again.
"""

import logging
import os
import sys
from collections.abc import Callable, Mapping
from math import ceil
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit
from typing import Any, Final

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.glogging import Logger

from hvcore.errors import HvcoreError
from hvcore.processes import heartbeat
from hvcore.processes.child_launcher import SHORT_SLICE_NS, die_with_parent, run_for
from hvcore.settings.shares import ShareSettings
from hvcore.spool import InDoubt
from hvcore_server.arriving_request import MAX_LINE_BYTES
from hvcore_server.freed_memory import give_freed_memory_back
from hvcore_server.listening import BACKLOG
from hvcore_server.stopping import FINISHES_WITHIN_S
from hvcore_server.thread_lanes import MONITOR_THREADS

_log = logging.getLogger(__name__)

OTHER_FILES: Final = 256
"""
The open files of a server besides connections and the files that are sent on them:
databases, logs, and files of threads.
"""

WsgiApp = Callable[..., Any]
DEFAULT_SHARES: Final = ShareSettings()


def most_threads(threads: int, shares: ShareSettings) -> int:
    """
    Return the most threads that may call the app of one process at the same time.

    Args:
        threads: The number of threads that ``serve`` is given.
    """
    # One more: the loop opens files itself.
    return threads + shares.threads_reserved + MONITOR_THREADS + 1


def serve(  # noqa: PLR0913 - what differs between servers
    make_app: Callable[[], WsgiApp],
    *,
    name: str,
    listener: int,
    workers: int,
    threads: int,
    takes_files: bool,
    shares: ShareSettings = DEFAULT_SHARES,
    shutdown_delay_s: float = 0,
) -> None:
    """
    Serve a WSGI app until SIGTERM; running requests are finished.

    Args:
        make_app: Makes the app; called once in every worker process.
        name: The process's name in process lists.
        listener: The descriptor of the listening socket.
        workers: The number of worker processes.
        threads: The threads for clients that have one already; further threads are
            reserved for clients that have none.
        takes_files: Whether a request's body may take long.
        shutdown_delay_s: The seconds for which requests are still taken after SIGTERM, while
            ``/health/ready`` says that requests are to be sent elsewhere.
    """
    kind = "file_loop.worker.DeliveryWorker" if takes_files else "deadlines.ApiWorker"
    own = {
        **SETTINGS,
        "proc_name": name,
        "bind": f"fd://{listener}",
        "workers": workers,
        "threads": threads + shares.threads_reserved,
        "worker_class": f"hvcore_server.{kind}",
        # The arbiter counts from SIGTERM on, its workers from the end of the delay.
        "graceful_timeout": ceil(shutdown_delay_s) + FINISHES_WITHIN_S,
    }
    arbiter = os.getpid()
    try:
        _Server(make_app, own, shares, shutdown_delay_s).run()
    except SystemExit as exc:
        # An app that cannot be built; it is said why. A worker, which ends here
        # too, tells its arbiter so by this status: any other starts it again.
        if exc.code == Arbiter.APP_LOAD_ERROR and os.getpid() == arbiter:
            sys.exit(1)
        raise


class _Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """Gunicorn with our settings."""

    def __init__(
        self,
        make_app: Callable[[], WsgiApp],
        settings: Mapping[str, object],
        shares: ShareSettings = DEFAULT_SHARES,
        shutdown_delay_s: float = 0,
    ) -> None:
        # Its worker asks for them.
        self.shares = shares
        self.shutdown_delay_s = shutdown_delay_s
        self._make_app = make_app
        self._settings = settings
        self._doubts = _Doubts()
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn's settings, with fewer connections if few files may be open."""
        for name, value in self._settings.items():
            self.cfg.set(name, value)
        # Made once: this is called again at SIGHUP.
        self.cfg.set("pre_fork", self._doubts.before_fork)
        self.cfg.set("child_exit", self._doubts.after_exit)
        allowed = _allow_files(2 * self.cfg.worker_connections + OTHER_FILES)
        most = max(1, (allowed - OTHER_FILES) // 2)
        if most < self.cfg.worker_connections:
            _log.warning(
                "few files may be open, so fewer connections are taken; raise "
                "the hard limit (LimitNOFILE, ulimit -Hn)",
                extra={"hv_open_files": allowed, "hv_connections": most},
            )
            self.cfg.set("worker_connections", most)

    def run(self) -> None:
        """Serve until SIGTERM, with a heartbeat."""
        _BeatingArbiter(self).run()

    def load(self) -> WsgiApp:
        """Build and return the app; called in the worker."""
        try:
            return self._make_app()
        except HvcoreError as exc:
            # What an operator can fix needs no traceback.
            _log.critical("%s", exc)
            sys.exit(Arbiter.APP_LOAD_ERROR)


class _BeatingArbiter(Arbiter):  # type: ignore[misc]  # gunicorn has no types
    """Gunicorn's arbiter, with a heartbeat."""

    def murder_workers(self) -> None:
        """Kill workers that hang, and report that this process is alive; called about once a second."""
        heartbeat.beat()
        super().murder_workers()


class _PlainLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """Gunicorn's messages in the log of the process, in its form."""

    def setup(self, cfg: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Pass gunicorn's warnings and errors on to the root logger."""
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True
        # "Booting worker", "Listening at": nothing that an operator acts on.
        self.error_log.setLevel(logging.WARNING)


def _allow_files(wanted: int) -> int:
    # Systems allow 1,024 at first. A process that has no more cannot accept,
    # and ends. A slow reader of a segment takes two, its connection and the file,
    # so that some 500 of them would be enough.
    few, most = getrlimit(RLIMIT_NOFILE)
    if few == RLIM_INFINITY or few >= wanted:
        return wanted
    allowed = wanted if most == RLIM_INFINITY else min(wanted, most)
    setrlimit(RLIMIT_NOFILE, (allowed, most))
    return allowed


def _begin_to_serve(arbiter: Arbiter, worker: Any) -> None:  # noqa: ANN401 - gunicorn's own
    # A worker outlived its killed arbiter for 11 s and kept the port.
    del worker
    die_with_parent(arbiter.pid)
    # Before its threads are started, which run as this one does.
    run_for(SHORT_SLICE_NS)
    give_freed_memory_back()


class _Doubts:
    """Hands the unsent counted segments of a worker to the next worker."""

    def __init__(self) -> None:
        self._left_behind: list[InDoubt] = []

    def before_fork(self, arbiter: Arbiter, worker: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Give a new worker the counted but unsent segments of workers that have ended."""
        del arbiter
        worker.left_behind, self._left_behind = self._left_behind, []
        worker.in_doubt = InDoubt()

    def after_exit(self, arbiter: Arbiter, worker: Any) -> None:  # noqa: ANN401 - gunicorn's own
        """Keep the counted but unsent segments of a worker that has ended."""
        del arbiter
        given = (*worker.left_behind, worker.in_doubt)
        self._left_behind += [one for one in given if one.is_any_left]


def _heartbeat_dir() -> str | None:
    # The heartbeat is a file; on a disk that stalls, workers would be killed.
    memory = Path("/dev/shm")  # noqa: S108 - a folder of the system
    return str(memory) if os.access(memory, os.W_OK) else None


SETTINGS: Final[Mapping[str, object]] = {
    "post_fork": _begin_to_serve,
    "logger_class": _PlainLogger,
    "worker_tmp_dir": _heartbeat_dir(),
    # Two instances of one user collide on it.
    "control_socket_disable": True,
    # Connections, and not threads: those that are silent cost no thread.
    "worker_connections": 1000,
    "backlog": BACKLOG,
    # Of the heartbeat, not of a request: a process that hangs for that long is
    # killed.
    "timeout": 60,
    # hv up waits 5 s for its processes; a large upload is started again.
    "graceful_timeout": FINISHES_WITHIN_S,
    # Longer than the pause between two polls of a player (6 s segments).
    "keepalive": 15,
    "limit_request_line": MAX_LINE_BYTES,
    "limit_request_fields": 64,
    "limit_request_field_size": 8190,
    # Behind a proxy on this machine; a remote client's header is not believed.
    "forwarded_allow_ips": "127.0.0.1,::1",
    # Nor is any client on this machine told to rewrite the path: SCRIPT_NAME
    # gave 500.
    "forwarder_headers": "",
}
"""The settings of gunicorn that differ from its defaults, each with its reason."""
