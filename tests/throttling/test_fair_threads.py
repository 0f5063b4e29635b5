"""
Work for few threads: who has much of it waits behind those who have little.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Final

import attrs
import pytest

from hvcore.errors import ShareMetError, UnavailableError
from hvcore.throttling.fair_threads import FairThreads
from hvcore.throttling.shares import REFUSALS

WITHIN_S: Final = 10
NAME: Final = "a_share"


@attrs.define
class Bench:
    """
    Two threads, whose work ends when the test says.
    """

    threads: int = 2
    places: int = 4
    most_of_one: int = 4
    fair: FairThreads = attrs.field(init=False)
    begun: list[str] = attrs.field(factory=list)
    _goes_on: threading.Semaphore = attrs.field(
        factory=lambda: threading.Semaphore(0), init=False
    )
    _has_begun: threading.Semaphore = attrs.field(
        factory=lambda: threading.Semaphore(0), init=False
    )

    def __attrs_post_init__(self) -> None:
        self.fair = FairThreads(
            name=NAME,
            threads=self.threads,
            places=self.places,
            most_of_one=self.most_of_one,
            things="things",
        )

    def ask(self, what: str, organization: str, client: str) -> "Future[str]":
        def work() -> str:
            self.begun.append(what)
            self._has_begun.release()
            assert self._goes_on.acquire(timeout=WITHIN_S)
            return what

        return self.fair.submit(organization, client, work)

    def wait_until_begun(self, count: int) -> None:
        for _ in range(count):
            assert self._has_begun.acquire(timeout=WITHIN_S)

    def go_on(self, count: int) -> None:
        for _ in range(count):
            self._goes_on.release()


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.go_on(100)


def test_one_client_leaves_a_thread_to_others(bench: Bench) -> None:
    asked = [bench.ask(f"{n}", "org", "busy") for n in range(3)]
    bench.wait_until_begun(1)

    other = bench.ask("other", "org", "other")
    bench.wait_until_begun(1)

    assert bench.begun == ["0", "other"]
    bench.go_on(4)
    assert other.result(WITHIN_S) == "other"
    assert [one.result(WITHIN_S) for one in asked] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("organization", "client"), [("org", "other"), ("other org", "other")]
)
def test_a_client_waits_for_nobody_who_has_had_a_turn(
    organization: str, client: str
) -> None:
    bench = Bench(threads=1)
    asked = [bench.ask(f"{n}", "org", "busy") for n in range(4)]
    bench.wait_until_begun(1)

    other = bench.ask("other", organization, client)
    bench.go_on(1)
    bench.wait_until_begun(1)

    assert bench.begun == ["0", "other"]
    bench.go_on(4)
    for one in [*asked, other]:
        one.result(WITHIN_S)


def test_an_organization_that_many_clients_ask_of_is_served_in_turn_with_others() -> (
    None
):
    bench = Bench(threads=1, places=8)
    asked = [bench.ask(f"{n}", "busy org", f"client {n}") for n in range(5)]
    bench.wait_until_begun(1)

    asked += [bench.ask(f"other {n}", "org", f"other {n}") for n in range(2)]
    bench.go_on(len(asked))
    for one in asked:
        one.result(WITHIN_S)

    assert bench.begun[:4] == ["0", "other 0", "1", "other 1"]


def test_so_many_clients_are_known_and_those_that_were_served_last(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore.throttling.fair_threads._MAX_KNOWN", 4)
    bench.go_on(4)
    for client in "abac":
        bench.ask(client, f"org {client}", client).result(WITHIN_S)

    assert [name for kind, name in bench.fair._served if kind == "client"] == ["a", "c"]


def test_a_client_above_its_share_is_refused_at_once() -> None:
    bench = Bench(most_of_one=2)
    asked = [bench.ask(f"{n}", "org", "busy") for n in range(2)]
    before = REFUSALS.total(NAME)

    with pytest.raises(ShareMetError, match="You have too many things"):
        bench.ask("2", "org", "busy")

    assert REFUSALS.total(NAME) == before + 1
    bench.go_on(2)
    for one in asked:
        one.result(WITHIN_S)
    # Nothing of it is under way any more.
    bench.go_on(1)
    assert bench.ask("3", "org", "busy").result(WITHIN_S) == "3"


def test_a_full_queue_gives_a_newcomer_the_place_of_who_has_most(
    bench: Bench,
) -> None:
    bench.ask("0", "org", "first")
    bench.ask("1", "org", "second")
    bench.wait_until_begun(2)
    waiting = [
        bench.ask("a", "org", "first"),
        bench.ask("b", "org", "first"),
        bench.ask("c", "org", "first"),
        bench.ask("d", "org", "second"),
    ]

    other = bench.ask("other", "other org", "other")
    same = bench.ask("same", "org", "third")

    for displaced in (waiting[2], waiting[1]):
        with pytest.raises(UnavailableError, match="There are too many things"):
            displaced.result(WITHIN_S)
    bench.go_on(6)
    assert other.result(WITHIN_S) == "other"
    assert same.result(WITHIN_S) == "same"
    assert waiting[0].result(WITHIN_S) == "a"
    assert waiting[3].result(WITHIN_S) == "d"


def test_clients_of_one_organization_fill_no_queue_for_another(bench: Bench) -> None:
    for number in range(6):
        bench.ask(f"{number}", "busy org", f"client {number}")
    bench.wait_until_begun(2)

    other = bench.ask("other", "org", "other")

    bench.go_on(6)
    assert other.result(WITHIN_S) == "other"


def test_one_client_of_many_organizations_fills_no_queue_for_another(
    bench: Bench,
) -> None:
    bench.ask("0", "org 0", "busy")
    bench.ask("1", "org 1", "second")
    bench.wait_until_begun(2)
    for number in range(2, 5):
        bench.ask(f"{number}", f"org {number}", "busy")
    bench.ask("5", "org 5", "second")

    other = bench.ask("other", "org", "other")

    bench.go_on(7)
    assert other.result(WITHIN_S) == "other"


def test_a_client_with_as_much_as_all_others_is_refused_by_a_full_queue(
    bench: Bench,
) -> None:
    asked = [bench.ask(f"{n}", f"org {n}", f"client {n}") for n in range(6)]
    bench.wait_until_begun(2)

    with pytest.raises(UnavailableError, match="There are too many things"):
        bench.ask("other", "org", "other")

    bench.go_on(6)
    assert [one.result(WITHIN_S) for one in asked] == [f"{n}" for n in range(6)]


def test_a_call_that_is_cancelled_before_its_thread_runs_does_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Callable[[], None]] = []
    with monkeypatch.context() as busy:
        busy.setattr(bench.fair._pool, "submit", given.append)
        cancelled = bench.ask("0", "org", "client")
        assert cancelled.cancel()

    for run in given:
        run()

    assert bench.begun == []
    # It keeps no thread from others.
    asked = [bench.ask(f"{n}", f"org {n}", f"client {n}") for n in (1, 2)]
    bench.wait_until_begun(2)
    bench.go_on(2)
    assert [one.result(WITHIN_S) for one in asked] == ["1", "2"]


def test_a_cancelled_entry_leaves_its_place(bench: Bench) -> None:
    asked = [bench.ask(f"{n}", f"org {n}", f"client {n}") for n in range(6)]
    bench.wait_until_begun(2)

    assert asked[-1].cancel()
    other = bench.ask("other", "org", "other")

    bench.go_on(6)
    assert other.result(WITHIN_S) == "other"
    assert "5" not in bench.begun


def test_work_that_fails_fails_for_who_waits_for_it(bench: Bench) -> None:
    def fail() -> str:
        raise ValueError("no such thing")

    for _ in range(bench.places):
        with pytest.raises(ValueError, match="no such thing"):
            bench.fair.submit("org", "client", fail).result(WITHIN_S)
