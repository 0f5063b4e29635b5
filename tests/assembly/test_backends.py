"""
Backends of services: prepared if they say so, closed whatever happens, and given.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hvcore.assembly import Services, build
from hvcore.settings import load
from hvcore.testing.memory_transcriber import MemoryTranscriber
from tests.assembly.acme import Acme, KeptTranscoder, Ledger
from tests.support.fakes import MemoryQueue

ENVIRON = {
    "HV_PLUGINS": "acme_kept,hvcore_analytics_sql.plugin,hvcore_storage_fsspec.plugin",
    "HV_QUEUE__BACKEND": "queue",
    "HV_TRANSCODER__BACKEND": "usual",
    "HV_TRANSCODER__ROUTES": "further if duration > 60 min",
    "HV_ANALYTICS__SINKS": "sql,sink",
    "HV_LIMITS__ENABLED": "no",
    "HV_AUTH__PROVIDERS": "",
    "HV_SIGN_IN__BACKEND": "link",
}
EXTENSIONS = ["routes", "middleware", "ears", "command"]


@pytest.fixture
def acme(monkeypatch: pytest.MonkeyPatch) -> Acme:
    plugin = Acme()
    monkeypatch.setitem(sys.modules, "acme_kept", plugin)
    return plugin


MakeServices = Callable[..., Services]


@pytest.fixture
def make(acme: Acme, tmp_path: Path) -> Iterator[MakeServices]:
    opened: list[Services] = []

    def make_services(**overrides: object) -> Services:
        settings = load(config_path=None, environ=ENVIRON, data_dir=tmp_path).settings
        services = build(settings, rings=False, overrides=overrides)
        opened.append(services)
        return services

    yield make_services
    acme.ledger.failing.clear()
    for services in opened:
        services.close()


@pytest.mark.parametrize("name", [*EXTENSIONS, "usual", "further", "queue", "sink"])
def test_a_backend_whose_record_says_so_is_prepared(
    acme: Acme, make: MakeServices, name: str
) -> None:
    services = make()

    before = services.is_migrated()
    services.migrate()

    assert (before, services.is_migrated()) == (False, True)
    assert acme.ledger.prepared.count(name) == 1


def test_a_backend_whose_record_does_not_say_so_is_not_made_to_prepare(
    acme: Acme, make: MakeServices
) -> None:
    acme.plain = {"routes", "further", "queue"}

    make().migrate()

    assert {"middleware", "usual"} <= set(acme.ledger.made)
    assert not acme.plain & set(acme.ledger.made)


def test_every_migration_is_named(make: MakeServices) -> None:
    names = [name for name, _ in make().migrations()]

    assert {
        *("the service", "the sink sql", "the sink sink", "the queue backend queue"),
        *("the transcoder backend usual", "the transcoder backend further"),
        *("the routes routes", "the middleware middleware", "the events ears"),
        "the commands command",
    } == set(names)


def test_a_backend_prepared_and_used_is_made_once(
    acme: Acme, make: MakeServices
) -> None:
    services = make()
    services.migrate()

    made = services.route_states["routes"], services.transcoders.named("further")

    assert isinstance(made[1], KeptTranscoder)
    assert services.subscriptions.subscribers.keys() == {"ears"}
    assert sorted(acme.ledger.made) == sorted(set(acme.ledger.made))


def test_a_given_transcoder_replaces_the_usual_one_alone(
    acme: Acme, make: MakeServices
) -> None:
    given = KeptTranscoder(Ledger(), "given")

    make(transcoder=given).migrate()

    assert given.is_prepared()
    assert "further" in acme.ledger.prepared
    assert "usual" not in acme.ledger.made


def test_every_backend_that_was_made_is_closed(acme: Acme, make: MakeServices) -> None:
    services = make()
    services.migrate()
    _ = services.route_states, services.middleware

    services.close()

    assert sorted(acme.ledger.closed) == sorted(acme.ledger.made)


@pytest.mark.parametrize("failing", [["queue"], [*EXTENSIONS, "further", "sink"]])
def test_a_backend_that_does_not_close_leaves_no_other_open(
    acme: Acme, make: MakeServices, failing: list[str]
) -> None:
    services = make()
    services.migrate()
    acme.ledger.failing |= set(failing)

    with pytest.raises(RuntimeError) as raised:
        services.close()

    first = next(name for name in acme.ledger.closed if name in failing)
    assert str(raised.value) == f"{first} does not close"
    assert sorted(acme.ledger.closed) == sorted(acme.ledger.made)
    assert services.engine.pool.checkedin() == 0  # type: ignore[attr-defined]  # of a pool that keeps connections


def test_a_class_that_is_put_around_apps_is_not_closed(
    acme: Acme, make: MakeServices
) -> None:
    class Signed:
        def __init__(self, app: object) -> None:
            self.app = app

        def close(self) -> None:
            acme.ledger.closed.append("the class")

    acme.plain.add("middleware")
    record = acme.record
    acme.record = lambda made, name: (  # type: ignore[method-assign]  # a factory of another kind
        {**record(made, name), "factory": lambda _options, _context: Signed}
        if name == "middleware"
        else record(made, name)
    )
    services = make()

    assert isinstance(services.middleware[0].put_around, type)
    services.close()

    assert acme.ledger.closed == []


class EmptyQueue(MemoryQueue):
    """
    A queue that is falsy while nothing waits in it.
    """

    def __len__(self) -> int:
        return 0


@pytest.mark.parametrize(
    "name",
    [
        *("clock", "mailer", "outbound", "storage", "transcoder", "queue"),
        "transcriber",
        *("rate_limit_store", "analytics_store"),
    ],
)
def test_an_object_that_is_falsy_is_used_when_it_is_given(
    make: MakeServices, name: str
) -> None:
    given = EmptyQueue()

    assert getattr(make(**{name: given}), name) is given


@pytest.mark.parametrize(
    "name", ["clock", "mailer", "outbound", "storage", "transcoder", "queue"]
)
def test_a_part_that_nobody_gives_is_made_once(make: MakeServices, name: str) -> None:
    services = make()

    assert getattr(services, name) is not None
    assert getattr(services, name) is getattr(services, name)


def test_an_empty_group_takes_what_the_settings_choose(make: MakeServices) -> None:
    services = make(cache_invalidators={}, sign_in_providers={}, storage=None)

    assert services.recipe.overrides == {}


def test_without_a_transcriber_nothing_is_transcribed(make: MakeServices) -> None:
    assert make().transcriber is None


def test_a_transcriber_that_is_given_is_used(make: MakeServices) -> None:
    given = MemoryTranscriber()

    assert make(transcriber=given).transcriber is given


def test_a_transcriber_is_chosen_by_its_name(tmp_path: Path) -> None:
    environ = {
        "HV_EXTRA_PLUGINS": "hvcore.testing.memory_transcriber",
        "HV_TRANSCRIBER__BACKEND": "memory",
        "HV_TRANSCRIBER__OPTIONS__LANGUAGES": "en,fr",
    }
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    with build(settings, rings=False) as services:
        chosen = services.transcriber

    assert chosen is not None
    assert chosen.capabilities().languages == {"en", "fr"}
