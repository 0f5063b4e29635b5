"""
Where requests are counted, if nothing says so.
"""

from pathlib import Path

import pytest

from hvcore.assembly.backend_choice.chosen_backends import ChosenBackends
from hvcore.errors import PluginError
from hvcore.plugin_api import BuildContext
from hvcore.registry import load_plugins
from hvcore.settings import Settings, load

QUEUE = {"HV_QUEUE__OPTIONS__URL": "unix:///run/queue.sock"}


def loaded(folder: Path, **environ: str) -> Settings:
    return load(config_path=None, environ=environ, data_dir=folder).settings


def test_requests_are_counted_where_the_queue_is(tmp_path: Path) -> None:
    limits = loaded(tmp_path, **QUEUE).limits

    assert (limits.store, limits.options["url"]) == (
        "moving-window",
        "unix:///run/queue.sock",
    )


def test_an_address_of_its_own_is_stronger(tmp_path: Path) -> None:
    own = {"HV_LIMITS__OPTIONS__URL": "redis://limits"}

    assert loaded(tmp_path, **QUEUE, **own).limits.options["url"] == "redis://limits"


@pytest.mark.parametrize(
    "environ", [{}, {**QUEUE, "HV_QUEUE__BACKEND": "other"}], ids=["none", "no rq"]
)
def test_without_a_shared_server_each_process_counts(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    assert not loaded(tmp_path, **environ).limits.options.get("url")


def test_an_unknown_store_names_the_setting(tmp_path: Path) -> None:
    settings = loaded(tmp_path, HV_LIMITS__STORE="other")
    context: BuildContext = None  # type: ignore[assignment]  # no factory is called

    chosen = ChosenBackends(load_plugins(settings), settings, lambda: context)

    with pytest.raises(PluginError, match=r"moving-window.*limits\.store"):
        chosen.rate_limit_store()
