"""The functions with which ``hvcore.embedding`` runs the service in another program."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Final

from hvcore.assembly import Services
from hvcore.domain.tasks.task import Lane
from hvcore.embedding.web import moved_below
from hvcore.ports.web_apps import WebApp
from hvcore_reference.plugin_middleware import with_middleware
from hvcore_reference.public_paths import App, by_path

API: Final = "/api"
MEDIA: Final = "/media"
"""The path of media files, as in the public addresses that ``hvcore.embedding`` makes."""


def make_web(services: Services) -> App:
    """
    Make one WSGI app of the API, delivery, the player and uploads.

    Raises:
        ConfigError: The folder of the counts cannot be used.
        PluginError: A plugin's route or middleware cannot be used.
    """
    from hvcore_api.app import make_api  # noqa: PLC0415 - a worker needs none of these
    from hvcore_delivery.app import make_app as make_delivery  # noqa: PLC0415
    from hvcore_player.app import make_app as make_player  # noqa: PLC0415
    from hvcore_upload.app import make_app as make_upload  # noqa: PLC0415

    services.flusher.prepare()
    media = by_path(
        upload=with_middleware(make_upload(services), WebApp.UPLOAD, services),
        player=with_middleware(make_player(services), WebApp.PLAYER, services),
        delivery=with_middleware(make_delivery(services), WebApp.DELIVERY, services),
    )
    api = with_middleware(make_api(services), WebApp.API, services)

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        moved = moved_below(environ, MEDIA)
        if moved is not None:
            return media(moved, start_response)
        # What is neither, the API says that it is not there.
        return api(moved_below(environ, API) or environ, start_response)

    return app


def work(
    make: Callable[[Path | None], Services],
    *,
    data_dir: Path,
    lanes: Sequence[Lane],
    stopping: Callable[[], bool] | None,
) -> None:
    """
    Run a worker of the task queue until told to stop; see ``hvcore_worker.consume``.

    Args:
        make: Makes the services, with a folder for temporary files.
        lanes: The lanes of the queue from which the worker takes tasks.
        stopping: Returns whether the worker is to stop; None if only signals stop it.
    """
    from hvcore_worker.consume import work_until  # noqa: PLC0415 - see above
    from hvcore_worker.database_heartbeat import beating  # noqa: PLC0415 - see above

    with _asked(stopping) as asked, beating(partial(make, None), "embedded worker"):
        work_until(asked, make, data_dir=data_dir, lanes=lanes)


def sweep(
    make: Callable[[Path | None], Services],
    *,
    data_dir: Path,
    lanes: Sequence[Lane],
    stopping: Callable[[], bool] | None,
) -> None:
    """
    Run the periodic sweep of tasks, and this machine's flusher of counts, until told to stop.

    Args:
        make: Makes the services; takes a folder for temporary files, or None.
        data_dir: Not used; workers are started with it.
        lanes: Not used; workers are started with them.
        stopping: Returns whether to stop; None stops at SIGTERM and SIGINT.
    """
    from hvcore_worker.database_heartbeat import beating  # noqa: PLC0415 - see above
    from hvcore_worker.sweep import sweep_until  # noqa: PLC0415 - see above

    del data_dir, lanes  # a worker's
    with (
        _asked(stopping) as asked,
        beating(partial(make, None), "embedded sweep"),
        make(None) as services,
    ):
        services.flusher.prepare()
        sweep_until(asked, services, services.flusher.run_once)


def _asked(
    stopping: Callable[[], bool] | None,
) -> AbstractContextManager[Callable[[], bool]]:
    from hvcore_worker.stopping import Stopping  # noqa: PLC0415 - see above

    return Stopping() if stopping is None else nullcontext(stopping)
