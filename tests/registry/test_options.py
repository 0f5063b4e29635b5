"""
Options of backends, as commands show them to operators.
"""

from collections.abc import Mapping
from typing import Any

import attrs
import pytest

from hvcore.hookspecs import QueueBackend, other_options
from hvcore.registry.faults import PluginSource
from hvcore.registry.hooks import Offer
from hvcore.registry.options import OptionInfo, options_of
from tests.support.fakes import MemoryQueue


@attrs.frozen(kw_only=True)
class Options:
    url: str
    depth: int | None = 3
    names: tuple[str, ...] = attrs.field(factory=tuple)
    made: str = attrs.Factory(lambda: "now")
    rest: Mapping[str, Any] = other_options()


OFFER = Offer(
    kind="queue",
    backend=QueueBackend(name="acme", factory=MemoryQueue, options=Options),
    source=PluginSource(plugin="acme", distribution="acme 1", package="acme"),
)


def shown(given: object, path: str = "queue.options") -> dict[str, OptionInfo]:
    return {one.name: one for one in options_of(OFFER, path, given)}


def test_an_option_is_shown_with_its_type_its_default_and_its_variable() -> None:
    found = shown({"depth": 5})

    told = {
        name: (one.type, one.default, one.is_required, one.variable)
        for name, one in found.items()
    }
    assert told == {
        "url": ("str", None, True, "HV_QUEUE__OPTIONS__URL"),
        "depth": ("int | None", "3", False, "HV_QUEUE__OPTIONS__DEPTH"),
        "names": ("tuple[str, ...]", "()", False, "HV_QUEUE__OPTIONS__NAMES"),
        "made": ("str", "computed", False, "HV_QUEUE__OPTIONS__MADE"),
        "<name>": ("any other", "", False, "HV_QUEUE__OPTIONS__<NAME>"),
    }


@pytest.mark.parametrize(
    ("given", "set_ones"),
    [({"depth": 5, "other": 1}, ["depth"]), ({}, []), ("no section", [])],
)
def test_an_option_is_set_where_the_settings_name_it(
    given: object, set_ones: list[str]
) -> None:
    assert [name for name, one in shown(given).items() if one.is_set] == set_ones


def test_an_option_that_no_variable_can_name_is_set_in_the_settings_file() -> None:
    found = shown({}, "analytics.options.of-acme")

    assert found["url"].variable == (
        "url below [analytics.options.of-acme] in the settings file"
    )
