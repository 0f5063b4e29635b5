"""
Who gets a thread, and who a connection.
"""

import time
from types import SimpleNamespace

import attrs
import pytest

from hvcore.errors import UnavailableError
from hvcore.throttling.shares import SharedCapacity
from hvcore_server.open_connections import (
    MADE_FREE_AT_A_TIME,
    OpenConnections,
    sender_of,
)
from hvcore_server.shared_threads import WAITS_AT_MOST_S, SharedThreads


@attrs.define
class Threads:
    """
    Four threads, of which one client gets two and the last is kept.
    """

    started: list[str] = attrs.field(factory=list)
    refused: list[str] = attrs.field(factory=list)
    shared: SharedThreads = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.shared = SharedThreads(
            threads=SharedCapacity(
                name="threads_of_one",
                capacity=4,
                most_of_one=2,
                reserved_for_newcomers=1,
                things="requests",
            ),
            most_waiting=3,
            start=self.started.append,
            refuse=lambda conn, _error: self.refused.append(conn),
        )


def test_a_client_with_its_share_waits_and_others_do_not() -> None:
    threads = Threads()
    for number in range(4):
        threads.shared.ask("a", f"a{number}")
    threads.shared.ask("b", "b0")
    threads.shared.ask("c", "c0")

    assert threads.started == ["a0", "a1", "b0", "c0"]
    assert threads.refused == []


def test_waiting_clients_have_their_turns() -> None:
    threads = Threads()
    for client in ("a", "b"):
        for number in range(4):
            threads.shared.ask(client, f"{client}{number}")
    assert threads.started == ["a0", "a1", "b0"]
    for client in ("a", "a", "b", "b"):
        threads.shared.done(client)

    assert threads.started[3:] == ["a2", "b1", "a3", "b2"]


def test_a_request_that_waits_too_long_or_with_too_many_is_refused() -> None:
    threads = Threads()
    for number in range(6):
        threads.shared.ask("a", number)
    assert threads.refused == [5]

    threads.shared.end_late(time.monotonic() + WAITS_AT_MOST_S)

    assert threads.refused == [5, 2, 3, 4]
    assert threads.started == [0, 1]


def connections() -> OpenConnections:
    return OpenConnections(
        shares=SharedCapacity(
            name="connections_of_one", capacity=100, most_of_one=3, things="connections"
        )
    )


def conn(address: str) -> SimpleNamespace:
    return SimpleNamespace(client=(address, 1))


def test_an_address_has_so_many_connections_and_no_more() -> None:
    held = connections()
    for _ in range(3):
        held.open("192.0.2.1")
    with pytest.raises(UnavailableError, match="You have too many"):
        held.open("192.0.2.1")
    held.open("192.0.2.2")
    held.close("192.0.2.1")
    held.open("192.0.2.1")


def test_a_proxy_of_our_own_has_as_many_as_it_needs() -> None:
    held = connections()
    for _ in range(50):
        held.open("127.0.0.1")
        held.open("::1")
        held.open("")


def test_room_is_made_by_who_holds_the_most() -> None:
    held = connections()
    waiting = [conn("127.0.0.2"), *(conn("127.0.0.3") for _ in range(20))]
    for one in waiting:
        held.open(one.client[0])
    held.open("127.0.0.2")

    chosen = held.make_room("127.0.0.4", waiting)

    assert chosen == waiting[1 : 1 + MADE_FREE_AT_A_TIME]


def test_a_client_that_holds_more_than_all_waiting_ones_gets_no_room() -> None:
    held = connections()
    for _ in range(20):
        held.open("127.0.0.2")
    held.open("127.0.0.3")

    with pytest.raises(UnavailableError, match="There are too many"):
        held.make_room("127.0.0.2", [conn("127.0.0.3")])
    with pytest.raises(UnavailableError, match="There are too many"):
        held.make_room("127.0.0.3", [])


@pytest.mark.parametrize(
    ("neighbour", "forwarded", "client"),
    [
        ("127.0.0.1", b"X-Forwarded-For: 192.0.2.1, 192.0.2.2", "192.0.2.2"),
        ("127.0.0.1", b"X: 1", "127.0.0.1"),
        ("192.0.2.9", b"X-Forwarded-For: 192.0.2.1", "192.0.2.9"),
        ("127.0.0.1", b"x-forwarded-for: 2001:db8::1", "2001:db8::"),
    ],
)
def test_behind_our_own_proxy_clients_are_told_apart(
    neighbour: str, forwarded: bytes, client: str
) -> None:
    head = b"GET / HTTP/1.1\r\nHost: hv\r\n" + forwarded + b"\r\n\r\n"

    assert sender_of(neighbour, head) == f"address {client}"
