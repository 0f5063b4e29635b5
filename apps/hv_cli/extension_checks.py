"""
Checks what plugins add to the service before any process of it starts.
"""

from hv_api.plugin_routes import groups_with
from hv_cli.added_commands import check_names
from hv_cli.main import COMMANDS, HIDDEN
from hvcore.assembly import Services


def check_extensions(services: Services) -> None:
    """
    Make all that plugins add, once.

    Raises:
        ConfigError: Options of a plugin cannot be used.
        PluginError: Something cannot be added; the text names the plugin.
    """
    groups_with(services.registry)
    check_names(services.registry, {*COMMANDS, *HIDDEN})
    for offer in services.registry.of_kind("routes"):
        _ = services.route_states[offer.backend.name]
    _ = (services.middleware, services.subscriptions)
