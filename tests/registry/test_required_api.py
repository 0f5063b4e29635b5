"""A record that requires a version of the plugin API is compared with this one."""

import pytest

from hvcore.hookspecs import QueueBackend
from hvcore.plugin_api import OLDEST, VERSION
from hvcore.registry import PluginSource, required_api
from hvcore.registry.required_api import unsuited
from tests.support.fakes import MemoryQueue

SOURCE = PluginSource(plugin="acme", distribution="hvcore-acme 1.2", package="acme")


def record(requires: str | None) -> QueueBackend:
    return QueueBackend(
        name="acme", factory=lambda *_: MemoryQueue(), requires=requires
    )


@pytest.mark.parametrize("requires", [None, "2.1", "2.3", "2.4"])
def test_a_plugin_of_a_version_that_suits_or_of_none_is_offered(
    monkeypatch: pytest.MonkeyPatch, requires: str | None
) -> None:
    monkeypatch.setattr(required_api, "VERSION", (2, 4))
    monkeypatch.setattr(required_api, "OLDEST", (2, 1))

    assert unsuited(SOURCE, "queue", record(requires)) is None


@pytest.mark.parametrize(
    ("requires", "said", "fix"),
    [
        ("2.10", "requires the plugin API 2.10, and hvcore", "Install a newer hvcore"),
        ("3.0", "requires the plugin API 3.0, and hvcore", "Install a newer hvcore"),
        ("2.0", "suits 2.1 and newer", "Install a newer version of the plugin"),
        ("0.9", "suits 2.1 and newer", "Install a newer version of the plugin"),
    ],
)
def test_a_plugin_of_another_version_is_told_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, requires: str, said: str, fix: str
) -> None:
    monkeypatch.setattr(required_api, "VERSION", (2, 4))
    monkeypatch.setattr(required_api, "OLDEST", (2, 1))

    fault = unsuited(SOURCE, "queue", record(requires))

    assert fault is not None
    assert "Plugin acme (hvcore-acme 1.2): the queue backend 'acme'" in str(fault)
    assert said in str(fault)
    assert fix in str(fault)
    assert "HV_PLUGIN__DISABLED=acme" in str(fault)


def test_the_oldest_version_that_suits_is_not_newer_than_this_one() -> None:
    assert OLDEST <= VERSION
