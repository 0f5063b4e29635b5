"""Serve the app with gunicorn, in one process with some threads."""

import logging
import sqlite3
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter

from hvcore_mediaconvert_local.config import LocalMediaConvertConfig
from hvcore_mediaconvert_local.local_service import LocalMediaConvert
from hvcore_mediaconvert_local.web.app import make_app

_log = logging.getLogger(__name__)

SETTINGS: Final[Mapping[str, object]] = {
    # One: jobs live in its memory, and it is the one that works on them.
    "workers": 1,
    "worker_class": "gthread",
    # Requests take milliseconds, unless a test orders a slow answer.
    "threads": 16,
    "worker_connections": 200,
    "timeout": 120,
    "graceful_timeout": 5,
    "keepalive": 15,
    "limit_request_line": 8190,
    "limit_request_fields": 64,
    "limit_request_field_size": 8190,
    # Nobody is believed about where a request came from.
    "forwarded_allow_ips": "",
    "forwarder_headers": "",
    # Two servers of one user collide on it.
    "control_socket_disable": True,
    "loglevel": "warning",
}
"""The settings of gunicorn that differ from its defaults, each with its reason."""


def serve(
    config: LocalMediaConvertConfig,
    *,
    host: str,
    port: int,
    tell: Callable[[str], None],
) -> None:
    """
    Serve the local MediaConvert until SIGTERM or SIGINT.

    Args:
        port: The port; 0 for any free port.
        tell: Called with the server's address once the server accepts requests.
    """
    shown = f"[{host}]" if ":" in host else host
    LocalMediaConvertServer(config, f"{shown}:{port}", tell).run()


class LocalMediaConvertServer(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """Run gunicorn with SETTINGS and the app of the local MediaConvert."""

    def __init__(
        self, config: LocalMediaConvertConfig, bind: str, tell: Callable[[str], None]
    ) -> None:
        self._config = config
        self._bind = bind
        self._tell = tell
        self._service: LocalMediaConvert | None = None
        super().__init__()

    def load_config(self) -> None:
        """Apply SETTINGS, the address and the callbacks to gunicorn's configuration."""
        for name, value in SETTINGS.items():
            self.cfg.set(name, value)
        self.cfg.set("bind", self._bind)
        self.cfg.set("when_ready", self._when_ready)
        self.cfg.set("worker_exit", self._worker_exit)

    def load(self) -> Any:  # noqa: ANN401 - a WSGI app
        """Return the WSGI app, built in the process that serves, because threads survive no fork."""
        try:
            self._service = LocalMediaConvert(self._config)
        except (OSError, sqlite3.Error) as exc:
            # What the operator can fix needs no traceback.
            _log.critical("%s", exc)
            sys.exit(Arbiter.APP_LOAD_ERROR)
        self._service.start()
        return make_app(self._service)

    def _when_ready(self, arbiter: Any) -> None:  # noqa: ANN401 - gunicorn's own
        (listener,) = arbiter.LISTENERS
        host, port = listener.sock.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        self._tell(f"hv-mediaconvert listens at http://{shown}:{port}")

    def _worker_exit(self, arbiter: Any, worker: Any) -> None:  # noqa: ANN401 - gunicorn's own
        del arbiter, worker
        if self._service is not None:
            self._service.close()
