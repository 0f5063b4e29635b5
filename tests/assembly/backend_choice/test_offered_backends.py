"""
Offered backends are told with what they lack, without being built.
"""

from pathlib import Path

import pytest

from hvcore.assembly.backend_choice.offered_backends import (
    OfferedBackend,
    offered_backends,
)
from hvcore.registry import load_plugins
from hvcore.settings import load

HEAD = """\
from hvcore.plugin_api import Queue, QueueBackend, hookimpl


class Half(Queue):
    def __init__(self, options: object = None, context: object = None) -> None:
        raise RuntimeError("built")

    def put(self, task_id: object, **_: object) -> None:
        pass


class Whole(Half):
    consume = depth = ping = Half.put


def made(options: object, context: object) -> WHAT:
    raise RuntimeError("built")


@hookimpl
def hvcore_queues():
    yield QueueBackend(name="one", factory=FACTORY)
"""


def offered(folder: Path, factory: str, what: str, *, times: int = 1) -> OfferedBackend:
    names = [folder / f"acme_offered_{factory}_{what}_{n}.py" for n in range(times)]
    for path in names:
        path.write_text(HEAD.replace("WHAT", what).replace("FACTORY", factory))
    environ = {
        "HV_PLUGINS": "hvcore_ratelimit.plugin",
        "HV_EXTRA_PLUGINS": ",".join(map(str, names)),
        "HV_QUEUE__BACKEND": "one",
    }
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    found = offered_backends(load_plugins(settings), settings)
    return next(one for one in found if one.kind == "queue")


@pytest.mark.parametrize(
    ("factory", "what", "problem"),
    [
        ("Half", "Half", "Half lacks consume, depth, ping"),
        ("made", "Half", "Half lacks consume, depth, ping"),
        ("Whole", "Whole", None),
        ("made", "Whole", None),
        ("made", "object", None),
    ],
)
def test_methods_that_a_backend_lacks_are_named(
    tmp_path: Path, factory: str, what: str, problem: str | None
) -> None:
    found = offered(tmp_path, factory, what)

    assert (found.fault and found.fault.problem) == problem
    assert found.is_active


def test_two_backends_of_one_name_are_a_fault(tmp_path: Path) -> None:
    found = offered(tmp_path, "Whole", "Whole", times=2)

    assert found.fault is not None
    assert "another plugin offers a backend of the same kind" in found.fault.problem
