"""
Parts of the services that several threads ask for at the same time.
"""

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from hvcore.assembly import Services, build
from hvcore.assembly.made_once import made_once
from hvcore.settings import load
from hvcore.testing.children import at_once
from hvcore.testing.held_calls import held_at


class Parts:
    """
    One part, which consists of another.
    """

    def __init__(self) -> None:
        self.made = 0

    @made_once
    def inner(self) -> object:
        """
        What the outer one is made of.
        """
        self.made += 1
        return object()

    @made_once
    def outer(self) -> list[object]:
        return [self.inner]


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    settings = load(
        config_path=None, environ={"HV_QUEUE__BACKEND": "sql"}, data_dir=tmp_path
    ).settings
    with build(settings) as made:
        yield made


def test_a_part_is_made_once_wherever_its_thread_is_held() -> None:
    line = 0
    while True:
        line += 1
        parts = Parts()
        with held_at(line) as hold:
            both = hold(
                partial(getattr, parts, "outer"), partial(getattr, parts, "inner")
            )
            assert parts.made == 1
            if both is None:
                break
            assert both[0] == [both[1]]
    assert line > 2


def test_what_threads_ask_for_at_once_is_made_once(services: Services) -> None:
    found: dict[str, list[object]] = {}
    names = ("queue", "registry", "analytics_store", "storage", "engine")

    def ask(name: str) -> None:
        found.setdefault(name, []).append(getattr(services, name))

    at_once([partial(ask, name) for name in names * 3])

    assert {name: len(set(map(id, found[name]))) for name in names} == dict.fromkeys(
        names, 1
    )


def test_a_part_whose_making_hangs_holds_up_no_other() -> None:
    goes_on = threading.Event()

    class Hanging(Parts):
        @made_once
        def slow(self) -> bool:
            return goes_on.wait(20)

    parts, found = Hanging(), list[object]()
    threads = [
        threading.Thread(target=lambda: found.append(parts.slow)),
        threading.Thread(target=lambda: found.append(parts.inner)),
    ]
    for thread in threads:
        thread.start()
    threads[1].join(20)
    assert found == [parts.inner]

    goes_on.set()
    threads[0].join(20)
    assert found == [parts.inner, True]


def test_nothing_is_made_that_nobody_asks_for(services: Services) -> None:
    made = vars(services)

    services.registry.of_kind("queue")
    assert "queue" not in made
    assert "analytics_store" not in made
    assert "engine" not in made
