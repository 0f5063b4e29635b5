"""
Purgers of a cache in memory that are wrong in one way each.
"""

import logging
import re
import threading
from urllib.parse import urlsplit

import attrs

from hvcore.errors import UnavailableError
from hvcore.plugin_api import PurgeOrder, PurgeReason
from hvcore.testing.fakes import RecordingPurger

TOKEN = "token-of-the-provider"
_log = logging.getLogger(__name__)


class ForgetsNothing(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        self.orders.append(order)


class ForgetsTheFirst(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        first = order.address_prefixes[:1]
        super().purge(attrs.evolve(order, address_prefixes=first))


class ForgetsPages(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        self.kept -= set(order.address_prefixes)


class ForgetsFolders(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        folders = tuple(f"{p.rstrip('/')}/" for p in order.address_prefixes)
        super().purge(attrs.evolve(order, address_prefixes=folders))


class ForgetsAll(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        super().purge(order)
        self.kept.clear()


class TrimsSlashes(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        trimmed = tuple(prefix.rstrip("/") for prefix in order.address_prefixes)
        super().purge(attrs.evolve(order, address_prefixes=trimmed))


class KnowsNoHosts(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        paths = tuple(urlsplit(prefix).path for prefix in order.address_prefixes)
        super().purge(order)
        self.kept -= {a for a in self.kept if urlsplit(a).path.startswith(paths)}


class FindsItAnywhere(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        paths = [urlsplit(prefix).path for prefix in order.address_prefixes]
        super().purge(order)
        self.kept -= {
            a
            for a in self.kept
            if a.startswith("https://cdn") and any(p in a for p in paths)
        }


class TakesPatterns(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        super().purge(order)
        for prefix in order.address_prefixes:
            self.kept -= {a for a in self.kept if re.match(prefix, a)}


class TakesThirty(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        some = order.address_prefixes[:30]
        super().purge(attrs.evolve(order, address_prefixes=some))


class KnowsDeletes(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        if order.reason is PurgeReason.DELETED:
            super().purge(order)


class CarriesOutOnce(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        if order.id not in {one.id for one in self.orders}:
            super().purge(order)


class MindsRepeats(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        if order in self.orders:
            raise UnavailableError("409")
        super().purge(order)


class MindsNothing(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        if not any(a.startswith(order.address_prefixes) for a in self.kept):
            raise UnavailableError("404")
        super().purge(order)


class TakesNoPrefixForAll(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        prefixes = order.address_prefixes or ("",)
        super().purge(attrs.evolve(order, address_prefixes=prefixes))


class HasOneOrder(RecordingPurger):
    current: PurgeOrder | None = None
    together = None

    def purge(self, order: PurgeOrder) -> None:
        self.current = order
        # What a request to a provider takes.
        threading.Event().wait(0.05)
        super().purge(self.current)


class LeaksErrors(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        if self.is_down:
            raise ConnectionRefusedError("refused")
        super().purge(order)


class SwallowsErrors(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        if not self.is_down:
            super().purge(order)


class Hangs(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        if self.is_down:
            threading.Event().wait(2.0)
        super().purge(order)


class CausesTellTheToken(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        try:
            super().purge(order)
        except UnavailableError as exc:
            raise UnavailableError("no") from ValueError(f"Bearer {TOKEN}", exc)


class LogsTheToken(RecordingPurger):
    def purge(self, order: PurgeOrder) -> None:
        _log.info("asking", extra={"hv_headers": {"authorization": TOKEN}})
        super().purge(order)


class ShowsTheToken(RecordingPurger):
    def __repr__(self) -> str:
        return f"ShowsTheToken({TOKEN})"
