"""
Who is refused by a limit and sends on gets one refusal after the other.
"""

import attrs

from hvcore.errors import UnavailableError
from hvcore_server.sending.retry_pacing import (
    FORGOTTEN_AFTER_S,
    MAX_KNOWN,
    ONE_EVERY_S,
    WAITS_AT_MOST_S,
    RetryPacing,
)

FETCH = (
    b"POST /v1/videos/fetch HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer one\r\n\r\n"
)


@attrs.define
class Requests:
    """
    What became of the requests, at a time that the test says.
    """

    now: float = 100.0
    served: list[str] = attrs.field(factory=list)
    refused: list[UnavailableError] = attrs.field(factory=list)
    pacing: RetryPacing = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.pacing = RetryPacing(
            go_on=self.served.append,
            refuse=lambda _conn, error: self.refused.append(error),
            clock=lambda: self.now,
        )

    def ask(self, name: str, head: bytes = FETCH, client: str = "c") -> None:
        self.pacing.ask(client, head, name)

    def turns(self, seconds: float) -> None:
        self.now += seconds
        self.pacing.start_due()


def test_requests_that_no_limit_refused_go_on_at_once() -> None:
    requests = Requests()
    for number in range(100):
        requests.ask(f"{number}")
    assert len(requests.served) == 100
    assert requests.pacing.wait_s() == float("inf")


def test_refused_requests_that_come_again_go_on_one_after_the_other() -> None:
    requests = Requests()
    requests.pacing.note("c", FETCH)
    for name in "abc":
        requests.ask(name)
    assert requests.served == []
    assert 0 < requests.pacing.wait_s() <= ONE_EVERY_S

    for served in ("a", "ab", "abc"):
        requests.turns(ONE_EVERY_S * 1.01)
        assert "".join(requests.served) == served


def test_another_path_credential_or_client_does_not_wait() -> None:
    requests = Requests()
    requests.pacing.note("c", FETCH)
    requests.ask("path", FETCH.replace(b"/fetch", b""))
    requests.ask("method", FETCH.replace(b"POST", b"GET"))
    requests.ask("key", FETCH.replace(b"one", b"two"))
    requests.ask("client", client="d")
    requests.ask("query", FETCH.replace(b"/fetch", b"/fetch?again=1"))
    requests.ask("order", FETCH.replace(b"Host: a\r\n", b"").replace(b"Au", b"au"))
    assert requests.served == ["path", "method", "key", "client"]


def test_paths_below_a_refused_first_part_wait_together() -> None:
    size = b"GET /t/vid_a/300x300.jpg HTTP/1.1\r\nHost: a\r\n\r\n"
    requests = Requests()
    requests.pacing.note("c", size, of_all_below=True)
    requests.ask("another", size.replace(b"300x", b"301x"))
    requests.ask("of another", size.replace(b"vid_a", b"vid_b"))
    requests.ask("page", size.replace(b"/t/", b"/e/"))
    requests.ask("client", size, client="d")
    assert requests.served == ["page", "client"]

    requests.turns(2 * ONE_EVERY_S * 1.01)
    assert requests.served == ["page", "client", "another", "of another"]


def test_requests_after_one_that_cost_much_go_on_further_apart() -> None:
    requests = Requests()
    requests.pacing.note("c", FETCH, every_s=4 * ONE_EVERY_S)
    requests.ask("first")
    requests.ask("second")

    for served in ([], ["first"], ["first"], ["first", "second"]):
        requests.turns(2 * ONE_EVERY_S * 1.01)
        assert requests.served == served


def test_a_client_that_waits_for_a_second_goes_on_at_once() -> None:
    requests = Requests()
    requests.pacing.note("c", FETCH)
    requests.now += FORGOTTEN_AFTER_S * 1.01
    requests.ask("later")
    assert requests.served == ["later"]


def test_more_than_have_a_turn_soon_are_refused_at_once() -> None:
    requests = Requests()
    requests.pacing.note("c", FETCH)
    soon = int(WAITS_AT_MOST_S / ONE_EVERY_S)
    for number in range(soon + 5):
        requests.ask(f"{number}")
    assert len(requests.refused) >= 4
    assert {error.http_status for error in requests.refused} == {503}
    requests.turns(WAITS_AT_MOST_S)
    assert len(requests.served) + len(requests.refused) == soon + 5


def test_kinds_of_requests_do_not_fill_the_memory() -> None:
    requests = Requests()
    for number in range(3 * MAX_KNOWN):
        requests.pacing.note(f"client {number}", FETCH)
    requests.ask("forgotten", client="client 0")
    requests.ask("known", client=f"client {3 * MAX_KNOWN - 1}")
    assert requests.served == ["forgotten"]


def test_another_cookie_does_not_walk_around_the_turns_of_signed_addresses() -> None:
    requests = Requests()
    head = b"PUT /upload/%d HTTP/1.1\r\nHost: a\r\nCookie: a=%d\r\n\r\n"
    requests.pacing.note("c", head % (0, 0), of_all_below=True, every_s=0.2)

    for number in range(1, 4):
        requests.ask(f"{number}", head % (number, number))

    assert requests.served == []
    requests.turns(0.2)
    assert requests.served == ["1"]


def test_the_pace_of_what_cost_much_is_forgotten_with_it() -> None:
    requests = Requests()
    requests.pacing.note("c", FETCH, every_s=0.5)
    requests.turns(FORGOTTEN_AFTER_S + 1)

    requests.pacing.note("c", FETCH)
    requests.ask("a")
    requests.turns(ONE_EVERY_S)

    assert requests.served == ["a"]


def test_a_refusal_makes_the_pace_of_what_cost_much_no_faster() -> None:
    requests = Requests()
    requests.pacing.note("c", FETCH, every_s=0.5)
    requests.pacing.note("c", FETCH)
    for name in "ab":
        requests.ask(name)

    requests.turns(0.5)

    assert requests.served == ["a"]
