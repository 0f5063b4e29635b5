"""Find plugins, choose and build the backends they offer, and tell which plugin is at fault."""

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
