"""Wrap the service's WSGI apps in the middleware that plugins add."""

from typing import cast

from hvcore.assembly import Services
from hvcore.errors import PluginError
from hvcore.ports.web_apps import WebApp
from hvcore_reference.public_paths import App


def with_middleware(app: App, which: WebApp, services: Services) -> App:
    """
    Return a WSGI app wrapped in all middleware that plugins add for it.

    Args:
        which: The name under which plugins add middleware for the app.

    Raises:
        PluginError: A plugin's middleware returns no app.
    """
    # The first is outermost, so it is put around last.
    for made in reversed(services.middleware):
        if which not in made.apps:
            continue
        around = made.put_around(app)
        if not callable(around):
            raise PluginError(
                f"The middleware {made.name!r} makes {type(around).__name__} of the "
                f"app {which.value}, and not an app. Fix its plugin, or name that in "
                "plugin.disabled."
            )
        app = cast(App, around)
    return app


def has_middleware(apps: frozenset[WebApp], services: Services) -> bool:
    """Return whether plugins add middleware for one of the named apps."""
    return any(made.apps & apps for made in services.middleware)
