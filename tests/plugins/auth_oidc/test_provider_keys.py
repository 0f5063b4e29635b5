"""
The provider's keys change, and the provider is slow, down, or wrong.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from joserfc import jwt
from joserfc.jwk import Key

from hvcore.plugin_api import UnauthorizedError, UnavailableError
from hvcore_auth_oidc import provider_keys
from tests.plugins.auth_oidc.conftest import TokenDesk
from tests.plugins.sign_in_oidc.provider import DESCRIPTION, Asked, Reply, new_key
from tests.support.live import until


def test_a_new_key_is_found_at_once(desk: TokenDesk, other_key: Key) -> None:
    assert desk.accepted()
    desk.provider.keys.insert(0, other_key)

    assert desk.accepted()
    assert desk.provider.paths() == [DESCRIPTION, "/keys", "/keys"]


def test_keys_that_change_twice_in_a_row_are_found_at_once(desk: TokenDesk) -> None:
    assert desk.accepted()
    for name in ("second", "third"):
        desk.provider.keys.insert(0, new_key(name))
        assert desk.accepted()

    assert desk.provider.paths().count("/keys") == 3


@pytest.mark.parametrize(("others", "is_read"), [(99, True), (100, False)])
def test_of_very_many_keys_the_first_hundred_are_read(
    desk: TokenDesk, key: Key, *, others: int, is_read: bool
) -> None:
    public = key.as_dict(private=False)
    given = [{**public, "kid": f"other {number}"} for number in range(others)]
    desk.provider.replies["/keys"] = lambda _: Reply.json({"keys": [*given, public]})

    if is_read:
        assert desk.accepted()
    else:
        with pytest.raises((UnauthorizedError, UnavailableError)):
            desk.asked(desk.token())


def test_a_key_that_was_withdrawn_is_forgotten(
    desk: TokenDesk, key: Key, other_key: Key
) -> None:
    old = desk.token()
    assert desk.asked(old)
    desk.provider.keys[:] = [other_key]
    assert desk.accepted()

    with pytest.raises((UnauthorizedError, UnavailableError)):
        desk.asked(old)


def test_many_at_once_ask_the_provider_once(desk: TokenDesk) -> None:
    tokens = [desk.token() for _ in range(16)]

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(desk.asked, tokens))

    assert all(found)
    assert desk.provider.paths() == [DESCRIPTION, "/keys"]


def silent(until: threading.Event) -> Callable[[Asked], Reply]:
    def reply(_asked: Asked) -> Reply:
        until.wait(20)
        return Reply(status=503)

    return reply


def test_a_silent_provider_holds_no_request_for_long(desk: TokenDesk) -> None:
    """
    All who come while nobody knows wait together, two seconds after the first at most.
    """
    heard = threading.Event()
    desk.provider.replies["/keys"] = silent(heard)
    tokens = [desk.token() for _ in range(8)]

    def refusal(token: str) -> float:
        began_s = time.monotonic()
        with pytest.raises(UnavailableError, match="does not answer"):
            desk.asked(token)
        return time.monotonic() - began_s

    try:
        with ThreadPoolExecutor(8) as pool:
            waited_s = list(pool.map(refusal, tokens))
        later_s = [refusal(token) for token in tokens]
    finally:
        heard.set()

    assert max(waited_s) < 4
    assert max(later_s) < 0.5
    assert desk.provider.paths() == [DESCRIPTION, "/keys"]


def test_a_provider_that_is_down_stops_nobody_who_is_known(desk: TokenDesk) -> None:
    assert desk.accepted()
    for path in (DESCRIPTION, "/keys"):
        desk.provider.replies[path] = lambda _asked: Reply(status=500)

    assert desk.accepted()


def test_a_provider_that_fails_is_left_alone_for_a_moment(desk: TokenDesk) -> None:
    desk.provider.replies[DESCRIPTION] = lambda _asked: Reply(status=500)

    for _ in range(20):
        with pytest.raises(UnavailableError, match="does not answer"):
            desk.asked(desk.token())
    assert desk.provider.paths() == [DESCRIPTION]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"issuer": "https://evil.example.com"}, "auth.options.oidc.issuer"),
        ({"jwks_uri": "http://169.254.169.254/keys"}, "further_hosts"),
        ({"jwks_uri": None}, "jwks_uri"),
    ],
)
def test_a_description_that_may_be_anothers_is_not_believed(
    desk: TokenDesk,
    caplog: pytest.LogCaptureFixture,
    changed: dict[str, object],
    told: str,
) -> None:
    """
    The log tells what to fix, and callers are not told.
    """
    desk.provider.changed_metadata.update(changed)

    with pytest.raises(UnavailableError, match="does not answer") as refused:
        desk.asked(desk.token())
    assert told in str([vars(record) for record in caplog.records])
    assert told not in refused.value.detail


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=302, headers={"Location": "/elsewhere"}),
        Reply(body=b"<html>"),
        Reply(body=b"[" * 5_000),
        Reply.json({"keys": {}}),
        Reply.json({"keys": [1, {"kty": "oct", "k": "AAAA"}, {"kty": "RSA"}]}),
        Reply(body=b" " * 600_000),
    ],
)
def test_keys_that_are_none_make_nobody_pass(desk: TokenDesk, reply: Reply) -> None:
    desk.provider.replies["/keys"] = lambda _asked: reply

    with pytest.raises(UnavailableError, match="does not answer"):
        desk.asked(desk.token())


def test_many_with_a_new_key_wait_for_one_answer(
    desk: TokenDesk, other_key: Key
) -> None:
    assert desk.accepted()
    desk.provider.keys.insert(0, other_key)
    tokens = [desk.token() for _ in range(16)]

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(desk.asked, tokens))

    assert all(found)
    assert desk.provider.paths() == [DESCRIPTION, "/keys", "/keys"]


def test_a_key_that_is_newer_than_the_last_answer_is_refused_to_nobody(
    desk: TokenDesk, other_key: Key
) -> None:
    """
    It cannot be looked up for some seconds; the token may be good.
    """
    assert desk.accepted()
    guessed = jwt.encode(
        {"alg": "RS256", "kid": "guessed", "typ": "at+jwt"}, desk.claims(), other_key
    )
    with pytest.raises(UnauthorizedError):
        desk.asked(guessed)
    desk.provider.keys.insert(0, other_key)

    with pytest.raises(UnavailableError, match="try again soon"):
        desk.asked(desk.token())


def test_what_is_known_is_renewed_while_requests_go_on(
    desk: TokenDesk, other_key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    So a key that was withdrawn is forgotten, though nobody names a new one.
    """
    monkeypatch.setattr(provider_keys, "RENEWED_AFTER_S", 0.0)
    old = desk.token()
    assert desk.asked(old)
    desk.provider.keys[:] = [other_key]

    def is_forgotten() -> bool:
        try:
            return desk.asked(old) is None
        except (UnauthorizedError, UnavailableError):
            return True

    until(is_forgotten, within_s=10, what="the end of the old key")


@pytest.mark.parametrize("kty", [[], {}, ["RSA"], 5, None])
def test_a_key_of_a_kind_that_is_no_text_hides_no_other(
    desk: TokenDesk, monkeypatch: pytest.MonkeyPatch, kty: object
) -> None:
    good = [key.as_dict(private=False) for key in desk.provider.keys]
    desk.provider.replies["/keys"] = lambda _asked: Reply.json(
        {"keys": [{**good[0], "kty": kty}, *good]}
    )

    assert desk.accepted()
    monkeypatch.setattr(provider_keys, "RENEWED_AFTER_S", 0.0)
    for _ in range(3):
        assert desk.accepted()


def test_keys_that_are_known_stay_good_if_no_thread_can_ask_for_new_ones(
    desk: TokenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.accepted()
    monkeypatch.setattr(provider_keys, "RENEWED_AFTER_S", 0.0)
    monkeypatch.setattr(provider_keys, "SPARED_S", 0.0)

    def full(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as crowded:
        crowded.setattr(threading.Thread, "start", full)
        assert desk.accepted()

    assert desk.accepted()
    until(
        lambda: desk.provider.paths().count("/keys") == 2,
        within_s=10,
        what="the next question",
    )
