"""
The WSGI app of each process, by the address it serves.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from hv_reference.draining import keep_draining
from hvcore.assembly import build
from hvcore.settings import Settings

App = Callable[..., Iterable[bytes]]

UPLOAD_PREFIXES: Final = ("/upload/", "/uploads/")
PLAYER_PREFIXES: Final = ("/v1/embed/", "/v1/player/", "/v1/watch/", "/v1/ek_")
MONITORED: Final = frozenset({"/health", "/health/live"})
"""Monitors ask for them with HEAD as well, which the interface has nowhere."""


def api_app(settings: Settings) -> App:
    """
    Build the API; call it in the process that serves it.
    """
    from hv_api.app import make_api  # noqa: PLC0415 - other processes need none of it

    return with_heads(make_api(build(settings)), MONITORED)


def delivery_app(settings: Settings) -> App:
    """
    Build delivery, player and uploads; call it in the process that serves them.
    """
    from hv_delivery.app import make_app as make_delivery  # noqa: PLC0415 - see above
    from hv_player.app import make_app as make_player  # noqa: PLC0415
    from hv_upload.app import make_app as make_upload  # noqa: PLC0415

    services = build(settings)
    keep_draining(services.drain)
    return by_path(
        upload=make_upload(services),
        player=make_player(services),
        delivery=make_delivery(services),
    )


def with_heads(app: App, paths: Collection[str]) -> App:
    """
    Answer HEAD like GET at some addresses, without the body.
    """

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        if environ["REQUEST_METHOD"] != "HEAD" or environ["PATH_INFO"] not in paths:
            return app(environ, start_response)
        body = app({**environ, "REQUEST_METHOD": "GET"}, start_response)
        close = getattr(body, "close", None)
        if close is not None:
            close()
        return []

    return answer


def by_path(*, upload: App, player: App, delivery: App) -> App:
    """
    Hand each request to the app whose address it names.
    """

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        path = environ["PATH_INFO"]
        if path.startswith(UPLOAD_PREFIXES):
            return upload(environ, start_response)
        if path.startswith(PLAYER_PREFIXES):
            return player(environ, start_response)
        return delivery(environ, start_response)

    return app
