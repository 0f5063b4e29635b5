"""Choose the app (delivery, player, upload, edge or notify) that answers a path."""

from collections.abc import Callable, Iterable
from typing import Any, Final

App = Callable[..., Iterable[bytes]]

UPLOAD_PREFIXES: Final = ("/upload/", "/uploads/")
EDGE_PREFIX: Final = "/v1/edge/"
NOTIFY_PREFIX: Final = "/notify/"
PLAYER_PREFIXES: Final = ("/v1/embed/", "/v1/player/", "/v1/watch/", "/v1/ek_")
PLAYER_PATHS: Final = frozenset({"/", "/docs", "/oembed"})


def by_path(
    *,
    upload: App,
    player: App,
    delivery: App,
    edge: App | None = None,
    notify: App | None = None,
) -> App:
    """Return a WSGI app that hands each request to the app that serves its path."""

    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        path = environ["PATH_INFO"]
        if path.startswith(UPLOAD_PREFIXES):
            return upload(environ, start_response)
        if edge is not None and path.startswith(EDGE_PREFIX):
            return edge(environ, start_response)
        if notify is not None and path.startswith(NOTIFY_PREFIX):
            return notify(environ, start_response)
        if path.startswith(PLAYER_PREFIXES) or path in PLAYER_PATHS:
            return player(environ, start_response)
        return delivery(environ, start_response)

    return app
