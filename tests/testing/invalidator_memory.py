"""
Invalidators of a cache in memory that are wrong in one way each.
"""

import logging
import re
import threading
from contextlib import suppress
from typing import ClassVar
from urllib.parse import unquote, urlsplit

import attrs

from hvcore.errors import UnavailableError
from hvcore.plugin_api import InvalidationOrder, InvalidationReason
from hvcore.testing.fakes import RecordingInvalidator

TOKEN = "token-of-the-provider"
_log = logging.getLogger(__name__)


class ForgetsNothing(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        self.orders.append(order)


class ForgetsTheFirst(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        first = order.address_prefixes[:1]
        super().invalidate(attrs.evolve(order, address_prefixes=first))


class ForgetsPages(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        self.kept -= set(order.address_prefixes)


class ForgetsFolders(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        folders = tuple(f"{p.rstrip('/')}/" for p in order.address_prefixes)
        super().invalidate(attrs.evolve(order, address_prefixes=folders))


class ForgetsAll(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        super().invalidate(order)
        self.kept.clear()


class TrimsSlashes(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        trimmed = tuple(prefix.rstrip("/") for prefix in order.address_prefixes)
        super().invalidate(attrs.evolve(order, address_prefixes=trimmed))


class KnowsNoHosts(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        paths = tuple(urlsplit(prefix).path for prefix in order.address_prefixes)
        super().invalidate(order)
        self.kept -= {a for a in self.kept if urlsplit(a).path.startswith(paths)}


class FindsItAnywhere(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        paths = [urlsplit(prefix).path for prefix in order.address_prefixes]
        super().invalidate(order)
        self.kept -= {
            a
            for a in self.kept
            if a.startswith("https://cdn") and any(p in a for p in paths)
        }


class TakesPatterns(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        super().invalidate(order)
        for prefix in order.address_prefixes:
            self.kept -= {a for a in self.kept if re.match(prefix, a)}


class TakesThirty(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        some = order.address_prefixes[:30]
        super().invalidate(attrs.evolve(order, address_prefixes=some))


class KnowsDeletes(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        if order.reason is InvalidationReason.DELETED:
            super().invalidate(order)


class CarriesOutOnce(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        if order.id not in {one.id for one in self.orders}:
            super().invalidate(order)


class MindsRepeats(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        if order in self.orders:
            raise UnavailableError("409")
        super().invalidate(order)


class MindsNothing(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        if not any(a.startswith(order.address_prefixes) for a in self.kept):
            raise UnavailableError("404")
        super().invalidate(order)


class TakesNoPrefixForAll(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        prefixes = order.address_prefixes or ("",)
        super().invalidate(attrs.evolve(order, address_prefixes=prefixes))


class HasOneOrder(RecordingInvalidator):
    current: InvalidationOrder | None = None
    together = None

    def invalidate(self, order: InvalidationOrder) -> None:
        self.current = order
        # What a request to a provider takes.
        threading.Event().wait(0.05)
        super().invalidate(self.current)


class LeaksErrors(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        if self.is_down:
            raise ConnectionRefusedError("refused")
        super().invalidate(order)


class SwallowsErrors(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        if not self.is_down:
            super().invalidate(order)


class Hangs(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        if self.is_down:
            threading.Event().wait(2.0)
        super().invalidate(order)


class CausesTellTheToken(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        try:
            super().invalidate(order)
        except UnavailableError as exc:
            raise UnavailableError("no") from ValueError(f"Bearer {TOKEN}", exc)


class LogsTheToken(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        _log.info("asking", extra={"hv_headers": {"authorization": TOKEN}})
        super().invalidate(order)


class ShowsTheToken(RecordingInvalidator):
    def __repr__(self) -> str:
        return f"ShowsTheToken({TOKEN})"


class KnowsNoPorts(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        super().invalidate(order)
        hosts = {
            (urlsplit(p).hostname, urlsplit(p).path) for p in order.address_prefixes
        }
        self.kept -= {
            one
            for one in self.kept
            if any(
                urlsplit(one).hostname == host and urlsplit(one).path.startswith(path)
                for host, path in hosts
            )
        }


class FoldsCase(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        prefixes = tuple(one.lower() for one in order.address_prefixes)
        self.kept -= {one for one in self.kept if one.lower().startswith(prefixes)}


class DecodesPaths(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        prefixes = tuple(unquote(one) for one in order.address_prefixes)
        self.kept -= {one for one in self.kept if unquote(one).startswith(prefixes)}


class CutsPaths(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        prefixes = tuple(one[:255] for one in order.address_prefixes)
        self.kept -= {one for one in self.kept if one.startswith(prefixes)}


class ForgetsByVideo(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        super().invalidate(order)
        self.kept -= {one for one in self.kept if f"/{order.video_id}/" in one}


class SharesTheToken(RecordingInvalidator):
    is_refused: ClassVar[bool] = False

    def invalidate(self, order: InvalidationOrder) -> None:
        SharesTheToken.is_refused = self.is_refused or self.is_down
        if self.is_refused:
            raise UnavailableError("The token is wrong.")
        super().invalidate(order)


class BeginsAgainBehindAFailure(RecordingInvalidator):
    """
    Carries an order out prefix by prefix, and drops what is behind a failure.
    """

    def invalidate(self, order: InvalidationOrder) -> None:
        for prefix in order.address_prefixes:
            if self.fails:
                self.fails = False
                return
            one = attrs.evolve(order, address_prefixes=(prefix,))
            super().invalidate(one)

    fails = True


class SwallowsInterrupts(RecordingInvalidator):
    def invalidate(self, order: InvalidationOrder) -> None:
        with suppress(KeyboardInterrupt):
            super().invalidate(order)
