"""
The backends that plugins offer, and which of them the settings have chosen.
"""

import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Final

import attrs

from hvcore.domain.processing.routes import read_route
from hvcore.ports.sign_in import LINK_BACKEND
from hvcore.registry import EXTENSIONS, Registry
from hvcore.settings import Settings

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""With which a requirement begins (PEP 508)."""


@attrs.frozen(kw_only=True)
class OfferedBackend:
    """
    A backend on offer.

    Attributes:
        plugin: The entry point's name, or the module's.
        distribution: Name and version of the package that brings it.
        is_active: The settings have chosen it.
        missing: The command that installs what it needs and is not there; None
            if nothing is missing.
    """

    kind: str
    name: str
    plugin: str
    distribution: str
    is_active: bool
    missing: str | None


def offered_backends(
    registry: Registry, settings: Settings
) -> Sequence[OfferedBackend]:
    """
    Return what is on offer, by kind and name; asks no server and no database.
    """
    chosen = _chosen(settings) | {
        kind: tuple(offer.backend.name for offer in registry.of_kind(kind))
        for kind in EXTENSIONS
    }
    found = sorted(registry.offers, key=lambda one: (one.kind, one.backend.name))
    return [
        OfferedBackend(
            kind=one.kind,
            name=one.backend.name,
            plugin=one.plugin,
            distribution=one.distribution,
            is_active=one.backend.name in chosen[one.kind],
            missing=_missing(one.backend.extra),
        )
        for one in found
    ]


def _chosen(settings: Settings) -> dict[str, Sequence[str]]:
    return {
        "storage": (settings.storage.backend,),
        "transcoder": _transcoders(settings),
        "queue": (settings.queue.backend,),
        "auth": settings.auth.providers,
        "limits": (settings.limits.store,) if settings.limits.enabled else (),
        "analytics": settings.analytics.sinks,
        "edge": settings.edge.purgers,
        "sign_in": tuple({settings.sign_in.backend, LINK_BACKEND}),
    }


def _transcoders(settings: Settings) -> Sequence[str]:
    chosen = settings.transcoder
    routed = (read_route(text).transcoder for text in chosen.routes)
    return tuple(dict.fromkeys([chosen.backend, *routed]))


def _missing(extra: str | None) -> str | None:
    if extra is None:
        return None
    marker = f'extra == "{extra}"'
    wanted = [line for line in requires("hvcore") or () if marker in line]
    for line in wanted:
        found = _NAME.match(line)
        try:
            version(found[0] if found else line)
        except PackageNotFoundError:
            return f"pip install 'hvcore[{extra}]'"
    return None
