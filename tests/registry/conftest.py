"""Plugins that are right, and plugins that are broken."""

import sys
from types import ModuleType

import pytest

from tests.plugin_faults.planting import make_plant
from tests.registry.offering import MakePlugin, Offers

__all__ = ["make_plant", "plugin"]


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> MakePlugin:
    def make(name: str, *records: object) -> str:
        module = ModuleType(name)
        module.hvcore_queues = Offers(*records).hvcore_queues  # type: ignore[attr-defined]  # a plugin made on the spot
        monkeypatch.setitem(sys.modules, name, module)
        return name

    return make
