"""Build the WSGI app of each serving process from the apps that it serves."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final

from hvcore.assembly import build
from hvcore.ports.web_apps import WebApp
from hvcore.settings import Settings
from hvcore_reference.flusher_keeper import FlusherKeeper
from hvcore_reference.flushing import packed
from hvcore_reference.plugin_middleware import has_middleware, with_middleware
from hvcore_reference.public_paths import App, by_path
from hvcore_web.plain_requests import FileOpener
from hvcore_web.proxies import PROXIES

DASHBOARD_ROOT: Final = "/dashboard"
MONITORED: Final = frozenset({"/health", "/health/live", "/health/ready"})
"""
The paths that monitors also ask for with HEAD, which other paths do not accept. The server
has separate threads for these paths.
"""


def api_app(settings: Settings, threads: int) -> App:
    """
    Build the WSGI app of the API and the dashboard, within the process that serves it.

    Args:
        threads: The number of threads that may call the app at the same time.

    Raises:
        ConfigError: A configured proxy is not an address or network.
        PluginError: A plugin's route or middleware cannot be used.
    """
    from hvcore_api.app import make_api  # noqa: PLC0415 - other processes need none of it
    from hvcore_checks.reports import InstallationReports  # noqa: PLC0415 - see above
    from hvcore_dashboard.app import make_dashboard  # noqa: PLC0415 - see above
    from hvcore_reference.dry_playback import DryPlaybackJudge  # noqa: PLC0415

    PROXIES.trust(settings.edge.proxies)
    services = build(settings, connections=threads, answers_requests=True)
    app: App = with_middleware(make_api(services), WebApp.API, services)
    if settings.dashboard.enabled:
        dashboard = make_dashboard(
            services,
            installation=InstallationReports(settings),
            judge=DryPlaybackJudge.of(services),
        )
        app = with_dashboard(
            api=app,
            dashboard=with_middleware(dashboard, WebApp.DASHBOARD, services),
        )
    return MonitoredApp(app, MONITORED)


def delivery_app(
    settings: Settings, threads: int, flusher: Callable[[], Sequence[str]]
) -> App:
    """
    Build the WSGI app of delivery, player and uploads, within the process that serves it.

    Args:
        threads: The number of threads that may call the app at the same time.
        flusher: Returns the command of the process that brings counts to the sinks; the process
            gets the settings on its standard input (``flushing.read_settings``).

    Raises:
        ConfigError: The folder of the counts, or a configured proxy, cannot be used.
        PluginError: A plugin's middleware cannot be used.
    """
    from hvcore_delivery.app import make_app as make_delivery  # noqa: PLC0415 - see above
    from hvcore_delivery.published import PublishedFileOpener  # noqa: PLC0415
    from hvcore_edge.app import make_app as make_edge  # noqa: PLC0415
    from hvcore_edge.renewals import Renewals  # noqa: PLC0415
    from hvcore_notify.app import make_app as make_notify  # noqa: PLC0415
    from hvcore_player.app import make_app as make_player  # noqa: PLC0415
    from hvcore_upload.app import make_app as make_upload  # noqa: PLC0415

    PROXIES.trust(settings.edge.proxies)
    services = build(settings, connections=threads, answers_requests=True)
    packed_settings = packed(settings)
    FlusherKeeper(services.spool_dir, services.spool, flusher, packed_settings).start()
    app = by_path(
        upload=with_middleware(make_upload(services), WebApp.UPLOAD, services),
        edge=make_edge(services),
        notify=make_notify(services) if settings.notify.is_open else None,
        player=with_middleware(make_player(services), WebApp.PLAYER, services),
        delivery=with_middleware(make_delivery(services), WebApp.DELIVERY, services),
    )
    files = PublishedFileOpener.of(services, Renewals.of(services).open)
    # What a worker answers without the apps, the middleware would not see.
    is_wrapped = has_middleware(frozenset({WebApp.DELIVERY, WebApp.PLAYER}), services)
    return AppWithFiles(app, None if is_wrapped else files)


class AppWithFiles:
    """
    A WSGI app with an opener of files, by which a server answers file requests without the app.

    Attributes:
        files: Decides about requests for files; None where decisions take too long for that.
        monitored: The paths with which monitors check the process.
    """

    def __init__(self, app: App, files: FileOpener | None) -> None:
        self._app = app
        self.files = files
        self.monitored = MONITORED

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        """Answer a request by the wrapped app."""
        return self._app(environ, start_response)


class MonitoredApp:
    """
    A WSGI app that answers HEAD like GET, without the body, at the paths that monitors ask for.

    Attributes:
        monitored: The paths that monitors ask for.
    """

    def __init__(self, app: App, monitored: Collection[str]) -> None:
        self._app = app
        self.monitored = monitored

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        """Answer a request by the wrapped app; HEAD of a monitored path like GET, without the body."""
        is_head = environ["REQUEST_METHOD"] == "HEAD"
        if not is_head or environ["PATH_INFO"] not in self.monitored:
            return self._app(environ, start_response)
        body = self._app({**environ, "REQUEST_METHOD": "GET"}, start_response)
        close = getattr(body, "close", None)
        if close is not None:
            close()
        return []


def with_dashboard(*, api: App, dashboard: App) -> App:
    """
    Return an app that hands requests for pages to the dashboard, and all others to the API.

    Neither app sees a request of the other: no API key opens a page, and no session the API.
    """

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        path = environ["PATH_INFO"]
        is_page = path == DASHBOARD_ROOT or path.startswith(f"{DASHBOARD_ROOT}/")
        return (dashboard if is_page else api)(environ, start_response)

    return app
