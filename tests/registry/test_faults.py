"""
Every fault of a plugin is told with the plugin, its file and line, and the fix.
"""

import json
import re
from collections.abc import Iterator

import attrs
import pytest

from hvcore.assembly.backend_choice import backend_trials
from hvcore.assembly.backend_choice.backend_trials import check_backends
from hvcore.domain.health_findings import BROKEN
from hvcore.errors import HvcoreError
from hvcore.processes import time_limits
from hvcore.registry import load_plugins, loading
from hvcore_checks import checks
from hvcore_checks.checks import examine
from hvcore_cli.commands.plugins.listing import list_plugins
from tests.plugin_faults.broken_plugins import (
    HEAD,
    QUEUE,
    BrokenPlugin,
    other,
    released,
)
from tests.plugin_faults.faults_at_work import (
    CHECKING,
    HANGING,
    HANGING_CHECK,
    RENAMED_PARAMETER,
    WRONG_HANDLER,
)
from tests.plugin_faults.faults_of_building import BUILDING
from tests.plugin_faults.faults_of_loading import LOADING
from tests.plugin_faults.planting import Plant, Planted


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """
    Wait for what hangs no longer than a busy machine needs.
    """
    monkeypatch.setattr(time_limits, "PATIENCE_S", 0.5)
    for module in (loading, backend_trials, checks):
        monkeypatch.setattr(module, "SILENT_S", 1.0)
    released.clear()
    yield
    released.set()


def assert_listed(planted: Planted, capsys: pytest.CaptureFixture[str]) -> None:
    """
    ``hv plugins`` tells of it, and lists the others.
    """
    list_plugins(planted.settings, as_json=True)

    rows = json.loads(capsys.readouterr().out)["plugins"]
    planted.assert_told(f"{row['fails']} {row['fix']}" for row in rows)
    others = {row["name"] for row in rows if not row["fails"]}
    assert {"fsspec", "sql", "api-key", "link"} <= others


def assert_found(planted: Planted) -> None:
    """
    ``hv doctor`` tells of it, and calls nothing a bug of hv.
    """
    findings = list(examine(planted.settings))

    texts = [f"{one.found} {one.fix}" for one in findings]
    planted.assert_told(texts)
    assert not any("bug of hv" in text for text in texts), texts
    assert {one.check for one in findings} == set(checks.CHECKS)


def assert_refused(planted: Planted) -> None:
    """
    Nothing starts with it, and it is told why.
    """
    with pytest.raises(HvcoreError) as refused:
        check_backends(planted.settings)

    planted.assert_told([str(refused.value)], fix=False)


@pytest.mark.parametrize("broken", LOADING.values(), ids=list(LOADING))
def test_a_plugin_that_cannot_be_loaded_is_told(
    broken: BrokenPlugin, plant: Plant, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = plant(broken)

    assert_listed(planted, capsys)
    assert_found(planted)
    assert_refused(planted)


@pytest.mark.parametrize("broken", BUILDING.values(), ids=list(BUILDING))
def test_a_backend_that_cannot_be_built_is_told(
    broken: BrokenPlugin, plant: Plant, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = plant(broken)

    assert_listed(planted, capsys)
    assert_found(planted)
    assert_refused(planted)


def test_a_route_whose_handler_takes_something_else_is_told(
    plant: Plant, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = plant(WRONG_HANDLER)

    assert_listed(planted, capsys)
    assert_refused(planted)


def test_a_parameter_of_another_name_is_told_and_stops_nothing(
    plant: Plant, caplog: pytest.LogCaptureFixture
) -> None:
    planted = plant(RENAMED_PARAMETER)

    check_backends(planted.settings)

    planted.assert_told(caplog.messages)


@pytest.mark.parametrize("broken", CHECKING.values(), ids=list(CHECKING))
def test_a_backend_that_fails_when_it_is_asked_is_told(
    broken: BrokenPlugin, plant: Plant
) -> None:
    assert_found(plant(broken))


@pytest.mark.parametrize("broken", HANGING.values(), ids=list(HANGING))
@pytest.mark.usefixtures("impatient")
def test_what_hangs_is_told_and_holds_up_nothing(
    broken: BrokenPlugin, plant: Plant, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_listed(plant(broken), capsys)
    assert_found(plant(broken))
    assert_refused(plant(broken))


@pytest.mark.usefixtures("impatient")
def test_a_check_that_hangs_is_told_and_holds_up_nothing(plant: Plant) -> None:
    assert_found(plant(HANGING_CHECK))


def test_several_backends_that_lack_something_are_told_one_by_one(
    plant: Plant,
) -> None:
    lacking = BUILDING["a library of its factory that is not there"]
    queue = other("hvcore_queues", "QueueBackend", "import no_other_library")
    code = lacking.code + queue.removeprefix(HEAD).replace("build", "build_queue")
    planted = plant(
        attrs.evolve(lacking, code=code, environ={**lacking.environ, **QUEUE})
    )

    with pytest.raises(HvcoreError) as refused:
        check_backends(planted.settings)

    assert re.fullmatch(
        r"2 backends cannot be used: "
        r"\(1\) The storage backend 'acme' needs .* Run: pip install no_such_library "
        r"\(2\) The queue backend 'acme' needs .* Run: pip install no_other_library",
        str(refused.value),
    )


def test_a_broken_plugin_that_is_not_chosen_stops_nothing(plant: Plant) -> None:
    planted = plant(LOADING["an exception at import"], is_chosen=False)

    check_backends(planted.settings)

    (fault,) = load_plugins(planted.settings).faults
    planted.assert_told([str(fault)])
    broken = {one.check for one in examine(planted.settings) if one.state == BROKEN}
    # Files of pages are fetched by ./hv setup.
    assert broken <= {"player", "dashboard"}
