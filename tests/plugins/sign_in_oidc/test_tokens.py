"""
Answers of a provider, or of somebody in its place, and what browsers bring.
"""

import json
import logging
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hvcore.errors import UnavailableError
from hvcore.ports.sign_in import (
    MembershipEndedError,
    RefreshInterruptedError,
    SignInRefusedError,
)
from hvcore.testing.sign_in import PAGES, STATE
from hvcore_openid_provider.provider_http import ProviderHttp, ProviderSettings
from tests.plugins.sign_in_oidc.conftest import Make, SignInDesk
from tests.plugins.sign_in_oidc.provider import (
    DESCRIPTION,
    REFUSES_TOKEN,
    SECRET,
    Asked,
    LoopbackProvider,
    Reply,
)
from tests.support.full_machine import full_machine
from tests.support.network.trickling import trickling_server


def test_userinfo_of_another_person_is_refused(desk: SignInDesk) -> None:
    desk.provider.userinfo = {"sub": "another", "groups": ["acme:admin"]}

    with pytest.raises(SignInRefusedError, match="cannot be trusted"):
        desk.signed_in()


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (REFUSES_TOKEN, b""),
        ({"WWW-Authenticate": "bearer"}, b""),
        ({"WWW-Authenticate": 'DPoP algs="ES256", Bearer realm="x"'}, b""),
        ({}, b'{"error": "invalid_token"}'),
        ({}, b'{"error": "insufficient_scope", "error_description": "x"}'),
    ],
)
def test_userinfo_that_refuses_ends_the_membership(
    desk: SignInDesk, status: int, headers: dict[str, str], body: bytes
) -> None:
    state = desk.signed_in().refresh_state
    reply = Reply(status=status, headers=headers, body=body)
    desk.provider.replies["/me"] = lambda _asked: reply

    with pytest.raises(MembershipEndedError, match="userinfo does not take"):
        desk.backend.refresh(state)


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("path", ["/me", "/token"])
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({}, b""),
        ({"Content-Type": "text/html"}, b"<html>Request blocked.</html>"),
        ({"WWW-Authenticate": 'Basic realm="gateway"'}, b""),
        ({"WWW-Authenticate": 'Digest realm="bearer"'}, b""),
        ({}, b'{"message": "Forbidden"}'),
        ({}, b'{"error": "forbidden"}'),
        ({}, b'{"error": {"code": "invalid_token"}}'),
        ({}, b'{"error": ["invalid_grant"]}'),
    ],
)
def test_a_refusal_of_a_firewall_ends_no_session(
    desk: SignInDesk, status: int, path: str, headers: dict[str, str], body: bytes
) -> None:
    """
    It is no word of the provider's about the person; all who are active would be out.
    """
    state = desk.signed_in().refresh_state
    reply = Reply(status=status, headers=headers, body=body)
    desk.provider.replies[path] = lambda _asked: reply

    with pytest.raises(UnavailableError, match="The sign-in provider") as interrupted:
        desk.backend.refresh(state)

    desk.provider.replies.clear()
    if isinstance(interrupted.value, RefreshInterruptedError):
        state = interrupted.value.refresh_state
    assert desk.backend.refresh(state).identity.roles


@pytest.mark.parametrize("body", [b"<html>Bad Request</html>", b"{}", b""])
def test_a_page_of_400_in_the_place_of_tokens_ends_no_session(
    desk: SignInDesk, body: bytes
) -> None:
    state = desk.signed_in().refresh_state
    desk.provider.replies["/token"] = lambda _asked: Reply(status=400, body=body)

    with pytest.raises(UnavailableError, match="does not answer"):
        desk.backend.refresh(state)

    desk.provider.replies.clear()
    assert desk.backend.refresh(state).identity.roles


@pytest.mark.parametrize("code", ["invalid_grant", "access_denied"])
def test_a_person_who_may_not_sign_in_any_more_is_out_at_403(
    desk: SignInDesk, code: str
) -> None:
    state = desk.signed_in().refresh_state
    desk.provider.replies["/token"] = lambda _asked: Reply.json(
        {"error": code}, status=403
    )

    with pytest.raises(MembershipEndedError, match=code):
        desk.backend.refresh(state)


def test_a_code_is_worth_nothing_twice_or_elsewhere(desk: SignInDesk) -> None:
    started = desk.backend.begin(PAGES, STATE)
    brought = desk.provider.consent(started.address)
    other = desk.backend.begin(PAGES, STATE)

    with pytest.raises(SignInRefusedError, match="used already"):
        desk.backend.complete(brought, PAGES, other.private)
    with pytest.raises(SignInRefusedError, match="used already"):
        desk.backend.complete(brought, PAGES, started.private)


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://evil.example.com"},
        {"iss": ""},
        {"code": "x" * 5000},
        {"error": "server_error"},
        {"error": "access_denied", "error_description": "Call 555-0100"},
    ],
)
def test_what_the_browser_brings_is_judged_before_anybody_is_asked(
    desk: SignInDesk, changes: dict[str, str]
) -> None:
    """
    A code of another provider is not sent to this one (RFC 9207), and what an address
    says is not shown to people.
    """
    started = desk.backend.begin(PAGES, STATE)
    brought = desk.provider.consent(started.address)

    with pytest.raises(SignInRefusedError, match=r"egin again|try again") as refused:
        desk.backend.complete({**brought, **changes}, PAGES, started.private)

    assert "555" not in str(refused.value)
    assert "/token" not in desk.provider.paths()


@pytest.mark.parametrize("path", [DESCRIPTION, "/keys", "/me", "/token"])
@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=500),
        Reply(status=503, body=b"<html>"),
        Reply(status=429),
        Reply(body=b"<html>"),
        Reply(body=b"[" * 400_000),
        Reply(body=b'{"a": "' + b"x" * 600_000 + b'"}'),
        Reply(headers={"Content-Length": "9"}, body=b"{}"),
        Reply(headers={"Content-Encoding": "gzip"}, body=b"\x1f\x8b\x08"),
    ],
)
def test_a_provider_that_talks_nonsense_signs_nobody_in(
    desk: SignInDesk, path: str, reply: Reply
) -> None:
    desk.provider.replies[path] = lambda _asked: reply

    words = "cannot be|answer|says nothing about"
    with pytest.raises((UnavailableError, SignInRefusedError), match=words):
        desk.signed_in()


def test_a_provider_that_is_gone_is_told_at_once(
    make: Make, loopback: LoopbackProvider
) -> None:
    desk = make(issuer="http://127.0.0.1:1")

    with pytest.raises(UnavailableError, match="does not answer"):
        desk.backend.begin(PAGES, STATE)


def test_a_provider_that_is_silent_is_spared_for_a_moment(
    desk: SignInDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Its time is over for all requests of a call together, however fast each is. Then
    nobody else waits for it, or every page would hold a thread.
    """
    state = desk.signed_in().refresh_state
    moment = [1000.0]

    def late(_asked: Asked) -> Reply:
        moment[0] += 9
        return Reply.json({"error": "invalid_grant"}, status=400)

    monkeypatch.setattr(time, "monotonic", lambda: moment[0])
    desk.provider.replies["/token"] = late
    before = len(desk.provider.asked)
    with pytest.raises(UnavailableError, match="does not answer"):
        desk.backend.refresh(state)
    for _ in range(3):
        with pytest.raises(UnavailableError, match="does not answer"):
            desk.backend.refresh(state)
    assert len(desk.provider.asked) == before + 1

    desk.provider.replies.clear()
    moment[0] += 6

    assert desk.backend.refresh(state).identity.roles


@pytest.mark.parametrize(
    ("first", "piece"),
    [(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"), (b"HTTP/1.1 200 OK\r\n\r\n", b" ")],
    ids=["head", "body"],
)
def test_a_provider_that_never_finishes_is_given_up_in_all(
    make: Make, first: bytes, piece: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    However soon each of its bytes comes; then nobody waits for it for a moment.
    """
    monkeypatch.setattr("hvcore_openid_provider.provider_http.TOTAL_S", 0.3)
    with trickling_server(piece, first=first) as port:
        desk = make(issuer=f"http://127.0.0.1:{port}")
        began_s = time.monotonic()
        for _ in range(3):
            with pytest.raises(UnavailableError, match="does not answer"):
                desk.backend.begin(PAGES, STATE)

        # http.client ends a head of its own at a hundred lines, 2 s later.
        assert time.monotonic() - began_s < 1.5


def test_a_connection_that_a_provider_keeps_is_not_used_again() -> None:
    """
    The deadline of another request would know nothing of it.
    """
    connections = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            connections.append(self.client_address)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")
            # Whatever the client asked for.
            self.close_connection = False

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        issuer = f"http://127.0.0.1:{server.server_port}"
        http = ProviderHttp(
            ProviderSettings(issuer=issuer, further_hosts=(), called="It", section="x")
        )
        exchange = http.begin()
        try:
            answers = [
                one.get(issuer).json() for one in (exchange, exchange, http.begin())
            ]
        finally:
            server.shutdown()
            thread.join()

    assert answers == [{}, {}, {}]
    assert len(set(connections)) == 3


def test_a_sign_in_is_an_outage_while_the_machine_has_no_thread(
    desk: SignInDesk,
) -> None:
    with full_machine(), pytest.raises(UnavailableError, match="no thread"):
        desk.backend.begin(PAGES, STATE)


@pytest.mark.parametrize(
    "error", ["server_error", "temporarily_unavailable", "invalid_client", "x y", 5]
)
def test_a_provider_that_cannot_judge_ends_no_session(
    desk: SignInDesk, error: object
) -> None:
    state = desk.signed_in().refresh_state
    desk.provider.replies["/token"] = lambda _asked: Reply.json(
        {"error": error}, status=400
    )

    words = "not know this" if error == "invalid_client" else "does not answer"
    with pytest.raises(UnavailableError, match=words):
        desk.backend.refresh(state)


@pytest.mark.parametrize("path", [DESCRIPTION, "/keys", "/me", "/token"])
@pytest.mark.parametrize(
    "reply",
    [
        Reply(),
        Reply(body=b"<html>We will be back soon.</html>"),
        Reply(body=b'{"access_token": "abc", "id_tok'),
        Reply(headers={"Content-Length": "90"}, body=b"{}"),
        Reply.json({"status": "maintenance"}),
        Reply.json({"error": "maintenance"}),
        Reply.json({"access_token": 5, "sub": 5, "keys": 5, "issuer": []}),
        Reply.json(["abc"]),
    ],
    ids=["empty", "page", "cut off", "short", "other", "error", "numbers", "list"],
)
def test_a_success_that_says_nothing_ends_no_session(
    make: Make, path: str, reply: Reply
) -> None:
    """
    It is an outage, as no answer would be; whoever is signed in is asked about later.
    """
    state = make().signed_in().refresh_state
    # One that has just been started knows neither description nor keys.
    desk = make()
    desk.provider.replies[path] = lambda _asked: reply

    with pytest.raises(UnavailableError, match="The sign-in provider") as interrupted:
        desk.backend.refresh(state)

    desk.provider.replies.clear()
    if isinstance(interrupted.value, RefreshInterruptedError):
        state = interrupted.value.refresh_state
    assert desk.backend.refresh(state).identity.roles


def test_a_refusal_with_the_status_of_a_success_is_one(desk: SignInDesk) -> None:
    state = desk.signed_in().refresh_state
    desk.provider.replies["/token"] = lambda _asked: Reply.json(
        {"error": "invalid_grant"}
    )

    with pytest.raises(MembershipEndedError, match="invalid_grant"):
        desk.backend.refresh(state)


def test_no_secret_is_logged_or_shown(
    desk: SignInDesk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    desk.provider.change_token = lambda claims: claims.update(nonce="another")
    shown = []
    for _ in range(2):
        with pytest.raises(SignInRefusedError, match="cannot be trusted") as refused:
            desk.signed_in()
        shown.append(str(refused.value))

    told = "\n".join([*shown, *(str(vars(record)) for record in caplog.records)])
    begun = desk.backend.begin(PAGES, STATE)
    secrets = [SECRET, *desk.provider.access_tokens, *desk.provider.refresh_tokens]
    assert len(secrets) > 3
    assert not [secret for secret in secrets if secret in told]
    assert "nonce" in told
    assert json.loads(begun.private)["verifier"] not in repr(begun)
