"""The environment variables that are no settings, and the code that reads them."""

import re
from collections.abc import Mapping
from typing import Final

from tests.support.code_reference.files import ROOT

VARIABLES: Final[Mapping[str, tuple[str, str]]] = {
    "HV_DATA": (
        "The data folder; `hv-data` in the current folder if empty. `--data` is stronger.",
        "HV_DATA=/var/lib/hv",
    ),
    "HV_CONFIG": (
        "The settings file; none if empty. `--config` is stronger.",
        "HV_CONFIG=/etc/hv/hv.toml",
    ),
    "HV_PLUGINS": (
        "The modules of all plugins, with commas between them; the installed plugins if empty.",
        "HV_PLUGINS=hvcore_queue_sql.plugin,acme_video.plugin",
    ),
    "HV_EXTRA_PLUGINS": (
        "Modules and files of further plugins, with commas between them.",
        "HV_EXTRA_PLUGINS=acme_video.plugin,/srv/hv/archive.py",
    ),
    "HV_TRACE_PLUGINS": (
        "`1` has each call of a plugin logged.",
        "HV_TRACE_PLUGINS=1",
    ),
    "HV_DEBUG": (
        "A value has `hv` print the place in the code of an unexpected error.",
        "HV_DEBUG=1",
    ),
    "HV_API_URL": (
        "The API of another machine, for `hv upload` and `hv videos`.",
        "HV_API_URL=https://api.video.example.com",
    ),
    "HV_API_KEY": (
        "The API key of `hv upload` and `hv videos`; the key of the data folder if empty.",
        "HV_API_KEY=hv_live_…",
    ),
}
"""Each variable with its meaning and an example."""
FOR_TESTS: Final = {"HV_FAILPOINTS", "HV_FAILPOINTS_DIR"}
"""Variables that have a process die at a place in the code."""
_READ: Final = re.compile(r'(?:environ\.get\(|environ\[|envvar=)"(HV_(?:(?!__)\w)+)"')


def read_variables() -> set[str]:
    """Return the variables without a section that the code reads."""
    files = [file for top in ("apps", "hvcore") for file in (ROOT / top).rglob("*.py")]
    found = {name for file in files for name in _READ.findall(file.read_text("utf-8"))}
    return found - FOR_TESTS
