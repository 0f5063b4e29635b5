"""
Every fault of a plugin is told with the plugin, its file and line, and the mend.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from hv_checks import checks
from hv_checks.checks import examine
from hv_cli.plugin_listing import list_plugins
from hvcore import time_limits
from hvcore.assembly import backend_trials
from hvcore.assembly.backend_trials import check_backends
from hvcore.domain.health_findings import BROKEN, HealthFinding
from hvcore.errors import HvcoreError
from hvcore.registry import load_plugins, loading
from hvcore.settings import Settings, load
from tests.migrated import lay_database
from tests.plugin_faults.broken_plugins import (
    BUILDING,
    CHECKING,
    HANGING,
    LOADING,
    BrokenPlugin,
)

MODULE = "acme_broken"
OTHERS = (
    *("tests.plugin_faults.quiet", "hv_storage_fsspec.plugin", "hv_ratelimit.plugin"),
    *("hv_auth_apikey.plugin", "hv_analytics_sql.plugin", "hv_sign_in_link.plugin"),
)
QUIET = {"HV_QUEUE__BACKEND": "quiet", "HV_TRANSCODER__BACKEND": "quiet"}

Plant = Callable[[BrokenPlugin], Settings]


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plant]:
    """
    Write a broken plugin, and return the settings that choose its backend.
    """
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(broken: BrokenPlugin, *, is_chosen: bool = True) -> Settings:
        (tmp_path / f"{MODULE}.py").write_text(broken.code, encoding="utf-8")
        environ = {
            **QUIET,
            "HV_PLUGINS": ",".join((MODULE, *OTHERS)),
            **(broken.environ if is_chosen else {}),
        }
        data = tmp_path / "hv-data"
        settings = load(config_path=None, environ=environ, data_dir=data).settings
        lay_database(settings)
        return settings

    yield write
    sys.modules.pop(MODULE, None)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Wait for what hangs no longer than a busy machine needs.
    """
    monkeypatch.setattr(time_limits, "PATIENCE_S", 0.5)
    for module in (loading, backend_trials, checks):
        monkeypatch.setattr(module, "SILENT_S", 1.0)


def said_of(broken: BrokenPlugin, folder: Path) -> Sequence[str]:
    if broken.line is None:
        return broken.said
    return (*broken.said, f"{folder / MODULE}.py:{broken.line}")


def listed(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> Sequence[Mapping[str, Any]]:
    list_plugins(settings, as_json=True)
    found: Sequence[Mapping[str, Any]] = json.loads(capsys.readouterr().out)["plugins"]
    return found


def assert_listed(
    rows: Sequence[Mapping[str, Any]], broken: BrokenPlugin, folder: Path
) -> None:
    failing = [row for row in rows if row["fails"]]
    said = [f"{row['fails']} {row['mend']}" for row in failing]
    words = (*said_of(broken, folder), broken.mend)
    assert any(all(word in text for word in words) for text in said), (words, said)
    others = {row["name"] for row in rows if not row["fails"]}
    assert {"fsspec", "sql", "api-key", "link"} <= others


def assert_found(
    findings: Sequence[HealthFinding], broken: BrokenPlugin, folder: Path
) -> None:
    bad = [one for one in findings if one.mend]
    said = [f"{one.found} {one.mend}" for one in bad]
    words = (*said_of(broken, folder), broken.mend)
    assert any(all(word in text for word in words) for text in said), (words, said)
    assert not any("bug of hv" in text for text in said), said


def assert_refused(settings: Settings, broken: BrokenPlugin, folder: Path) -> None:
    with pytest.raises(HvcoreError) as refused:
        check_backends(settings)
    text = str(refused.value)
    for word in said_of(broken, folder):
        assert word in text
    assert "\n" not in text or not broken.line


@pytest.mark.parametrize("broken", LOADING.values(), ids=list(LOADING))
def test_a_plugin_that_cannot_be_loaded_is_told(
    broken: BrokenPlugin,
    plant: Plant,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = plant(broken)

    assert_listed(listed(settings, capsys), broken, tmp_path)
    assert_found(list(examine(settings)), broken, tmp_path)
    assert_refused(settings, broken, tmp_path)


@pytest.mark.parametrize("broken", BUILDING.values(), ids=list(BUILDING))
def test_a_backend_that_cannot_be_built_is_told(
    broken: BrokenPlugin,
    plant: Plant,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = plant(broken)

    if broken.environ.get("HV_QUEUE__BACKEND") != "quiet":
        assert_listed(listed(settings, capsys), broken, tmp_path)
    if "at the end" not in broken.mend and "stuck" not in broken.said[0]:
        assert_found(list(examine(settings)), broken, tmp_path)
    assert_refused(settings, broken, tmp_path)


@pytest.mark.parametrize("broken", CHECKING.values(), ids=list(CHECKING))
def test_a_backend_that_fails_when_it_is_asked_is_told(
    broken: BrokenPlugin, plant: Plant, tmp_path: Path
) -> None:
    assert_found(list(examine(plant(broken))), broken, tmp_path)


@pytest.mark.parametrize("broken", HANGING.values(), ids=list(HANGING))
@pytest.mark.usefixtures("impatient")
def test_what_hangs_is_told_and_holds_up_nothing(
    broken: BrokenPlugin,
    plant: Plant,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = plant(broken)

    assert_listed(listed(settings, capsys), broken, tmp_path)
    sys.modules.pop(MODULE, None)
    findings = list(examine(settings))
    assert_found(findings, broken, tmp_path)
    sys.modules.pop(MODULE, None)
    assert_refused(settings, broken, tmp_path)
    assert {one.check for one in findings} == set(checks.CHECKS)


def test_a_broken_plugin_that_is_not_chosen_stops_nothing(plant: Plant) -> None:
    broken = LOADING["an exception at import"]
    settings = plant(broken, is_chosen=False)  # type: ignore[call-arg]  # the fixture's own

    check_backends(settings)

    (fault,) = load_plugins(settings).faults
    assert "no licence" in str(fault)
    assert not [one for one in examine(settings) if one.state == BROKEN]
