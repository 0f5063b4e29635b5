"""Compare the version of the plugin API that a plugin's backend requires with the installed one."""

from typing import Any, Final

from hvcore import __version__
from hvcore.hookspecs import Backend
from hvcore.plugin_api import OLDEST, VERSION
from hvcore.registry.code_locations import location_of_definition
from hvcore.registry.faults import PluginFault, PluginSource

THIS_API: Final = f"hvcore {__version__} has the plugin API {VERSION[0]}.{VERSION[1]}"
"""The part of a message that says which versions are installed."""


def unsuited(
    source: PluginSource, kind: str, record: Backend[Any]
) -> PluginFault | None:
    """
    Return the fault of a record that requires another version of the plugin API; None if it fits.

    A record that requires no version fits.
    """
    if record.requires is None:
        return None
    major, minor = map(int, record.requires.split("."))
    if OLDEST <= (major, minor) <= VERSION:
        return None
    is_newer = (major, minor) > VERSION
    lacks = (
        THIS_API if is_newer else f"{THIS_API}, which suits {_text(OLDEST)} and newer"
    )
    fix = (
        "Install a newer hvcore, or an older version of the plugin"
        if is_newer
        else "Install a newer version of the plugin, or an older hvcore"
    )
    return PluginFault(
        source=source,
        problem=f"the {kind} backend {record.name!r} requires the plugin API "
        f"{record.requires}, and {lacks}",
        location=location_of_definition(record.factory),
        fix=f"{fix}; or {source.leave_out}.",
    )


def _text(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
