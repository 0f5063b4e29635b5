"""Use objects of the host program in the place of backends that the settings choose."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Optional

import attrs

from hvcore.clock import Clock
from hvcore.ports.analytics import AnalyticsSink, AnalyticsStore
from hvcore.ports.auth import AuthProvider
from hvcore.ports.cache_invalidation import CacheInvalidator
from hvcore.ports.mail import Mailer
from hvcore.ports.queue import Queue
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.ports.sign_in import SignInProvider
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import Transcoder
from hvcore.ports.transcriber import Transcriber

if TYPE_CHECKING:
    from hvcore.safe_http import OutboundHttp


@attrs.frozen(kw_only=True)
class Overrides:
    """
    Objects of the host program that replace backends; None leaves the choice to the settings.

    The objects stay the host program's: the service never closes them. A process that
    forks makes them after the fork, as it does the service.

    Attributes:
        auth_providers: The authentication providers of the API, asked in this order.
            Empty leaves the choice to the settings.
        analytics_store: The sink that gets the served segments, and answers queries about
            them.
        analytics_sinks: Further sinks that get the served segments, by their names: beside
            the store, and beside the sinks that the settings choose.
        sign_in_providers: The sign-in providers of the dashboard, by their names.
        cache_invalidators: The cache invalidators by their names.
        outbound: The HTTP client that sends webhooks and fetches files. In tests,
            ``hvcore.testing.recording_outbound.RecordingOutbound`` sends nothing.
    """

    storage: Storage | None = None
    transcoder: Transcoder | None = None
    transcriber: Transcriber | None = None
    queue: Queue | None = None
    auth_providers: tuple[AuthProvider, ...] = ()
    analytics_store: AnalyticsStore | None = None
    analytics_sinks: Mapping[str, AnalyticsSink] = attrs.field(factory=dict)
    rate_limit_store: RateLimitStore | None = None
    clock: Clock | None = None
    mailer: Mailer | None = None
    outbound: Optional["OutboundHttp"] = None
    sign_in_providers: Mapping[str, SignInProvider] = attrs.field(factory=dict)
    cache_invalidators: Mapping[str, CacheInvalidator] = attrs.field(factory=dict)

    def given(self) -> Mapping[str, object]:
        """Return the overrides by name, without None and empty groups."""
        values = attrs.asdict(self, recurse=False)
        return {
            name: value
            for name, value in values.items()
            # A backend may have a length, and be empty.
            if (value if isinstance(value, tuple | Mapping) else value is not None)
        }
