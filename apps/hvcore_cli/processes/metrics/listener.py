"""An HTTP server for the metrics of all processes of this machine."""

import logging
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import gettempdir
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from hvcore.assembly import Services, build
from hvcore.errors import HvcoreError
from hvcore.metrics.measuring import folder_of
from hvcore.metrics.process_files import join_ended
from hvcore.services.tasks.workload import Workload
from hvcore.settings import Settings
from hvcore_cli.processes.metrics.sampled import Sampled
from hvcore_cli.processes.metrics.samples import SampleCollector, room_of
from hvcore_cli.processes.served_apps import ServedApp, is_ready, served_apps
from hvcore_edge.config import storage_folder

TRY_EVERY_S: Final = 5.0
CLIENT_WITHIN_S: Final = 5.0
_PINGS: Final[Mapping[str, Callable[[Services], None]]] = {
    "database": lambda of: of.uow.ping(),
    "storage": lambda of: of.storage.ping(),
    "queue": lambda of: of.queue.ping(),
}
"""The checks of a machine's dependencies, by their names in ``GET /health``."""

_log = logging.getLogger(__name__)


class MetricsPage:
    """The metrics of this machine as the text that Prometheus reads; thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = folder_of(settings.data_dir)
        self._lock = threading.Lock()
        self._apps: dict[ServedApp, Sampled[bool]] = {}
        self._registry = CollectorRegistry()
        self._registry.register(
            SampleCollector(
                workload=Sampled(self._ask),
                spool_dir=spool_of(settings),
                dependencies={
                    name: Sampled(partial(self._answers, ping))
                    for name, ping in _PINGS.items()
                },
                apps=self._servers,
                disks={
                    name: Sampled(partial(room_of, folder))
                    for name, folder in folders_of(settings).items()
                },
            )
        )

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        with self._lock:
            # Without a folder there is nothing to add up, and the rest is still true.
            self._folder.mkdir(parents=True, exist_ok=True)
            join_ended(self._folder)
            counted = CollectorRegistry()
            MultiProcessCollector(counted, path=str(self._folder))  # type: ignore[no-untyped-call]
            return generate_latest(counted) + generate_latest(self._registry)

    def _servers(self) -> Sequence[tuple[str, Sampled[bool]]]:
        found = served_apps(self._folder)
        self._apps = {
            app: self._apps.get(app) or Sampled(partial(is_ready, app)) for app in found
        }
        return [(app.name, asked) for app, asked in self._apps.items()]

    def _ask(self) -> Workload:
        # Made anew each time: a database that was away is asked as if it never was.
        with build(self._settings, rings=False) as services:
            return services.workload()

    def _answers(self, ping: Callable[[Services], None]) -> bool:
        try:
            with build(self._settings, rings=False) as services:
                ping(services)
        except (HvcoreError, OSError) as error:
            _log.info("does not answer", extra={"hv_why": str(error)})
            return False
        except Exception:  # noqa: BLE001 - of any backend; it does not answer
            _log.exception("a bug keeps a dependency from answering")
            return False
        return True


def spool_of(settings: Settings) -> Path:
    """Return the folder in which served segments of this machine wait for the analytics sinks."""
    return settings.data_dir / (settings.analytics.spool_dir or "spool")


def folders_of(settings: Settings) -> Mapping[str, Path]:
    """
    Return the folders of this machine whose free disk space is measured, by their purpose.

    The purposes are ``data``, ``temporary``, ``edge`` and ``storage``.
    """
    folders = {"data": settings.data_dir, "temporary": Path(gettempdir())}
    if settings.edge.listen:
        folders["edge"] = settings.data_dir / (settings.edge.folder or "edge")
    storage = storage_folder(settings)
    return folders if storage is None else {**folders, "storage": storage}


class MetricsServer(ThreadingHTTPServer):
    """
    An HTTP server that answers ``GET /metrics``.

    Raises:
        OSError: The address is in use, or is none of this machine.
    """

    daemon_threads = True

    def __init__(self, settings: Settings) -> None:
        self.page = MetricsPage(settings)
        host, port = settings.metrics.address
        if ":" in host:
            self.address_family = socket.AF_INET6
        super().__init__((host, port), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Log that a connection broke off, or that a bug ended a request."""
        del request, client_address
        _log.info("metrics not sent", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    timeout = CLIENT_WITHIN_S
    server: MetricsServer

    def do_GET(self) -> None:
        """Answer ``/metrics`` with the metrics, and other paths with 404."""
        if self.path.partition("?")[0] != "/metrics":
            self._answer(404, b"The metrics are at /metrics.\n")
            return
        try:
            text = self.server.page.text()
        except Exception:  # noqa: BLE001 - of any process's file; the next may be read
            _log.exception("metrics not read")
            self._answer(500, b"The metrics cannot be read; see the log.\n")
            return
        self._answer(200, text)

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        kind = CONTENT_TYPE_LATEST if status == 200 else "text/plain; charset=utf-8"  # noqa: PLR2004 - HTTP's
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's
        """Log nothing: Prometheus asks every few seconds."""


def serve_in_thread(settings: Settings) -> None:
    """Serve the metrics from a thread; while another process has the port, wait to take over."""
    threading.Thread(
        target=_serve_or_wait, args=(settings,), name="metrics", daemon=True
    ).start()


def _serve_or_wait(settings: Settings) -> None:
    while True:
        try:
            server = MetricsServer(settings)
        except OSError as exc:
            _log.debug("metrics are served by another", extra={"hv_why": exc.strerror})
            time.sleep(TRY_EVERY_S)
            continue
        with server:
            server.serve_forever()
