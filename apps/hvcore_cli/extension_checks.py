"""Check the routes and commands of plugins before any process starts."""

from hvcore.registry import Registry
from hvcore_api.plugin_routes import groups_with
from hvcore_cli.added_commands import check_names
from hvcore_cli.main import COMMANDS, HIDDEN


def check_extensions(registry: Registry) -> None:
    """
    Refuse routes and commands of plugins that cannot be added.

    Raises:
        PluginFaultError: A route or command cannot be added; the text names the plugin.
    """
    groups_with(registry)
    check_names(registry, {*COMMANDS, *HIDDEN})
