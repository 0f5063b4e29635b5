"""
Find plugins, refuse clashes, choose backends by name, build them.
"""

import importlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, TypeVar, cast

import attrs
import pluggy

from hvcore import hookspecs
from hvcore.errors import ConfigError, PluginError
from hvcore.hookspecs import Backend
from hvcore.ports.analytics import AnalyticsSink, AnalyticsStore
from hvcore.ports.auth import AuthProvider
from hvcore.ports.cache_purge import CachePurger
from hvcore.ports.context import BuildContext
from hvcore.ports.queue import Queue
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.ports.sign_in import LINK_BACKEND, SignInProvider
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import Transcoder
from hvcore.settings import BackendSettings, Settings, structure_options

GROUP: Final = hookspecs.PROJECT

HOOKS: Final = {
    "storage": "hvcore_storages",
    "transcoder": "hvcore_transcoders",
    "queue": "hvcore_queues",
    "auth": "hvcore_auth_providers",
    "limits": "hvcore_rate_limit_stores",
    "analytics": "hvcore_analytics_sinks",
    "edge": "hvcore_cache_purgers",
    "sign_in": "hvcore_sign_ins",
    "routes": "hvcore_routes",
    "middleware": "hvcore_middleware",
    "events": "hvcore_event_subscribers",
    "commands": "hvcore_commands",
}
"""Kind of backend, and the hook that offers it."""
EXTENSIONS: Final = frozenset({"routes", "middleware", "events", "commands"})
"""Kinds of which no setting chooses any: what is installed is used."""

CHOSEN_BY: Final = {
    "auth": "auth.providers",
    "limits": "limits.store",
    "analytics": "analytics.sinks",
    "edge": "edge.purgers",
}
"""The setting that names a backend, where it is not ``<kind>.backend``."""
SEVERAL: Final = frozenset({"auth", "analytics", "sign_in"})
"""Kinds of which several are chosen; the options of each are below its name."""

RENAMED: Final = {
    "events-redis": "analytics-redis",
    "hv_events_redis.plugin": "hv_analytics_redis.plugin",
}
"""Old names of plugins that settings may still use, for a release."""

PortT = TypeVar("PortT")

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class Offer:
    """
    A backend that a plugin offers.

    Attributes:
        plugin: The entry point's name, or the module's for HV_PLUGINS.
        distribution: Name and version of the package that brings it.
    """

    kind: str
    backend: Backend[Any]
    plugin: str
    distribution: str


class Registry:
    """
    The backends on offer in this process.
    """

    def __init__(self, offers: Sequence[Offer]) -> None:
        self.offers = tuple(offers)
        seen: dict[tuple[str, str], Offer] = {}
        for offer in self.offers:
            key = (offer.kind, offer.backend.name)
            if key in seen:
                raise PluginError(
                    f"Two plugins offer the {offer.kind} backend "
                    f"{offer.backend.name!r}: {seen[key].plugin} "
                    f"({seen[key].distribution}) and {offer.plugin} "
                    f"({offer.distribution}). Uninstall one, or name one of them "
                    "in plugin.disabled."
                )
            seen[key] = offer
        self._by_name = seen

    def storage(self, settings: Settings, context: BuildContext) -> Storage:
        """
        Build the storage that the settings choose.
        """
        return cast(Storage, self._build("storage", settings.storage, context))

    def transcoder(self, settings: Settings, context: BuildContext) -> Transcoder:
        """
        Build the transcoder that the settings choose.
        """
        return cast(Transcoder, self._build("transcoder", settings.transcoder, context))

    def transcoder_named(
        self, settings: Settings, context: BuildContext, name: str
    ) -> Transcoder:
        """
        Build another transcoder than the one that the settings choose for most jobs.

        Raises:
            ConfigError: Its options cannot be used.
            PluginError: There is none of this name.
        """
        chosen = BackendSettings(
            backend=name, options=settings.transcoder.further.get(name, {})
        )
        path = f"transcoder.further.{name}"
        return cast(Transcoder, self._build("transcoder", chosen, context, path=path))

    def queue(self, settings: Settings, context: BuildContext) -> Queue:
        """
        Build the queue that the settings choose.
        """
        return cast(Queue, self._build("queue", settings.queue, context))

    def auth_providers(
        self, settings: Settings, context: BuildContext
    ) -> tuple[AuthProvider, ...]:
        """
        Build the chain of authentication that the settings name.
        """
        options = settings.auth.options
        return tuple(
            cast(
                AuthProvider,
                self._build(
                    "auth",
                    BackendSettings(backend=name, options=options.get(name, {})),
                    context,
                ),
            )
            for name in settings.auth.providers
        )

    def rate_limit_store(
        self, settings: Settings, context: BuildContext
    ) -> RateLimitStore:
        """
        Build the store of rate limits that the settings choose.
        """
        limits = settings.limits
        chosen = BackendSettings(backend=limits.store, options=limits.options)
        return cast(RateLimitStore, self._build("limits", chosen, context))

    def analytics_sinks(
        self, settings: Settings, context: BuildContext
    ) -> Mapping[str, AnalyticsSink]:
        """
        Build every sink that the settings name.

        Raises:
            ConfigError: The store that must answer queries is not among them, or
                cannot do so.
        """
        analytics = settings.analytics
        if analytics.store not in analytics.sinks:
            raise ConfigError(
                f"analytics.store is {analytics.store!r}, which is not one of "
                f"analytics.sinks ({', '.join(analytics.sinks) or 'none'}). Add it "
                "there, or name one that is."
            )
        sinks = {
            name: cast(
                AnalyticsSink,
                self._build(
                    "analytics",
                    BackendSettings(
                        backend=name, options=analytics.options.get(name, {})
                    ),
                    context,
                ),
            )
            for name in analytics.sinks
        }
        if not isinstance(sinks[analytics.store], AnalyticsStore):
            raise ConfigError(
                f"The analytics backend {analytics.store!r} counts, but cannot answer "
                "questions. Name another one in analytics.store."
            )
        return sinks

    def cache_purgers(
        self, settings: Settings, context: BuildContext
    ) -> Mapping[str, CachePurger]:
        """
        Build the cache purgers that the settings name.
        """
        return {
            name: cast(
                CachePurger,
                self._build(
                    "edge",
                    BackendSettings(
                        backend=name, options=settings.edge.options.get(name, {})
                    ),
                    context,
                ),
            )
            for name in settings.edge.purgers
        }

    def sign_in_providers(
        self, settings: Settings, context: BuildContext
    ) -> Mapping[str, SignInProvider]:
        """
        Build the sign-in backend that the settings choose, and that of links.

        An operator who has the machine signs in by a link while a provider is down.
        """
        chosen = settings.sign_in.backend
        names = {chosen}
        if ("sign_in", LINK_BACKEND) in self._by_name:
            names.add(LINK_BACKEND)
        return {
            name: cast(
                SignInProvider,
                self._build(
                    "sign_in",
                    BackendSettings(
                        backend=name, options=settings.sign_in.options_of(name)
                    ),
                    context,
                ),
            )
            for name in sorted(names)
        }

    def of_kind(self, kind: str) -> Sequence[Offer]:
        """
        Return the offers of a kind, by name.
        """
        found = [offer for offer in self.offers if offer.kind == kind]
        return sorted(found, key=lambda offer: offer.backend.name)

    def extension(self, offer: Offer, settings: Settings, context: BuildContext) -> Any:  # noqa: ANN401 - what the record's kind says
        """
        Build something of which no setting chooses any.

        Raises:
            ConfigError: Its options cannot be used.
            PluginError: It cannot be built.
        """
        name = offer.backend.name
        chosen = BackendSettings(
            backend=name, options=settings.plugin.options.get(name, {})
        )
        return self._build(offer.kind, chosen, context, path=f"plugin.options.{name}")

    def _build(
        self,
        kind: str,
        chosen: BackendSettings,
        context: BuildContext,
        *,
        path: str | None = None,
    ) -> object:
        offer = self._by_name.get((kind, chosen.backend))
        if offer is None:
            names = sorted(name for k, name in self._by_name if k == kind)
            raise PluginError(
                f"No plugin offers the {kind} backend {chosen.backend!r}; on offer: "
                f"{', '.join(names) or 'none'}. Install the plugin or change "
                f"{CHOSEN_BY.get(kind, f'{kind}.backend')}."
            )
        backend = offer.backend
        options = structure_options(
            chosen.options,
            backend.options,
            path=path or _options_path(kind, backend.name),
        )
        try:
            return backend.factory(options, context)
        except ImportError as exc:
            extra = f"hvcore[{backend.extra}]" if backend.extra else offer.distribution
            raise PluginError(
                f"The {kind} backend {backend.name!r} needs {exc.name}; "
                f"run: pip install '{extra}'."
            ) from exc


def _options_path(kind: str, backend: str) -> str:
    if (kind, backend) == ("sign_in", "oidc"):
        return "sign_in.oidc"
    return f"{kind}.options.{backend}" if kind in SEVERAL else f"{kind}.options"


def load_plugins(settings: Settings) -> Registry:
    """
    Load every plugin and ask it for its backends.

    Raises:
        PluginError: A plugin is broken, or two offer the same backend.
    """
    offers: list[Offer] = []
    disabled = {current_name(name) for name in settings.plugin.disabled}
    for name, distribution, module in _modules(settings):
        if name in disabled:
            continue
        # One manager a plugin: the offers stay attached to who made them.
        manager = pluggy.PluginManager(hookspecs.PROJECT)
        manager.add_hookspecs(hookspecs)
        try:
            manager.register(module(), name=name)
            manager.check_pending()
        except pluggy.PluginValidationError as exc:
            raise PluginError(f"Plugin {name} ({distribution}): {exc}") from exc
        except ImportError as exc:
            raise PluginError(
                f"Plugin {name} ({distribution}) cannot be imported: {exc}. "
                "Reinstall it, or name it in plugin.disabled."
            ) from exc
        offers += _offers(manager, name, distribution)
    return Registry(offers)


def plugin_names(settings: Settings) -> frozenset[str]:
    """
    Return the names of all plugins, disabled or not.
    """
    return frozenset(name for name, _, _ in _modules(settings))


def current_name(name: str) -> str:
    """
    Return what a plugin is called today; warn of an old name.
    """
    current = RENAMED.get(name, name)
    if current != name:
        _log.warning(
            "A plugin has a new name", extra={"hv_old": name, "hv_new": current}
        )
    return current


def _modules(settings: Settings) -> Iterator[tuple[str, str, Any]]:
    if settings.plugin_modules is not None:
        for name in map(current_name, settings.plugin_modules):
            yield name, "HV_PLUGINS", _importer(name)
        return
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    if not found:
        raise ConfigError(
            "No plugin is installed. Run ./hv setup, or pip install 'hvcore[all]'."
        )
    for point in found:
        yield point.name, _distribution(point), point.load


def _importer(name: str) -> Any:  # noqa: ANN401 - a callable that imports
    return lambda: importlib.import_module(name)


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "unknown"


def _offers(
    manager: pluggy.PluginManager, name: str, distribution: str
) -> Iterator[Offer]:
    hooks: Mapping[str, Any] = vars(manager.hook)
    for kind, hook in HOOKS.items():
        for records in hooks[hook]():
            for backend in records:
                if not isinstance(backend, Backend):
                    raise PluginError(
                        f"Plugin {name} ({distribution}): {hook} must give backend "
                        f"records, not {type(backend).__name__}."
                    )
                yield Offer(
                    kind=kind, backend=backend, plugin=name, distribution=distribution
                )
