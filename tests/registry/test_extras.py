"""
Libraries that are missing: which extra brings them.
"""

from pathlib import Path

import pytest

from hvcore.assembly.backend_choice.offered_backends import offered_backends
from hvcore.errors import PluginError
from hvcore.hookspecs import (
    QueueBackend,
)
from hvcore.plugin_api import BuildContext
from hvcore.ports.queue import Queue
from hvcore.registry import Offer, PluginSource, Registry
from tests.registry.offering import (
    MakePlugin,
    Options,
    built,
    chosen,
    registry,
)


def build_without_library(options: Options, context: BuildContext) -> Queue:
    del options, context
    raise ModuleNotFoundError("No module named 'greenlet_queue'", name="greenlet_queue")


def test_a_missing_library_is_answered_with_the_extra_of_hvcore_that_brings_it(
    plugin: MakePlugin,
) -> None:
    record = QueueBackend(
        name="acme", factory=build_without_library, options=Options, extra="s3"
    )
    found = registry(plugin("one.plugin", record))

    with pytest.raises(PluginError, match=r"greenlet_queue.*(hvcore\[s3\]|--extra s3)"):
        built(found, chosen("acme", url="x")).queue()


ACME_METADATA = """\
Metadata-Version: 2.4
Name: hvcore-acme
Version: 1.2
Provides-Extra: rq
Requires-Dist: no-such-library; extra == "rq"
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PluginSource:
    """
    A distribution whose extra has the name of one of hvcore's.
    """
    folder = tmp_path / "hvcore_acme-1.2.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(ACME_METADATA)
    monkeypatch.syspath_prepend(str(tmp_path))
    return PluginSource(plugin="acme", distribution="hvcore-acme 1.2", package="acme")


def offer(source: PluginSource, *, extra: str) -> Offer:
    record = QueueBackend(
        name="acme", factory=build_without_library, options=Options, extra=extra
    )
    return Offer(kind="queue", backend=record, source=source)


def test_an_extra_is_that_of_the_plugins_own_distribution(
    installed: PluginSource,
) -> None:
    found = Registry([offer(installed, extra="rq")])

    with pytest.raises(PluginError, match=r"pip install 'hvcore-acme\[rq\]'"):
        built(found, chosen("acme", url="x")).queue()
    (listed,) = offered_backends(found, chosen("acme"))
    assert listed.missing == "pip install 'hvcore-acme[rq]'"
    assert listed.fault is None


def test_an_extra_that_nobody_declares_is_told(installed: PluginSource) -> None:
    found = Registry([offer(installed, extra="no-such")])

    (listed,) = offered_backends(found, chosen("acme"))

    assert listed.fault is not None
    assert "extra 'no-such'" in str(listed.fault)
    assert "hvcore-acme 1.2" in str(listed.fault)
