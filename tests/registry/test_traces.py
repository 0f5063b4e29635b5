"""
The trace of plugins: each call with its time, and nothing of what was given.
"""

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from hvcore.plugin_api import Lane, Queue
from hvcore.registry import load_plugins
from hvcore.registry.faults import PluginSource
from hvcore.registry.traces import trace_methods
from hvcore.settings import load

SOURCE: Final = PluginSource(plugin="acme", distribution="acme 1", package="acme")
CODE: Final = """\
from hvcore.plugin_api import Queue, QueueBackend, hookimpl

class Bell(Queue):
    def put(self, task_id, *, kind, lane): self.depth(lane)
    def consume(self, handle, **more): pass
    def depth(self, lane): return 0
    def ping(self): raise OSError("open-sesame")

def build(options, context): return Bell()

@hookimpl
def hvcore_queues():
    yield QueueBackend(name="acme", factory=build)
"""


def traced(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    records: list[Any] = [
        record for record in caplog.records if record.name == "hvcore.registry.traces"
    ]
    for record in records:
        assert record.hv_took_ms >= 0
    return [(record.hv_call, record.hv_outcome) for record in records]


def test_calls_of_hooks_factories_and_methods_are_traced(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "acme_traced.py"
    file.write_text(CODE)
    environ = {
        "HV_PLUGINS": "hvcore_ratelimit.plugin",
        "HV_EXTRA_PLUGINS": str(file),
        "HV_TRACE_PLUGINS": "1",
        "HV_QUEUE__BACKEND": "acme",
    }
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    registry = load_plugins(settings)
    context: Any = None

    (choice,) = registry.choices(settings, "queue")
    queue: Any = registry.build(choice, context)
    queue.put("open-sesame", kind="open-sesame", lane=Lane.LIGHT)
    with pytest.raises(OSError, match="open-sesame"):
        queue.ping()

    assert isinstance(queue, Queue)
    assert type(queue).__name__ == "Bell"
    told = traced(caplog)
    assert ("hvcore_queues()", "tuple") in told
    assert ("the factory of the queue backend 'acme'()", "Bell") in told
    assert told[-3:] == [
        ("Bell.depth(Lane.LIGHT)", "int"),
        ("Bell.put(str, kind: str, lane: Lane.LIGHT)", "None"),
        ("Bell.ping()", "raised OSError"),
    ]
    assert "open-sesame" not in caplog.text


def test_nothing_is_traced_unless_it_is_wished(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    environ = {"HV_PLUGINS": "hvcore_ratelimit.plugin"}
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings

    load_plugins(settings)

    assert traced(caplog) == []


def test_a_backend_of_a_frozen_class_with_slots_is_traced(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @attrs.frozen
    class Base:
        number: int

        def twice(self) -> int:
            return 2 * self.number

    @attrs.frozen
    class Slotted(Base):
        def twice(self) -> int:
            return super().twice() + 1

    made = Slotted(4)

    trace_methods(made, SOURCE)

    assert made.twice() == 9
    assert isinstance(made, Slotted)
    ((call, outcome),) = traced(caplog)
    assert (call.rpartition(".")[2], outcome) == ("twice()", "int")


def test_a_backend_of_a_class_in_c_stays_as_it_is(
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = [1, 2]

    trace_methods(made, SOURCE)

    assert type(made) is list
    assert traced(caplog) == [("list", "no such class")]


def test_a_program_without_logs_has_the_trace_on_standard_error(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hvcore_cli", "--data", str(tmp_path), "plugins"],
        env={"HV_PLUGINS": "hvcore_ratelimit.plugin", "HV_TRACE_PLUGINS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    line = (
        "plugin called: plugin=hvcore_ratelimit.plugin call=hvcore_rate_limit_stores()"
    )
    assert line in done.stderr
    assert "took_ms=" in done.stderr
    assert "plugin called" not in done.stdout
