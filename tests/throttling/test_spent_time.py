"""
Processor time of clients.
"""

import pytest

from hvcore.throttling import spent_time
from hvcore.throttling.spent_time import MOST_S, WINDOW_S, SpentTime
from tests.throttling.conftest import Elapsed


@pytest.fixture
def spent(elapsed: Elapsed) -> SpentTime:
    return SpentTime(elapsed)


def test_processor_time_of_a_client_adds_up_and_is_its_own(spent: SpentTime) -> None:
    spent.add("a", 0.25)
    spent.add("a", 0.25)
    spent.add("b", 0.125)

    assert [spent.of(client) for client in "abc"] == [0.5, 0.125, 0.0]


def test_processor_time_is_forgotten(spent: SpentTime, elapsed: Elapsed) -> None:
    spent.add("a", 0.5)

    elapsed.now_s += WINDOW_S

    assert 0.1 < spent.of("a") < 0.25
    elapsed.now_s += 10 * WINDOW_S
    assert spent.of("a") < 0.001


def test_no_client_is_set_back_for_longer_than_the_most(spent: SpentTime) -> None:
    spent.add("a", 100 * MOST_S)

    assert spent.of("a") == MOST_S


def test_so_many_clients_are_known(
    spent: SpentTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spent_time, "MAX_CLIENTS", 2)
    for client in "abc":
        spent.add(client, 0.5)

    assert [spent.of(client) for client in "abc"] == [0.0, 0.0, 0.5]
