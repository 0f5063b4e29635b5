"""
Whose turn is next.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from hvcore.throttling.turns import (
    TurnQueue,
    TurnSlots,
    client_of_turn,
    end_turn,
    having_turn,
    work_for,
)
from tests.support.live import until
from tests.throttling.conftest import Elapsed

WITHIN_S: Final = 60


def order(queue: TurnQueue[str]) -> list[str]:
    return [queue.pop() for _ in range(len(queue))]


def test_clients_come_one_after_the_other_whatever_each_has() -> None:
    queue = TurnQueue[str]()
    for one in ["a1", "a2", "a3", "b1", "b2", "c1"]:
        queue.add(one[0], one)

    assert order(queue) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_whose_turn_it_is_stands_behind_those_who_come_meanwhile() -> None:
    queue = TurnQueue[str]()
    queue.begin("a")
    queue.add("a", "a1")
    queue.add("a", "a2")
    queue.add("b", "b1")
    assert queue.pop() == "b1"
    queue.add("b", "b2")
    queue.add("c", "c1")

    assert order(queue) == ["a1", "c1", "b2", "a2"]


def test_a_client_with_a_delay_stands_behind_who_comes_within_it(
    elapsed: Elapsed,
) -> None:
    queue = TurnQueue[str](lambda client: 0.5 if client == "a" else 0.0, elapsed)
    queue.add("a", "a1")
    queue.add("a", "a2")
    elapsed.now_s += 0.25
    queue.add("b", "b1")
    elapsed.now_s += 0.5
    queue.add("c", "c1")

    assert order(queue) == ["b1", "a1", "c1", "a2"]


def test_what_no_longer_waits_is_left_out() -> None:
    queue = TurnQueue[str]()
    queue.begin("a")
    for one in ["a1", "b1", "b2", "c1"]:
        queue.add(one[0], one)

    assert queue.remove("a", "a1")
    assert queue.remove("b", "b1")
    assert queue.remove("c", "c1")

    assert not queue.remove("c", "c1")
    assert order(queue) == ["b2"]
    assert not queue


def test_a_thread_works_for_the_client_whose_turn_it_has() -> None:
    ended = list[int]()
    work_for("nobody")
    end_turn()
    assert client_of_turn() == ""

    with having_turn("an address", end=lambda: ended.append(1)):
        assert client_of_turn() == "an address"
        work_for("an organization")
        assert client_of_turn() == "an organization"
        end_turn()

    end_turn()
    assert client_of_turn() == ""
    assert ended == [1]


def test_places_are_given_to_one_thread_of_each_client_after_the_other() -> None:
    places, order = TurnSlots(2), list[str]()
    assert places.take("a", 0)
    assert places.take("a", 0)

    def work(client: str) -> None:
        assert places.take(client, WITHIN_S)
        order.append(client)
        places.end()

    with ThreadPoolExecutor(5) as pool:
        for number, client in enumerate("aaabc", start=1):
            pool.submit(work, client)
            until(lambda count=number: places.waiting == count, within_s=WITHIN_S)
        places.end()

    assert order == ["b", "c", "a", "a", "a"]


def test_a_client_that_waits_for_a_place_ends_its_turn_and_goes() -> None:
    places, has_ended = TurnSlots(1), threading.Event()
    assert places.take("a", 0)

    with having_turn("b", end=has_ended.set):
        assert not places.take("b", 0.001)

    assert has_ended.is_set()
    assert not places.waiting
    places.end()
    assert places.take("c", 0)
