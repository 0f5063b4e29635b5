"""Build the backends that the settings choose, each once, and close all of them together."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import cast

from hvcore.assembly.backend_choice.offered_backends import active_choices
from hvcore.errors import ConfigError, HvcoreError, SeveralPluginsError
from hvcore.ports.analytics import AnalyticsSink, AnalyticsStore
from hvcore.ports.auth import AuthProvider
from hvcore.ports.cache_invalidation import CacheInvalidator
from hvcore.ports.context import BuildContext
from hvcore.ports.event_subscribers import EventSubscriber
from hvcore.ports.preparation import SupportsPrepare
from hvcore.ports.queue import Queue
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.ports.sign_in import SignInProvider
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import Transcoder
from hvcore.ports.transcriber import Transcriber
from hvcore.registry import Choice, Registry
from hvcore.registry.building import close_made
from hvcore.registry.choices import further_transcoder
from hvcore.settings import Settings

_log = logging.getLogger(__name__)


class ChosenBackends:
    """
    Build the backends that settings choose and plugins add, each when it is first asked for.

    Each backend is built once, also if several threads ask for it. A backend that hangs while
    it is built holds up only the threads that ask for it.

    Args:
        find_context: Returns the context (clock, database and the like) that backends' factories
            get besides the options; called before a backend is built.
    """

    def __init__(
        self,
        registry: Registry,
        settings: Settings,
        find_context: Callable[[], BuildContext],
    ) -> None:
        self._registry = registry
        self._settings = settings
        self._find_context = find_context
        self._locks: dict[tuple[str, str], threading.RLock] = {}
        self._built: dict[tuple[str, str], object] = {}

    def storage(self) -> Storage:
        """Return the storage that the settings choose."""
        return cast(Storage, self._one("storage"))

    def transcoder(self) -> Transcoder:
        """Return the transcoder that the settings choose for jobs that name no other one."""
        return cast(Transcoder, self._one("transcoder"))

    def transcoder_named(self, name: str) -> Transcoder:
        """
        Return the transcoder with this name, which may be another than the settings' usual one.

        Raises:
            ConfigError: The transcoder's options cannot be used.
            PluginError: No plugin offers a transcoder with this name.
        """
        return cast(Transcoder, self._build(further_transcoder(self._settings, name)))

    def transcriber(self) -> Transcriber | None:
        """Return the transcriber that the settings choose; None if they choose none."""
        for one in self.all_of("transcriber").values():
            return cast(Transcriber, one)
        return None

    def queue(self) -> Queue:
        """Return the queue that the settings choose."""
        return cast(Queue, self._one("queue"))

    def rate_limit_store(self) -> RateLimitStore:
        """Return the store of rate limits that the settings choose."""
        return cast(RateLimitStore, self._one("limits"))

    def auth_providers(self) -> tuple[AuthProvider, ...]:
        """Return the authentication providers that the settings name, in the order in which they are asked."""
        return tuple(cast(AuthProvider, one) for one in self.all_of("auth").values())

    def analytics_sinks(self) -> Mapping[str, AnalyticsSink]:
        """
        Return the analytics sinks that the settings name, by name.

        Raises:
            ConfigError: The sink that must answer queries (the store) is not among them, or
                cannot answer queries.
        """
        analytics = self._settings.analytics
        if analytics.store not in analytics.sinks:
            raise ConfigError(
                f"analytics.store is {analytics.store!r}, which is not one of "
                f"analytics.sinks ({', '.join(analytics.sinks) or 'none'}). Add it "
                "there, or name one that is."
            )
        made = self.all_of("analytics")
        sinks = {name: cast(AnalyticsSink, one) for name, one in made.items()}
        if not isinstance(sinks[analytics.store], AnalyticsStore):
            raise ConfigError(
                f"The analytics backend {analytics.store!r} counts, but cannot answer "
                "questions. Name another one in analytics.store."
            )
        return sinks

    def cache_invalidators(self) -> Mapping[str, CacheInvalidator]:
        """Return the cache invalidators that the settings name, by name."""
        made = self.all_of("edge")
        return {name: cast(CacheInvalidator, one) for name, one in made.items()}

    def sign_in_providers(self) -> Mapping[str, SignInProvider]:
        """
        Return the sign-in backend that the settings choose, and the backend of one-time links, by name.

        With a one-time link, an operator with access to the machine can sign in while the
        provider is down.
        """
        made = self.all_of("sign_in")
        return {name: cast(SignInProvider, one) for name, one in made.items()}

    def subscribers(self) -> Mapping[str, EventSubscriber]:
        """Return the event subscribers of all plugins, by name."""
        made = self.all_of("events")
        return {name: cast(EventSubscriber, one) for name, one in made.items()}

    def all_of(self, kind: str) -> Mapping[str, object]:
        """
        Return the backends of a kind that are chosen or added, by name.

        Raises:
            HvcoreError: One backend cannot be built.
            SeveralPluginsError: Several backends cannot be built.
        """
        made: dict[str, object] = {}
        errors: list[HvcoreError] = []
        for choice in self._registry.choices(self._settings, kind):
            try:
                made[choice.name] = self._build(choice)
            except HvcoreError as exc:
                errors.append(exc)
        if errors:
            raise errors[0] if len(errors) == 1 else SeveralPluginsError(errors)
        return made

    def to_prepare(
        self, is_wanted: Callable[[Choice], bool]
    ) -> Iterator[tuple[Choice, SupportsPrepare]]:
        """
        Build and yield the chosen backends whose plugins' records say that they have tables or the like to prepare.

        Other backends are not built for this: a command must not wait for a distant server only
        to learn that its backend has no tables.

        Args:
            is_wanted: Returns whether a chosen backend may be built.
        """
        for choice in active_choices(self._registry, self._settings):
            if self._registry.prepares(choice) and is_wanted(choice):
                # It was looked at when it was built.
                yield choice, cast(SupportsPrepare, self._build(choice))

    def close(self) -> None:
        """
        Close all backends that were built, the last one first.

        Raises:
            Exception: The first error that a backend raised; the others are closed all the same.
        """
        built = list(self._built.values())
        self._built.clear()
        release_all(partial(close_made, made) for made in reversed(built))

    def _one(self, kind: str) -> object:
        return self._build(self._registry.choices(self._settings, kind)[0])

    def _build(self, choice: Choice) -> object:
        key = (choice.kind, choice.name)
        with self._locks.setdefault(key, threading.RLock()):
            if key not in self._built:
                self._built[key] = self._registry.build(choice, self._find_context())
            return self._built[key]


def release_all(releases: Iterable[Callable[[], object]]) -> None:
    """
    Call all of the given functions, even if some of them fail.

    Raises:
        Exception: The first error; further ones are logged.
    """
    first: Exception | None = None
    for release in releases:
        try:
            release()
        except Exception as exc:  # noqa: BLE001 - those of others must not stay open
            if first is None:
                first = exc
            else:
                _log.exception("A further backend could not be closed")
    if first is not None:
        raise first
