"""
Plugins: found, refused when they clash, chosen by name.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import cast

import pytest

from hvcore.domain.analytics.segments import ServedBatch
from hvcore.domain.webhooks.events import EventKind
from hvcore.errors import ConfigError, PluginError
from hvcore.hookspecs import (
    AnalyticsBackend,
    EventSubscriberBackend,
    MiddlewareBackend,
    NoOptions,
    QueueBackend,
    StorageBackend,
    hookimpl,
)
from hvcore.plugin_api import BuildContext
from hvcore.ports.analytics import AnalyticsSink
from hvcore.ports.context import Database
from hvcore.ports.queue import Queue
from hvcore.ports.web_apps import WebApp
from hvcore.settings import AnalyticsSettings, Settings
from hvcore_analytics_sql.backend import SqlAnalytics
from tests.registry.offering import (
    MakePlugin,
    Options,
    built,
    chosen,
    registry,
)
from tests.support.fakes import MemoryQueue


def build_queue(options: Options, context: BuildContext) -> Queue:
    del options, context
    return MemoryQueue()


ACME = QueueBackend(name="acme", factory=build_queue, options=Options)


def test_a_backend_is_chosen_by_name_and_gets_its_options(plugin: MakePlugin) -> None:
    found = registry(plugin("hvcore_queue_acme.plugin", ACME))

    made = built(found, chosen("acme", url="x", depth="5")).queue()

    assert isinstance(made, MemoryQueue)


def test_two_backends_of_one_name_are_refused_naming_both(plugin: MakePlugin) -> None:
    found = registry(plugin("one.plugin", ACME), plugin("two.plugin", ACME))

    with pytest.raises(PluginError, match=r"one\.plugin .* two\.plugin"):
        built(found, chosen("acme", url="x")).queue()


def test_a_disabled_plugin_stays_out(plugin: MakePlugin) -> None:
    modules = plugin("one.plugin", ACME), plugin("two.plugin", ACME)

    assert len(registry(*modules, disabled=("one.plugin",)).offers) == 1


def test_a_name_that_nobody_offers_is_answered_with_those_on_offer(
    plugin: MakePlugin,
) -> None:
    found = registry(plugin("one.plugin", ACME))

    with pytest.raises(PluginError, match=r"'other'; on offer: acme"):
        built(found, chosen("other")).queue()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "queue.options.url is required"),
        ({"url": "x", "dept": 1}, "did you mean queue.options.depth"),
        ({"url": "x", "depth": "deep"}, "deep"),
    ],
)
def test_options_that_do_not_fit_are_named(
    plugin: MakePlugin,
    options: dict[str, object],
    said: str,
) -> None:
    found = registry(plugin("one.plugin", ACME))

    with pytest.raises(ConfigError, match=said):
        built(found, chosen("acme", **options)).queue()


def test_what_is_no_record_is_left_out_and_told(plugin: MakePlugin) -> None:
    found = registry(plugin("one.plugin", ACME, object()))

    assert [one.backend.name for one in found.offers] == ["acme"]
    assert "must give QueueBackend" in str(found.faults[0])


NOT_KNOWN = {
    "apps as text": (
        lambda: MiddlewareBackend(name="a", factory=build_queue, apps="api"),
        r"apps must be a set, such as {WebApp\.API}, not 'api'",
    ),
    "an app's text": (
        lambda: MiddlewareBackend(name="a", factory=build_queue, apps=["api"]),
        r"apps: 'api' is none of WebApp\.API, WebApp\.DASHBOARD, .*WebApp\.UPLOAD",
    ),
    "no app": (
        lambda: MiddlewareBackend(name="a", factory=build_queue, apps=()),
        r"apps: none is there of WebApp\.API, ",
    ),
    "one app": (
        lambda: MiddlewareBackend(name="a", factory=build_queue, apps=WebApp.API),
        r"apps must be a set",
    ),
    "a kind's text": (
        lambda: EventSubscriberBackend(
            name="a", factory=build_queue, kinds={"video.deleted"}
        ),
        r"kinds: 'video\.deleted' is none of EventKind\.COMPLETED, .*EventKind\.DELETED",
    ),
    "what happens to no video": (
        lambda: EventSubscriberBackend(
            name="a", factory=build_queue, kinds={EventKind.TEST}
        ),
        r"kinds: <EventKind\.TEST: .*> is none of ",
    ),
}


@pytest.mark.parametrize(("make", "said"), NOT_KNOWN.values(), ids=NOT_KNOWN)
def test_names_that_match_nothing_are_refused_with_those_that_exist(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[], object], said: str
) -> None:
    module = ModuleType("acme_names")
    hook = hookimpl(specname="hvcore_middleware")(lambda: [make()])
    module.hvcore_middleware = hook  # type: ignore[attr-defined]  # a plugin made on the spot
    monkeypatch.setitem(sys.modules, "acme_names", module)

    found = registry("acme_names")

    (fault,) = found.faults
    assert found.offers == ()
    assert re.search(rf"^Plugin acme_names \(HV_PLUGINS\): .*{said}", fault.found)
    assert "take acme_names out of HV_PLUGINS" in fault.fix


def test_an_operator_is_told_how_to_leave_out_the_plugin_of_a_faulty_subscriber(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record = EventSubscriberBackend(
        name="acme", factory=lambda _options, _context: None
    )  # type: ignore[arg-type, return-value]  # as a plugin may do
    module = ModuleType("acme_events")
    hook = hookimpl(specname="hvcore_event_subscribers")(lambda: [record])
    module.hvcore_event_subscribers = hook  # type: ignore[attr-defined]  # a plugin made on the spot
    monkeypatch.setitem(sys.modules, "acme_events", module)

    with pytest.raises(PluginError, match="take acme_events out of HV_PLUGINS"):
        built(registry("acme_events"), chosen("local")).subscribers()


def test_a_backends_name_is_lower_case() -> None:
    with pytest.raises(ValueError, match="name"):
        StorageBackend(name="Acme", factory=build_queue)  # type: ignore[arg-type]  # never called


class DeafSink(AnalyticsSink):
    """
    Counts nothing, and answers nothing.
    """

    def write(self, batch: ServedBatch) -> None:
        del batch

    def position(self, file: str) -> int:
        del file
        return 0


def build_deaf_sink(options: NoOptions, context: BuildContext) -> AnalyticsSink:
    del options, context
    return DeafSink()


def build_sql_store(options: NoOptions, context: BuildContext) -> AnalyticsSink:
    del options, context
    return SqlAnalytics(cast(Database, None))


def sinks(
    monkeypatch: pytest.MonkeyPatch, *, store: str, names: tuple[str, ...]
) -> Mapping[str, AnalyticsSink]:
    module = ModuleType("sinks.plugin")

    @hookimpl
    def hvcore_analytics_sinks() -> Iterator[AnalyticsBackend]:
        yield AnalyticsBackend(name="deaf", factory=build_deaf_sink)
        yield AnalyticsBackend(name="sql", factory=build_sql_store)

    module.hvcore_analytics_sinks = hvcore_analytics_sinks  # type: ignore[attr-defined]  # a plugin made on the spot
    monkeypatch.setitem(sys.modules, "sinks.plugin", module)
    settings = Settings(
        data_dir=Path("/nowhere"), analytics=AnalyticsSettings(sinks=names, store=store)
    )
    return built(registry("sinks.plugin"), settings).analytics_sinks()


def test_all_named_sinks_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(sinks(monkeypatch, store="sql", names=("deaf", "sql"))) == [
        "deaf",
        "sql",
    ]


@pytest.mark.parametrize("names", [("deaf",), ()])
def test_the_store_must_be_one_of_the_sinks(
    monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    with pytest.raises(ConfigError, match=r"analytics\.store is 'sql'"):
        sinks(monkeypatch, store="sql", names=names)


def test_the_store_must_answer_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="cannot answer"):
        sinks(monkeypatch, store="deaf", names=("deaf", "sql"))


def test_a_sink_that_nobody_offers_names_its_setting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(PluginError, match=r"analytics\.sinks"):
        sinks(monkeypatch, store="sql", names=("sql", "other"))
