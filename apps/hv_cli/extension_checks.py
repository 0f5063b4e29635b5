"""
Checks what plugins add to the service before any process of it starts.
"""

from hv_api.plugin_routes import groups_with
from hv_cli.added_commands import check_names
from hv_cli.main import COMMANDS, HIDDEN
from hvcore.registry import Registry


def check_extensions(registry: Registry) -> None:
    """
    Refuse routes and commands that cannot be added.

    Raises:
        PluginFaultError: There is one; the text names the plugin.
    """
    groups_with(registry)
    check_names(registry, {*COMMANDS, *HIDDEN})
