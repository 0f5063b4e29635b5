"""
Plugins that offer backends.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from hvcore.assembly.backend_choice.chosen_backends import ChosenBackends
from hvcore.hookspecs import (
    hookimpl,
)
from hvcore.plugin_api import BuildContext
from hvcore.registry import Registry, load_plugins
from hvcore.settings import BackendSettings, Settings


@attrs.frozen(kw_only=True)
class Options:
    url: str
    depth: int = 3


class Offers:
    def __init__(self, *records: object) -> None:
        self.records = records

    @hookimpl
    def hvcore_queues(self) -> Iterator[object]:
        yield from self.records


MakePlugin = Callable[..., str]


def registry(*modules: str, disabled: tuple[str, ...] = ()) -> Registry:
    settings = Settings(data_dir=Path("/nowhere"), plugin_modules=modules)
    plugin = attrs.evolve(settings.plugin, disabled=disabled)
    return load_plugins(attrs.evolve(settings, plugin=plugin))


def chosen(backend: str, **options: object) -> Settings:
    return Settings(
        data_dir=Path("/nowhere"),
        queue=BackendSettings(backend=backend, options=options),
    )


CONTEXT: BuildContext = None  # type: ignore[assignment]  # no factory here looks at it


def built(found: Registry, settings: Settings) -> ChosenBackends:
    return ChosenBackends(found, settings, lambda: CONTEXT)
