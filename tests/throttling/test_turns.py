"""
Whose turn is next.
"""

from hvcore.throttling.turns import (
    TurnQueue,
    client_of_turn,
    end_turn,
    having_turn,
    work_for,
)


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
