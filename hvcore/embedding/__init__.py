"""
hvcore in another program; the page is docs/how-to/embedding.md.

All that is imported from here is promised: it changes only as the policy of the plugin
API says. Whatever else hvcore has may change with any release.
"""

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.principals import Principal
from hvcore.domain.processing.encoding import Preset
from hvcore.domain.videos.states import VideoState
from hvcore.embedding.connections import DatabaseConnection, OnCommit
from hvcore.embedding.environments import EmbeddedEnvironment, EnvironmentInTransaction
from hvcore.embedding.overrides import Overrides
from hvcore.embedding.service import EmbeddedService, embed
from hvcore.embedding.sign_in import SignIn, person
from hvcore.embedding.values import EmbeddedVideo, Upload
from hvcore.embedding.web import WsgiApp, WsgiEnviron
from hvcore.errors import (
    AlreadyDeletedError,
    ConfigError,
    HvcoreError,
    HvError,
    InvalidParametersError,
    NotMigratedError,
    OwnTransactionError,
    PluginError,
    QuotaExceededError,
    UnauthorizedError,
    UnavailableError,
    VideoNotFoundError,
)
from hvcore.ports.auth import AuthProvider, BearerScheme, Credentials, HeaderScheme

__all__ = [
    "AlreadyDeletedError",
    "AuthProvider",
    "BearerScheme",
    "ConfigError",
    "Credentials",
    "DatabaseConnection",
    "EmbeddedEnvironment",
    "EmbeddedService",
    "EmbeddedVideo",
    "EnvironmentInTransaction",
    "HeaderScheme",
    "HvError",
    "HvcoreError",
    "InvalidParametersError",
    "NotMigratedError",
    "OnCommit",
    "Overrides",
    "OwnTransactionError",
    "Permission",
    "PluginError",
    "Preset",
    "Principal",
    "QuotaExceededError",
    "SignIn",
    "UnauthorizedError",
    "UnavailableError",
    "Upload",
    "VideoNotFoundError",
    "VideoState",
    "WsgiApp",
    "WsgiEnviron",
    "embed",
    "person",
]
