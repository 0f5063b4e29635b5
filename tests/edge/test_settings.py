"""
The edge's script has the numbers of the service.
"""

import pytest

from hvcore_edge.script_settings import SCRIPT_SETTINGS
from tests.edge.test_followed import nginx, run  # noqa: F401 - one is a fixture
from tests.support.network.edge import RunningEdge

pytestmark = pytest.mark.services

BEGINNING = 'local settings, said = require "hv_edge_settings", {}\n'


def test_lua_reads_what_python_wrote(nginx: RunningEdge) -> None:  # noqa: F811
    names = ", ".join(f'"{name}"' for name in SCRIPT_SETTINGS)

    # No separator of `run`: a pattern may have it.
    said = run(
        nginx,
        f"""
        for _, name in ipairs({{ {names} }}) do
            local value = settings[name]
            local text = type(value) == "number" and ("%.17g"):format(value) or value
            said[#said + 1] = text:gsub(".", function(byte)
                return ("%02x"):format(byte:byte())
            end) .. "|"
        end
        """,
        BEGINNING,
    )

    read = [bytes.fromhex(text).decode() for text in said]
    assert [
        text if isinstance(value, str) else type(value)(text)
        for text, value in zip(read, SCRIPT_SETTINGS.values(), strict=True)
    ] == list(SCRIPT_SETTINGS.values())


def test_a_setting_that_is_misspelt_is_an_error(nginx: RunningEdge) -> None:  # noqa: F811
    (said,) = run(
        nginx,
        """
        local _, fault = pcall(function() return settings.leway_s end)
        said[1] = fault .. "|"
        """,
        BEGINNING,
    )

    assert "leway_s" in said
