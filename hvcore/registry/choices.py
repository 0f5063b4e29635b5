"""Read from the settings which backends are chosen, and where their options are."""

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from hvcore.domain.processing.routes import read_route
from hvcore.ports.sign_in import LINK_BACKEND
from hvcore.registry.kinds import options_path
from hvcore.settings import Settings


@attrs.frozen(kw_only=True)
class Choice:
    """
    A backend that the settings choose, with its options.

    Attributes:
        options: The options as the settings have them.
        path: The dotted setting below which the options are.
    """

    kind: str
    name: str
    options: Any = attrs.field(factory=dict, repr=False)
    path: str


def choices(settings: Settings, kind: str) -> Sequence[Choice]:
    """Return the backends of a kind that the settings choose, in their order."""
    if kind == "transcoder":
        return list(_transcoders(settings))
    if kind == "transcriber" and not settings.transcriber.backend:
        return []
    return [
        Choice(kind=kind, name=name, options=options, path=options_path(kind, name))
        for name, options in _named(settings, kind)
    ]


def added(settings: Settings, kind: str, name: str) -> Choice:
    """Return a plugin's addition (which needs no choice, only the installed plugin) as a choice, with its options."""
    return Choice(
        kind=kind,
        name=name,
        options=settings.plugin.options.get(name, {}),
        path=options_path(kind, name),
    )


def further_transcoder(settings: Settings, name: str) -> Choice:
    """Return the choice of a transcoder by name, with its options, beside the one that the settings choose."""
    return Choice(
        kind="transcoder",
        name=name,
        options=settings.transcoder.further.get(name, {}),
        path=f"transcoder.further.{name}",
    )


def _transcoders(settings: Settings) -> Iterator[Choice]:
    """Yield the usual one first."""
    chosen = settings.transcoder
    yield Choice(
        kind="transcoder",
        name=chosen.backend,
        options=chosen.options,
        path="transcoder.options",
    )
    routed = dict.fromkeys(read_route(text).transcoder for text in chosen.routes)
    for name in routed:
        if name != chosen.backend:
            yield further_transcoder(settings, name)


def _named(settings: Settings, kind: str) -> Iterator[tuple[str, Any]]:
    limits, sign_in = settings.limits, settings.sign_in
    one = {
        "storage": (settings.storage.backend, settings.storage.options),
        "transcriber": (settings.transcriber.backend, settings.transcriber.options),
        "queue": (settings.queue.backend, settings.queue.options),
        "limits": (limits.store, limits.options),
    }
    several = {
        "auth": (settings.auth.providers, settings.auth.options),
        "analytics": (settings.analytics.sinks, settings.analytics.options),
        "edge": (settings.edge.cache_invalidators, settings.edge.options),
    }
    if kind in one:
        yield one[kind]
    elif kind in several:
        names, options = several[kind]
        for name in names:
            yield name, options.get(name, {})
    else:
        # An operator who has the machine signs in by a link while a provider is down.
        for name in sorted({sign_in.backend, LINK_BACKEND}):
            yield name, sign_in.options_of(name)
