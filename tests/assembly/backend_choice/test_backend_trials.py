"""
What becomes of the storage that the settings choose, before the service starts.
"""

from collections.abc import Callable

import pytest

from hvcore.assembly.backend_choice import backend_trials
from hvcore.assembly.backend_choice.backend_trials import check_backends, check_storage
from hvcore.processes import time_limits
from hvcore.registry import PluginFaultError
from hvcore.settings import Settings
from hvcore_checks import checks
from tests.plugin_faults.broken_plugins import STORAGE, BrokenPlugin, storage
from tests.plugin_faults.planting import Plant, make_plant

__all__ = ["make_plant"]

SLOW = """\
import threading
class Bad(Store):
    def ping(self): threading.Event().wait(0.5)
def build(options, context): return Bad()
"""

TELLS = """\
@attrs.frozen
class Options:
    password: str = attrs.field(repr=False)
class Bad(Store):
    def __init__(self, options): self.options = options
    def ping(self): raise RuntimeError(f"ada:{self.options.password}@acme")
    def close(self): raise RuntimeError(f"ada:{self.options.password}@acme")
def build(options, context): return Bad(options)
"""
SECRET = "quite-secret"


def plugin(code: str) -> BrokenPlugin:
    return BrokenPlugin(code=storage(code), environ=STORAGE, said=(), fix="")


def test_a_storage_that_answers_slowly_is_not_called_hung(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_limits, "PATIENCE_S", 0.05)
    # For as long as a storage is asked again that says it cannot serve.
    monkeypatch.setattr(backend_trials, "ASKED_FOR_S", 0.1)

    check_storage(plant(plugin(SLOW)).settings)


@pytest.mark.parametrize("check", [check_storage, check_backends])
def test_an_exception_of_a_built_backend_is_told_without_its_secret_options(
    plant: Plant, check: Callable[[Settings], None]
) -> None:
    broken = BrokenPlugin(
        code=storage(TELLS, "factory=build, options=Options"),
        environ={**STORAGE, "HV_STORAGE__OPTIONS__PASSWORD": SECRET},
        said=(),
        fix="",
    )

    with pytest.raises(PluginFaultError) as refused:
        check(plant(broken).settings)

    assert "RuntimeError: ada:…@acme" in str(refused.value)
    assert SECRET not in str(refused.value)


def test_hv_up_waits_for_a_ping_as_hv_doctor_does_and_ends_within_10_s() -> None:
    silent_s, whole_s = backend_trials.PING_SILENT_S, backend_trials.CHECKED_FOR_S

    assert silent_s >= checks.SILENT_S
    assert silent_s <= whole_s < 10
