"""Find the backends that plugins offer, and build those that the settings choose."""

import difflib
from collections.abc import Callable, Sequence
from functools import partial

from hvcore.errors import PluginError
from hvcore.ports.context import BuildContext
from hvcore.ports.sign_in import LINK_BACKEND
from hvcore.registry.building import build_backend, title
from hvcore.registry.choices import Choice, added, choices
from hvcore.registry.faults import PluginFault
from hvcore.registry.hooks import Offer
from hvcore.registry.kinds import KINDS
from hvcore.registry.traces import trace_methods, traced_call
from hvcore.settings import Settings, env_name


class Registry:
    """
    The backends that the loaded plugins offer, and the faults that plugins have shown.

    Attributes:
        faults: The faults of plugins; other backends of the same plugins are on offer.

    Args:
        traces: Whether the calls of backends' methods are logged.
    """

    def __init__(
        self,
        offers: Sequence[Offer],
        faults: Sequence[PluginFault] = (),
        *,
        traces: bool = False,
    ) -> None:
        self._traces = traces
        self.offers = tuple(offers)
        self.faults = tuple(faults)
        self._by_name: dict[tuple[str, str], list[Offer]] = {}
        for offer in self.offers:
            key = (offer.kind, offer.backend.name)
            self._by_name.setdefault(key, []).append(offer)

    def of_kind(self, kind: str) -> Sequence[Offer]:
        """Return the offered backends of a kind, sorted by name."""
        found = [offer for offer in self.offers if offer.kind == kind]
        return sorted(found, key=lambda offer: offer.backend.name)

    def choices(self, settings: Settings, kind: str) -> Sequence[Choice]:
        """
        Return the backends of a kind that the settings choose; or all offered backends, if the kind needs no choice.

        The sign-in backend for links is among them only if it is on offer.
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
        Return the offer of the backend with this kind and name.

        Raises:
            PluginError: No plugin offers the backend, or several do.
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
            f"Install its plugin{', fix that one' if broken else ''}, or correct "
            f"{setting} (HV_{env_name(setting)}).",
        )

    def prepares(self, choice: Choice) -> bool:
        """Return whether the record of a chosen backend says that the backend has tables of its own to make."""
        offers = self._by_name.get((choice.kind, choice.name), [])
        return any(offer.backend.prepares for offer in offers)

    def build(self, choice: Choice, context: BuildContext) -> object:
        """
        Build a chosen backend, and return it.

        Raises:
            ConfigError: The options of the backend cannot be used.
            PluginError: The backend is not on offer, cannot be built, or does not fit its port.
            UnavailableError: A server that the backend needs does not answer.
        """
        offer = self.offer(choice.kind, choice.name)
        build = partial(build_backend, offer, choice.options, context, path=choice.path)
        if not self._traces:
            return build()
        made = traced_call(offer.source, f"the factory of {title(offer)}", build)
        # What others add is called by names of other libraries, such as WSGI's.
        if KINDS[offer.kind].port not in (object, Callable):
            trace_methods(made, offer.source)
        return made
