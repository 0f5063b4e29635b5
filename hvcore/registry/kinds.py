"""List the kinds of backends: the hook that offers each, and the setting that chooses it."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import attrs

from hvcore import hookspecs
from hvcore.hookspecs import Backend
from hvcore.ports.analytics import (
    AnalyticsSink,
    AnalyticsStore,
    SupportsBackup,
    SupportsReports,
)
from hvcore.ports.auth import AuthProvider
from hvcore.ports.cache_invalidation import CacheInvalidator
from hvcore.ports.direct_uploads import (
    SupportsPartedWrite,
    SupportsPresignedWrite,
    SupportsStagedWrite,
)
from hvcore.ports.event_subscribers import EventSubscriber
from hvcore.ports.queue import Queue
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.ports.sign_in import SignInProvider
from hvcore.ports.storage import (
    Storage,
    SupportsCopy,
    SupportsHide,
    SupportsLocalPath,
    SupportsObjectUrl,
    SupportsPresignedRead,
    SupportsRoomCheck,
    SupportsUploadFile,
)
from hvcore.ports.transcoder import (
    RemoteTranscoder,
    SupportsDeclining,
    SupportsFrames,
    SupportsSound,
    SupportsStill,
    SupportsStorageCheck,
    Transcoder,
)
from hvcore.ports.transcriber import SupportsCostMeasurement, Transcriber


@attrs.frozen(kw_only=True)
class Kind:
    """
    A kind of backends or other additions of plugins, such as storages, with its hook, port and setting.

    Attributes:
        record: The class of the records that the hook returns.
        port: The class or protocol of which a factory must return an instance.
        setting: The dotted setting that names the chosen backends.
        has_several: Whether several backends can be chosen; the settings have each one's options
            below its name.
        is_added: Whether every installed backend is used without a choice; the setting then names
            backends to leave out.
        abilities: The protocols and classes that a backend may support besides its port.
    """

    name: str
    hook: str
    record: type[Backend[Any]]
    port: type
    setting: str
    has_several: bool = False
    is_added: bool = False
    abilities: Sequence[type] = ()


KINDS: Final = {
    kind.name: kind
    for kind in (
        Kind(
            name="storage",
            hook="hvcore_storages",
            record=hookspecs.StorageBackend,
            port=Storage,
            setting="storage.backend",
            abilities=(
                *(SupportsLocalPath, SupportsUploadFile, SupportsHide, SupportsCopy),
                *(SupportsObjectUrl, SupportsPresignedRead, SupportsPresignedWrite),
                *(SupportsPartedWrite, SupportsStagedWrite, SupportsRoomCheck),
            ),
        ),
        Kind(
            name="transcoder",
            hook="hvcore_transcoders",
            record=hookspecs.TranscoderBackend,
            port=Transcoder,
            setting="transcoder.backend",
            abilities=(
                *(RemoteTranscoder, SupportsStill, SupportsFrames, SupportsSound),
                *(SupportsDeclining, SupportsStorageCheck),
            ),
        ),
        Kind(
            name="transcriber",
            hook="hvcore_transcribers",
            record=hookspecs.TranscriberBackend,
            port=Transcriber,
            setting="transcriber.backend",
            abilities=(SupportsCostMeasurement,),
        ),
        Kind(
            name="queue",
            hook="hvcore_queues",
            record=hookspecs.QueueBackend,
            port=Queue,
            setting="queue.backend",
        ),
        Kind(
            name="auth",
            hook="hvcore_auth_providers",
            record=hookspecs.AuthBackend,
            port=AuthProvider,
            setting="auth.providers",
            has_several=True,
        ),
        Kind(
            name="limits",
            hook="hvcore_rate_limit_stores",
            record=hookspecs.RateLimitBackend,
            port=RateLimitStore,
            setting="limits.store",
        ),
        Kind(
            name="analytics",
            hook="hvcore_analytics_sinks",
            record=hookspecs.AnalyticsBackend,
            port=AnalyticsSink,
            setting="analytics.sinks",
            has_several=True,
            abilities=(AnalyticsStore, SupportsReports, SupportsBackup),
        ),
        Kind(
            name="edge",
            hook="hvcore_cache_invalidators",
            record=hookspecs.CacheInvalidatorBackend,
            port=CacheInvalidator,
            setting="edge.cache_invalidators",
            has_several=True,
        ),
        Kind(
            name="sign_in",
            hook="hvcore_sign_ins",
            record=hookspecs.SignInBackend,
            port=SignInProvider,
            setting="sign_in.backend",
            has_several=True,
        ),
        Kind(
            name="routes",
            hook="hvcore_routes",
            record=hookspecs.RoutesBackend,
            port=object,
            setting="plugin.disabled",
            is_added=True,
        ),
        Kind(
            name="middleware",
            hook="hvcore_middleware",
            record=hookspecs.MiddlewareBackend,
            port=Callable,  # type: ignore[arg-type]  # a class to isinstance
            setting="plugin.disabled",
            is_added=True,
        ),
        Kind(
            name="events",
            hook="hvcore_event_subscribers",
            record=hookspecs.EventSubscriberBackend,
            port=EventSubscriber,
            setting="plugin.disabled",
            is_added=True,
        ),
        Kind(
            name="commands",
            hook="hvcore_commands",
            record=hookspecs.CommandBackend,
            port=object,
            setting="plugin.disabled",
            is_added=True,
        ),
    )
}
HOOKS: Final = {kind.name: kind.hook for kind in KINDS.values()}
"""Kind of backend, and the hook that offers it."""


def options_path(kind: str, backend: str) -> str:
    """Return the dotted setting below which the options of a chosen backend are."""
    if (kind, backend) == ("sign_in", "oidc"):
        return "sign_in.oidc"
    if KINDS[kind].is_added:
        return f"plugin.options.{backend}"
    several = KINDS[kind].has_several
    return f"{kind}.options.{backend}" if several else f"{kind}.options"
