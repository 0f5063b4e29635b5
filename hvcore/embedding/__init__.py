"""
Use hvcore within another program (the host program); see docs/how-to/embedding.md.

The names of this package are a stable interface: they change only as the policy of the
plugin API allows. Everything else in hvcore may change with any release.
"""

from typing import TYPE_CHECKING

from hvcore.clock import Clock
from hvcore.domain.access.keys import Permission
from hvcore.domain.access.principals import Principal
from hvcore.domain.analytics.breakdown import BreakdownBy
from hvcore.domain.processing.encoding import Preset
from hvcore.domain.videos.catalog import SortBy, SortDir
from hvcore.domain.videos.states import VideoState
from hvcore.domain.webhooks.events import EventKind
from hvcore.embedding.analytics import EnvironmentReports, Report
from hvcore.embedding.arguments import NewVideo, VideoFilters, VideoUpdate
from hvcore.embedding.captions import Caption, CaptionList, EnvironmentCaptions
from hvcore.embedding.connections import DatabaseConnection, OnCommit
from hvcore.embedding.environments import EmbeddedEnvironment
from hvcore.embedding.events import OnEvent
from hvcore.embedding.overrides import Overrides
from hvcore.embedding.posters import EnvironmentPosters
from hvcore.embedding.service import EmbeddedService, embed
from hvcore.embedding.sign_in import SignIn, person
from hvcore.embedding.transactions import EnvironmentInTransaction
from hvcore.embedding.values import EmbeddedVideo, ListedVideo, Upload, VideoList
from hvcore.embedding.web import WsgiApp, WsgiEnviron
from hvcore.errors import (
    AlreadyDeletedError,
    ConfigError,
    ConflictError,
    HvcoreError,
    HvError,
    InvalidFileSizeError,
    InvalidParametersError,
    NotFoundError,
    NotMigratedError,
    OwnTransactionError,
    PluginError,
    PreconditionFailedError,
    QuotaExceededError,
    UnauthorizedError,
    UnavailableError,
    UnsupportedFormatError,
    VideoNotFoundError,
)
from hvcore.ports.analytics import AnalyticsSink, BatchRefusedError
from hvcore.ports.auth import AuthProvider, BearerScheme, Credentials, HeaderScheme
from hvcore.ports.event_subscribers import SubscribedEvent
from hvcore.ports.mail import Mail, MailAnswerLostError, Mailer, MailRefusedError

if TYPE_CHECKING:
    from hvcore.safe_http import OutboundError, OutboundHttp, TargetRefusedError

__all__ = [
    "AlreadyDeletedError",
    "AnalyticsSink",
    "AuthProvider",
    "BatchRefusedError",
    "BearerScheme",
    "BreakdownBy",
    "Caption",
    "CaptionList",
    "Clock",
    "ConfigError",
    "ConflictError",
    "Credentials",
    "DatabaseConnection",
    "EmbeddedEnvironment",
    "EmbeddedService",
    "EmbeddedVideo",
    "EnvironmentCaptions",
    "EnvironmentInTransaction",
    "EnvironmentPosters",
    "EnvironmentReports",
    "EventKind",
    "HeaderScheme",
    "HvError",
    "HvcoreError",
    "InvalidFileSizeError",
    "InvalidParametersError",
    "ListedVideo",
    "Mail",
    "MailAnswerLostError",
    "MailRefusedError",
    "Mailer",
    "NewVideo",
    "NotFoundError",
    "NotMigratedError",
    "OnCommit",
    "OnEvent",
    "OutboundError",
    "OutboundHttp",
    "Overrides",
    "OwnTransactionError",
    "Permission",
    "PluginError",
    "PreconditionFailedError",
    "Preset",
    "Principal",
    "QuotaExceededError",
    "Report",
    "SignIn",
    "SortBy",
    "SortDir",
    "SubscribedEvent",
    "TargetRefusedError",
    "UnauthorizedError",
    "UnavailableError",
    "UnsupportedFormatError",
    "Upload",
    "VideoFilters",
    "VideoList",
    "VideoNotFoundError",
    "VideoState",
    "VideoUpdate",
    "WsgiApp",
    "WsgiEnviron",
    "embed",
    "person",
]


def __getattr__(name: str) -> object:
    """Return a class of ``hvcore.safe_http``, which is imported only when it is first asked for."""
    if name not in {"OutboundError", "OutboundHttp", "TargetRefusedError"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hvcore import safe_http  # noqa: PLC0415 - see above

    return getattr(safe_http, name)
