"""
The backends on offer: choose them by name, and build them.
"""

import difflib
from collections.abc import Mapping, Sequence
from functools import partial
from typing import cast

from hvcore.errors import ConfigError, PluginError
from hvcore.ports.analytics import AnalyticsSink, AnalyticsStore
from hvcore.ports.auth import AuthProvider
from hvcore.ports.cache_purge import CachePurger
from hvcore.ports.context import BuildContext
from hvcore.ports.queue import Queue
from hvcore.ports.rate_limit import RateLimitStore
from hvcore.ports.sign_in import LINK_BACKEND, SignInProvider
from hvcore.ports.storage import Storage
from hvcore.ports.transcoder import Transcoder
from hvcore.registry.building import build_all, build_backend
from hvcore.registry.choices import Choice, added, choices, further_transcoder
from hvcore.registry.faults import PluginFault
from hvcore.registry.hooks import Offer
from hvcore.registry.kinds import KINDS
from hvcore.settings import Settings, env_name


class Registry:
    """
    The backends on offer in this process.

    Attributes:
        faults: What is wrong with plugins, whose other backends are on offer.
    """

    def __init__(
        self, offers: Sequence[Offer], faults: Sequence[PluginFault] = ()
    ) -> None:
        self.offers = tuple(offers)
        self.faults = tuple(faults)
        self._by_name: dict[tuple[str, str], list[Offer]] = {}
        for offer in self.offers:
            key = (offer.kind, offer.backend.name)
            self._by_name.setdefault(key, []).append(offer)

    def storage(self, settings: Settings, context: BuildContext) -> Storage:
        """
        Build the storage that the settings choose.
        """
        return cast(Storage, self._one("storage", settings, context))

    def transcoder(self, settings: Settings, context: BuildContext) -> Transcoder:
        """
        Build the transcoder that the settings choose.
        """
        return cast(Transcoder, self._one("transcoder", settings, context))

    def transcoder_named(
        self, settings: Settings, context: BuildContext, name: str
    ) -> Transcoder:
        """
        Build another transcoder than the one that the settings choose for most jobs.

        Raises:
            ConfigError: Its options cannot be used.
            PluginError: There is none of this name.
        """
        choice = further_transcoder(settings, name)
        return cast(Transcoder, self.build(choice, context))

    def queue(self, settings: Settings, context: BuildContext) -> Queue:
        """
        Build the queue that the settings choose.
        """
        return cast(Queue, self._one("queue", settings, context))

    def auth_providers(
        self, settings: Settings, context: BuildContext
    ) -> tuple[AuthProvider, ...]:
        """
        Build the chain of authentication that the settings name.
        """
        made = self._all("auth", settings, context)
        return tuple(cast(AuthProvider, one) for one in made.values())

    def rate_limit_store(
        self, settings: Settings, context: BuildContext
    ) -> RateLimitStore:
        """
        Build the store of rate limits that the settings choose.
        """
        return cast(RateLimitStore, self._one("limits", settings, context))

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
        made = self._all("analytics", settings, context)
        sinks = {name: cast(AnalyticsSink, one) for name, one in made.items()}
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
        made = self._all("edge", settings, context)
        return {name: cast(CachePurger, one) for name, one in made.items()}

    def sign_in_providers(
        self, settings: Settings, context: BuildContext
    ) -> Mapping[str, SignInProvider]:
        """
        Build the sign-in backend that the settings choose, and that of links.

        An operator who has the machine signs in by a link while a provider is down.
        """
        made = self._all("sign_in", settings, context)
        return {name: cast(SignInProvider, one) for name, one in made.items()}

    def extensions(
        self, kind: str, settings: Settings, context: BuildContext
    ) -> Mapping[str, object]:
        """
        Build all that plugins add of a kind, by the names of the records.
        """
        return self._all(kind, settings, context)

    def of_kind(self, kind: str) -> Sequence[Offer]:
        """
        Return the offers of a kind, by name.
        """
        found = [offer for offer in self.offers if offer.kind == kind]
        return sorted(found, key=lambda offer: offer.backend.name)

    def choices(self, settings: Settings, kind: str) -> Sequence[Choice]:
        """
        Return what the settings choose of a kind, or all that is added.

        Sign-in by links belongs to it only if it is on offer.
        """
        if KINDS[kind].is_added:
            names = dict.fromkeys(offer.backend.name for offer in self.of_kind(kind))
            return [added(settings, kind, name) for name in names]
        return [
            choice
            for choice in choices(settings, kind)
            if (kind, choice.name) in self._by_name
            or choice.name != LINK_BACKEND
            or choice.name == settings.sign_in.backend
        ]

    def offer(self, kind: str, name: str) -> Offer:
        """
        Return the offer of a backend.

        Raises:
            PluginError: Nobody offers it, or several do.
        """
        offers = self._by_name.get((kind, name), [])
        if len(offers) == 1:
            return offers[0]
        setting = KINDS[kind].setting
        if offers:
            one, two = offers[:2]
            raise PluginError(
                f"Two plugins offer the {kind} backend {name!r}: {one.plugin} "
                f"({one.distribution}) and {two.plugin} ({two.distribution}).",
                f"Uninstall one, or {two.source.leave_out}.",
            )
        on_offer = sorted(other for k, other in self._by_name if k == kind)
        near = difflib.get_close_matches(name, on_offer, n=1, cutoff=0.6)
        hint = f" Did you mean {near[0]}?" if near else ""
        # One of those may be what would have offered it.
        broken = "".join(f" {fault.found}" for fault in self.faults)
        raise PluginError(
            f"No plugin offers the {kind} backend {name!r}; on offer: "
            f"{', '.join(on_offer) or 'none'}.{hint}{broken}",
            f"Install its plugin{', mend that one' if broken else ''}, or correct "
            f"{setting} (HV_{env_name(setting)}).",
        )

    def prepares(self, choice: Choice) -> bool:
        """
        Return whether a backend's record says that it has tables of its own.
        """
        offers = self._by_name.get((choice.kind, choice.name), [])
        return any(offer.backend.prepares for offer in offers)

    def build(self, choice: Choice, context: BuildContext) -> object:
        """
        Build a backend.

        Raises:
            ConfigError: Its options cannot be used.
            PluginError: It is not on offer, cannot be built, or is not what it must be.
            UnavailableError: Something that it needs does not answer.
        """
        offer = self.offer(choice.kind, choice.name)
        return build_backend(offer, choice.options, context, path=choice.path)

    def _one(self, kind: str, settings: Settings, context: BuildContext) -> object:
        return self.build(self.choices(settings, kind)[0], context)

    def _all(
        self, kind: str, settings: Settings, context: BuildContext
    ) -> Mapping[str, object]:
        return build_all(
            {
                choice.name: partial(self.build, choice, context)
                for choice in self.choices(settings, kind)
            }
        )
