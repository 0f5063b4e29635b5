"""
The WSGI app of each process, by the address it serves.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from hvcore.assembly import build
from hvcore.settings import Settings

App = Callable[..., Iterable[bytes]]

UPLOAD_PREFIX: Final = "/upload/"
PLAYER_PREFIXES: Final = ("/v1/embed/", "/v1/player/")


def api_app(settings: Settings) -> App:
    """
    Build the API; call it in the process that serves it.
    """
    from hv_api.app import make_api  # noqa: PLC0415 - other processes need none of it

    return make_api(build(settings))


def delivery_app(settings: Settings) -> App:
    """
    Build delivery, player and uploads; call it in the process that serves them.
    """
    from hv_delivery.app import make_app as make_delivery  # noqa: PLC0415 - see above
    from hv_player.app import make_app as make_player  # noqa: PLC0415
    from hv_upload.app import make_app as make_upload  # noqa: PLC0415

    services = build(settings)
    return by_path(
        upload=make_upload(services),
        player=make_player(services),
        delivery=make_delivery(services),
    )


def by_path(*, upload: App, player: App, delivery: App) -> App:
    """
    Hand each request to the app whose address it names.
    """

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        path = environ["PATH_INFO"]
        if path.startswith(UPLOAD_PREFIX):
            return upload(environ, start_response)
        if path.startswith(PLAYER_PREFIXES):
            return player(environ, start_response)
        return delivery(environ, start_response)

    return app
