"""
The settings: one tree, from defaults, a TOML file and the environment.

A later source wins. Every problem of every section is reported in one
ConfigError, an unknown name with the nearest known one.
"""

from hvcore.settings.analytics import AnalyticsSettings
from hvcore.settings.conversion import (
    OTHER_OPTIONS,
    env_name,
    structure_options,
    where_to_set,
)
from hvcore.settings.loading import Loaded, load
from hvcore.settings.tree import (
    BackendSettings,
    DatabaseSettings,
    EdgeSettings,
    PlaybackSettings,
    PublicSettings,
    Settings,
    UploadSettings,
    is_secret,
    known_names,
)

__all__ = [
    "OTHER_OPTIONS",
    "AnalyticsSettings",
    "BackendSettings",
    "DatabaseSettings",
    "EdgeSettings",
    "Loaded",
    "PlaybackSettings",
    "PublicSettings",
    "Settings",
    "UploadSettings",
    "env_name",
    "is_secret",
    "known_names",
    "load",
    "structure_options",
    "where_to_set",
]
