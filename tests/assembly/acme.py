"""
A plugin of every kind that keeps tables, and notes what is done with it.
"""

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from hvcore.plugin_api import (
    AnalyticsBackend,
    AnalyticsSink,
    CommandBackend,
    EventSubscriber,
    EventSubscriberBackend,
    MiddlewareBackend,
    QueueBackend,
    RoutesBackend,
    ServedBatch,
    SubscribedEvent,
    SupportsPrepare,
    TranscoderBackend,
    WebApp,
    hookimpl,
)
from tests.support.fakes import MemoryQueue, TextTranscoder


@attrs.define
class Ledger:
    """
    What was done, by the names of what was made.
    """

    made: list[str] = attrs.field(factory=list)
    prepared: list[str] = attrs.field(factory=list)
    closed: list[str] = attrs.field(factory=list)
    failing: set[str] = attrs.field(factory=set)


class Kept(SupportsPrepare):
    """
    Something with tables of its own.
    """

    def __init__(self, ledger: Ledger, name: str) -> None:
        super().__init__()
        self.ledger, self.name = ledger, name
        ledger.made.append(name)

    def prepare(self) -> None:
        self.ledger.prepared.append(self.name)

    def is_prepared(self) -> bool:
        return self.name in self.ledger.prepared

    def close(self) -> None:
        self.ledger.closed.append(self.name)
        if self.name in self.ledger.failing:
            raise RuntimeError(f"{self.name} does not close")

    def __call__(self, app: object) -> object:
        return app


class KeptQueue(Kept, MemoryQueue):
    pass


class KeptTranscoder(Kept, TextTranscoder):
    pass


class Ears(Kept, EventSubscriber):
    def hear(self, event: SubscribedEvent) -> None:
        del event


class Sink(Kept, AnalyticsSink):
    def write(self, batch: ServedBatch) -> None:
        del batch

    def position(self, file: str) -> int:
        del file
        return 0


class Acme:
    """
    The plugin; no record of the names in ``plain`` says that it prepares anything.
    """

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.plain: set[str] = set()

    def record(self, made: type[Kept], name: str) -> dict[str, Any]:
        factory: Callable[..., Any] = lambda _options, _context: made(  # noqa: E731 - a factory
            self.ledger, name
        )
        prepares = name not in self.plain
        return {"name": name, "factory": factory, "prepares": prepares}

    @hookimpl
    def hvcore_queues(self) -> Iterator[QueueBackend]:
        yield QueueBackend(**self.record(KeptQueue, "queue"))

    @hookimpl
    def hvcore_transcoders(self) -> Iterator[TranscoderBackend]:
        yield TranscoderBackend(**self.record(KeptTranscoder, "usual"))
        yield TranscoderBackend(**self.record(KeptTranscoder, "further"))

    @hookimpl
    def hvcore_analytics_sinks(self) -> Iterator[AnalyticsBackend]:
        yield AnalyticsBackend(**self.record(Sink, "sink"))

    @hookimpl
    def hvcore_routes(self) -> Iterator[RoutesBackend[Any]]:
        yield RoutesBackend(routes=[], **self.record(Kept, "routes"))

    @hookimpl
    def hvcore_middleware(self) -> Iterator[MiddlewareBackend]:
        yield MiddlewareBackend(apps={WebApp.API}, **self.record(Kept, "middleware"))

    @hookimpl
    def hvcore_event_subscribers(self) -> Iterator[EventSubscriberBackend]:
        yield EventSubscriberBackend(**self.record(Ears, "ears"))

    @hookimpl
    def hvcore_commands(self) -> Iterator[CommandBackend]:
        yield CommandBackend(summary="Count.", **self.record(Kept, "command"))
