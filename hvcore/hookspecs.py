"""
The hooks by which a plugin offers backends, and adds to the service.

A hook returns named records and does nothing else: ``hv plugins`` calls every
one of them without a database, a network or a client library. The core picks
one record by its name from the settings, structures its options, calls its
factory once per process, and talks to the port from then on.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs
import pluggy

from hvcore.domain.webhooks.events import VIDEO_KINDS, EventKind
from hvcore.ports.analytics import AnalyticsSink
from hvcore.ports.auth import AuthProvider
from hvcore.ports.cache_invalidation import CacheInvalidator
from hvcore.ports.event_subscribers import EventSubscriber
from hvcore.ports.plugin_routes import PluginRoute
from hvcore.ports.queue import Queue
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.ports.sign_in import SignInProvider
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import Transcoder
from hvcore.ports.transcriber import Transcriber
from hvcore.ports.web_apps import Middleware, WebApp
from hvcore.settings import OTHER_OPTIONS

if TYPE_CHECKING:
    from click import Command
else:
    # It comes with hvcore[server], and not with the core.
    Command = object

PROJECT = "hvcore"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function of a plugin's module as a hook: ``@hookimpl``."""

PortT = TypeVar("PortT", covariant=True)
StateT = TypeVar("StateT")
MemberT = TypeVar("MemberT", bound=Enum)


@attrs.frozen(kw_only=True)
class NoOptions:
    """Declare that a backend has no options."""


def other_options() -> Any:  # noqa: ANN401 - attrs.field's own type
    """
    Declare the field of an options class that takes the options without own fields.

    For backends that pass options on to a library: the field is a mapping of names to
    the values of the settings, which are texts if they come from the environment.
    """
    return attrs.field(factory=dict, repr=False, metadata={OTHER_OPTIONS: True})


def _is_options_class(_: object, __: object, value: Any) -> None:  # noqa: ANN401 - whatever a plugin gives
    if not isinstance(value, type) or not attrs.has(value):
        name = getattr(value, "__name__", type(value).__name__)
        raise TypeError(
            f"options must be an attrs class, and {name} is none: put "
            "@attrs.frozen(kw_only=True) above it"
        )


def _is_factory(_: object, __: object, value: Any) -> None:  # noqa: ANN401 - see above
    if not callable(value):
        raise TypeError(
            f"factory must be a function of (options, context), not {value!r}"
        )


def _members(
    given: object, possible: Sequence[MemberT], field: str
) -> frozenset[MemberT]:
    """Return the members that a field names; raise on a name that matches none."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(
            f"{field} must be a set, such as {{{possible[0]}}}, not {given!r}"
        )
    members = list(given)
    wrong = [one for one in members if one not in possible]
    if wrong or not members:
        what = f"{wrong[0]!r} is none" if wrong else "none is there"
        names = ", ".join(map(str, possible))
        raise ValueError(f"{field}: {what} of {names}")
    return frozenset(members)


def _web_apps(given: Iterable[WebApp]) -> frozenset[WebApp]:
    return _members(given, tuple(WebApp), "apps")


def _event_kinds(given: Iterable[EventKind]) -> frozenset[EventKind]:
    return _members(given, VIDEO_KINDS, "kinds")


@attrs.frozen(kw_only=True)
class Backend(Generic[PortT]):
    """
    Describe a backend that a plugin offers: its name, its options and its factory.

    Attributes:
        name: The backend's name in the settings: lower-case letters, digits, ``-``.
        factory: Called once per process with the options and a
            BuildContext. It imports the client library, the module that
            offers the record does not.
        options: attrs class of the backend's settings; unknown or missing
            keys are reported before the factory is called.
        extra: The extra of the plugin's own distribution that installs the client
            library, if any; an extra of hvcore if the distribution has none of this
            name.
        prepares: Whether the backend has tables of its own, or the like: it is a
            SupportsPrepare. An analytics sink need not say so.
        requires: The version of the plugin API that the backend was written for, such
            as ``0.1``. A service whose API lacks something of that version, or has
            removed something since, does not offer the backend and says so. None: it
            is taken to suit every version.

    Raises:
        ValueError: The name or the version is not as it must be.
        TypeError: The factory cannot be called, or the options are no attrs class.
    """

    name: str = attrs.field(validator=attrs.validators.matches_re(r"[a-z][a-z0-9-]*"))
    factory: Callable[..., PortT] = attrs.field(validator=_is_factory)
    options: type = attrs.field(default=NoOptions, validator=_is_options_class)
    extra: str | None = None
    prepares: bool = False
    requires: str | None = attrs.field(
        default=None,
        validator=attrs.validators.optional(attrs.validators.matches_re(r"\d+\.\d+")),
    )


class StorageBackend(Backend[Storage]):
    """Describe a storage that a plugin offers; its factory makes a ``Storage``."""


class TranscoderBackend(Backend[Transcoder]):
    """Describe a transcoder that a plugin offers; its factory makes a ``Transcoder``."""


class TranscriberBackend(Backend[Transcriber]):
    """Describe a transcriber that a plugin offers; its factory makes a ``Transcriber``."""


class QueueBackend(Backend[Queue]):
    """Describe a queue that a plugin offers; its factory makes a ``Queue``."""


class AuthBackend(Backend[AuthProvider]):
    """Describe an ``AuthProvider`` that a plugin offers: its name, options and factory."""


class RateLimitBackend(Backend[RateLimitStore]):
    """Describe a rate limit store that a plugin offers; its factory makes a ``RateLimitStore``."""


class AnalyticsBackend(Backend[AnalyticsSink]):
    """Describe an analytics sink that a plugin offers; one that answers queries is a store."""


class CacheInvalidatorBackend(Backend[CacheInvalidator]):
    """Describe a ``CacheInvalidator`` that a plugin offers: its name, options and factory."""


class SignInBackend(Backend[SignInProvider]):
    """Describe a sign-in backend that a plugin offers; its factory makes a ``SignInProvider``."""


@attrs.frozen(kw_only=True)
class RoutesBackend(Backend[StateT], Generic[StateT]):
    """
    Offer routes of the API.

    Attributes:
        factory: Makes the object that the routes' handlers are called with.
        routes: The routes; none may have an address of the service or of another
            plugin.
    """

    routes: tuple[PluginRoute[StateT], ...] = attrs.field(converter=tuple)


@attrs.frozen(kw_only=True)
class MiddlewareBackend(Backend[Middleware]):
    """
    Offer WSGI middleware around web apps of the service.

    Attributes:
        factory: Makes the middleware, which is then called once for each app.
        apps: The web apps that the middleware is put around. With DELIVERY or PLAYER,
            every file of a published video takes the slower way through the app.
        order: A number: the middleware with the lowest is outermost; of equal ones, the
            first by name.

    Raises:
        TypeError: ``apps`` is no set, or the like.
        ValueError: ``apps`` is empty, or has a member that is no WebApp.
    """

    apps: frozenset[WebApp] = attrs.field(converter=_web_apps)
    order: int = 0


@attrs.frozen(kw_only=True)
class EventSubscriberBackend(Backend[EventSubscriber]):
    """
    Offer an EventSubscriber, which is told of events of videos.

    Attributes:
        kinds: The kinds of events that it is told of; by default all kinds of events of
            videos.

    Raises:
        TypeError: ``kinds`` is no set, or the like.
        ValueError: ``kinds`` is empty, or has a member that is no kind of events of
            videos.
    """

    kinds: frozenset[EventKind] = attrs.field(
        default=frozenset(VIDEO_KINDS), converter=_event_kinds
    )


@attrs.frozen(kw_only=True)
class CommandBackend(Backend[Command]):
    """
    Offer a command of ``hv`` with the name of the record.

    Attributes:
        factory: Makes the click command, when the command is called.
        summary: The command's description in ``hv --help``.
    """

    summary: str


@hookspec
def hvcore_storages() -> Iterable[StorageBackend]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Offer storages; ``storage.backend`` chooses one by name."""


@hookspec
def hvcore_transcoders() -> Iterable[TranscoderBackend]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Offer transcoders; ``transcoder.backend`` chooses one by name."""


@hookspec
def hvcore_transcribers() -> Iterable[TranscriberBackend]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Offer transcribers; ``transcriber.backend`` chooses one by name."""


@hookspec
def hvcore_queues() -> Iterable[QueueBackend]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Offer queues; ``queue.backend`` chooses one by name."""


@hookspec
def hvcore_auth_providers() -> Iterable[AuthBackend]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Offer authentication providers; ``auth.providers`` names them in the order of asking."""


@hookspec
def hvcore_rate_limit_stores() -> Iterable[RateLimitBackend]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Offer stores of rate limits; ``limits.store`` chooses one by name."""


@hookspec
def hvcore_analytics_sinks() -> Iterable[AnalyticsBackend]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Offer analytics sinks; ``analytics.sinks`` names those that count served segments."""


@hookspec
def hvcore_cache_invalidators() -> Iterable[CacheInvalidatorBackend]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Offer cache invalidators; ``edge.cache_invalidators`` names those that are used."""


@hookspec
def hvcore_sign_ins() -> Iterable[SignInBackend]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Offer sign-in for the dashboard; ``sign_in.backend`` chooses one by name."""


@hookspec
def hvcore_routes() -> Iterable[RoutesBackend[Any]]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Add routes to the API; the routes of every installed plugin are served."""


@hookspec
def hvcore_middleware() -> Iterable[MiddlewareBackend]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Put WSGI middleware around web apps; the middleware of every installed plugin is used."""


@hookspec
def hvcore_event_subscribers() -> Iterable[EventSubscriberBackend]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Offer event subscribers; every installed one is told of events of videos."""


@hookspec
def hvcore_commands() -> Iterable[CommandBackend]:  # type: ignore[empty-body]  # pluggy: a specification has no body
    """Add commands to ``hv``, the command line of the service."""
