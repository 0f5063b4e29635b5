"""Find plugins, build the backends that they offer and the settings choose, and tell which plugin causes an error."""

from hvcore.registry.backends import Registry
from hvcore.registry.choices import Choice
from hvcore.registry.faults import (
    PluginFault,
    PluginFaultError,
    PluginSource,
    fault_of,
)
from hvcore.registry.hooks import Offer
from hvcore.registry.kinds import HOOKS, KINDS, Kind
from hvcore.registry.loading import load_plugins, plugin_names

__all__ = [
    "HOOKS",
    "KINDS",
    "Choice",
    "Kind",
    "Offer",
    "PluginFault",
    "PluginFaultError",
    "PluginSource",
    "Registry",
    "fault_of",
    "load_plugins",
    "plugin_names",
]
