"""
The plugin at fault is the one whose code led to an error, also through libraries and values of the service.
"""

from collections.abc import Iterator

import pytest

from hvcore.registry import faults
from hvcore.registry.code_locations import CodeLocation
from hvcore.registry.faults import PluginSource, culprit, remember

ACME = PluginSource(plugin="acme", distribution="acme 1.0", package="acme")
OTHER = PluginSource(plugin="other", distribution="other 1.0", package="acme_other")


@pytest.fixture(autouse=True)
def _plugins() -> Iterator[None]:
    before = list(faults._loaded)
    remember([ACME, OTHER])
    yield
    remember(before)


@pytest.mark.parametrize(
    ("modules", "expected"),
    [
        ([], None),
        (["requests.api"], None),
        (["acme"], "acme"),
        (["acme.plugin"], "acme.plugin"),
        (["acmes.plugin"], None),
        (["hvcore.services.x", "acme.plugin"], "acme.plugin"),
        (["acme.plugin", "requests.api", "json"], "acme.plugin"),
        (["acme.plugin", "acme_other.x"], "acme_other.x"),
        # It has used a value of the service wrongly.
        (["acme.plugin", "hvcore.domain.ids"], "acme.plugin"),
        (["acme.plugin", "hvcore.errors"], "acme.plugin"),
        (["acme.plugin", "hvcore_api.sent_headers", "re"], "acme.plugin"),
        # The service's own code, which it has called, failed.
        (["acme.plugin", "hvcore.services.x"], None),
        (["acme.plugin", "hvcore_api.app", "json"], None),
        (["acme.plugin", "hvcore.services.x", "hvcore.domain.ids"], None),
    ],
)
def test_the_innermost_code_of_a_plugin_is_at_fault_unless_ours_is(
    modules: list[str], expected: str | None
) -> None:
    found = culprit([CodeLocation(one, "file.py", 1) for one in modules])

    assert (found and found[1].module) == expected
    if found is not None:
        assert found[0] == (OTHER if found[1].module == "acme_other.x" else ACME)
