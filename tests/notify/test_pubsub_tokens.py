"""
Messages that Google Pub/Sub pushes.
"""

import json
import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest

from hvcore_notify import pubsub_tokens
from tests.notify.event_senders import KEYS_PATH, EventSenders, event_senders
from tests.notify.senders import AUDIENCE, GoogleSender, SnsSender, push


def pushed(told: EventSenders, token: str | None, body: object = None) -> int:
    body = push("bucket", "here/x") if body is None else body
    return told.post("pubsub", body, token=token).status_code


def test_a_push_has_the_file_looked_for(shared: EventSenders) -> None:
    grant = shared.grant()
    bucket, _, key = shared.object_of(grant).partition("/")

    assert (
        pushed(shared, shared.google.token(shared.world.clock.now()), push(bucket, key))
        == 204
    )
    assert shared.looks(grant) == 1


def test_the_event_of_a_deleted_object_is_passed_over(shared: EventSenders) -> None:
    grant = shared.grant()
    bucket, _, key = shared.object_of(grant).partition("/")
    deleted = push(bucket, key, eventType="OBJECT_DELETE")

    assert pushed(shared, shared.google.token(shared.world.clock.now()), deleted) == 204
    assert shared.looks(grant) == 0


def test_the_keys_are_fetched_once(told: EventSenders) -> None:
    for _ in range(3):
        assert pushed(told, told.google.token(told.world.clock.now())) == 204

    assert told.asked(KEYS_PATH) == 1


CLAIMS: dict[str, dict[str, Any]] = {
    "another audience": {"aud": "https://other.example.com"},
    "several audiences": {"aud": [AUDIENCE, "x"]},
    "no audience": {"aud": None},
    "another account": {"email": "x@project.iam.gserviceaccount.com"},
    "no account": {"email": None},
    "an account that is no text": {"email": 5},
    "an unproven account": {"email_verified": False},
    "an account proven by a text": {"email_verified": "true"},
    "another issuer": {"iss": "https://accounts.example.com"},
    "no issuer": {"iss": None},
    "no end": {"exp": None},
    "an end beyond all": {"exp": 1e300},
    "an end that is no number": {"exp": True},
    "no beginning": {"iat": None},
    "a beginning that is a text": {"iat": "0"},
}


@pytest.mark.parametrize("claims", CLAIMS.values(), ids=CLAIMS)
def test_a_token_for_somebody_else_is_refused(
    shared: EventSenders, claims: dict[str, Any]
) -> None:
    assert (
        pushed(shared, shared.google.token(shared.world.clock.now(), **claims)) == 401
    )


@pytest.mark.parametrize(("minutes", "status"), [(-62, 401), (-59, 204), (2, 401)])
def test_a_token_is_believed_within_its_time(
    shared: EventSenders, minutes: int, status: int
) -> None:
    at = shared.world.clock.now() + timedelta(minutes=minutes)

    assert pushed(shared, shared.google.token(at)) == status


def test_a_token_of_another_key_is_refused(shared: EventSenders) -> None:
    now = shared.world.clock.now()
    forged = GoogleSender.make(name=shared.google.name)

    assert pushed(shared, forged.token(now)) == 401


def test_an_unknown_key_is_fetched_once_and_not_for_each_token(
    told: EventSenders,
) -> None:
    now = told.world.clock.now()
    assert pushed(told, told.google.token(now)) == 204

    statuses = [
        pushed(told, GoogleSender(key=told.google.key, name=f"x{n}").token(now))
        for n in range(4)
    ]

    assert statuses == [401] * 4
    # The first look may have been the one that was allowed for the next seconds.
    assert told.asked(KEYS_PATH) == 1


def test_a_key_that_is_weak_or_signs_nothing_is_not_believed(
    tmp_path: Path,
    amazon: SnsSender,
    google: GoogleSender,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pubsub_tokens, "AGAIN_AFTER_S", 0.0)
    weak = GoogleSender.make(bits=1024).keys()
    with event_senders(tmp_path, amazon, google) as told:
        for keys in (weak, google.keys().replace(b'"use": "sig"', b'"use": "enc"')):
            told.source.gives(KEYS_PATH, keys)

            # Their owner, too, is told that there are no keys.
            assert pushed(told, google.token(told.world.clock.now())) == 503
        told.source.gives(KEYS_PATH, google.keys().replace(b'"use": "sig", ', b""))
        assert pushed(told, google.token(told.world.clock.now())) == 204


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"keys": 5}', b"[" * 60_000, b"x" * 100_000]
)
def test_pubsub_is_asked_to_send_again_while_keys_cannot_be_had(
    told: EventSenders, body: bytes
) -> None:
    told.source.gives(KEYS_PATH, body)

    assert pushed(told, told.google.token(told.world.clock.now())) == 503


def test_pubsub_is_asked_to_send_again_in_the_pause_after_a_failure(
    told: EventSenders,
) -> None:
    token = told.google.token(told.world.clock.now())
    told.source.gives(KEYS_PATH, b"<html>Back in a minute.</html>")

    assert [pushed(told, token) for _ in range(3)] == [503] * 3
    assert told.asked(KEYS_PATH) == 1


@pytest.mark.parametrize("status", [200, 503])
def test_old_keys_are_used_while_google_gives_no_others(
    told: EventSenders, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    token = told.google.token(told.world.clock.now())
    assert pushed(told, token) == 204
    monkeypatch.setattr(pubsub_tokens, "RENEWED_AFTER_S", 0.0)
    monkeypatch.setattr(pubsub_tokens, "AGAIN_AFTER_S", 0.0)
    told.source.gives(KEYS_PATH, b"<html>Back in a minute.</html>", status=status)

    assert [pushed(told, token) for _ in range(2)] == [204] * 2
    assert told.asked(KEYS_PATH) == 3

    monkeypatch.setattr(pubsub_tokens, "BELIEVED_S", 0.0)
    assert pushed(told, token) == 503
    told.source.gives(KEYS_PATH, GoogleSender.make(name="key-2").keys())
    assert pushed(told, token) == 401


def test_no_other_way_of_signing_is_believed(shared: EventSenders) -> None:
    claims = jwt.decode(
        shared.google.token(shared.world.clock.now()),
        options={"verify_signature": False},
    )
    kid = {"kid": shared.google.name}
    public = shared.google.keys().decode() + "x" * 64
    tokens = [
        jwt.encode(claims, None, algorithm="none", headers=kid),
        jwt.encode(claims, public, algorithm="HS256", headers=kid),
        jwt.encode(claims, shared.google.key, algorithm="PS256", headers=kid),
        jwt.encode(claims, shared.google.key, algorithm="RS256"),
    ]

    assert [pushed(shared, token) for token in tokens] == [401] * 4


@pytest.mark.parametrize(
    "token",
    [
        *(None, "", "x", "a.b.c", "e30.e30.e30", "x" * 5000, "ü.ü.ü"),
        # [[[[… and {"alg": [[[[…
        *(f"{'W1tb' * 900}.e30.e30", f"eyJhbGciOltb{'W1tb' * 900}.e30.e30"),
    ],
    ids=range(9),
)
def test_an_invalid_token_is_refused_before_the_body_is_read(
    shared: EventSenders, token: str | None
) -> None:
    assert pushed(shared, token, "x" * 700_000) == 401


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"message": 5},
        {"message": {"attributes": 5}},
        {"message": {"attributes": {"eventType": "OBJECT_FINALIZE"}}},
        push("bucket", "../\x00"),
    ],
    ids=range(6),
)
def test_a_push_without_an_object_is_taken_and_says_nothing(
    shared: EventSenders, body: object
) -> None:
    assert pushed(shared, shared.google.token(shared.world.clock.now()), body) == 204


def test_a_giant_push_is_refused(shared: EventSenders) -> None:
    token = shared.google.token(shared.world.clock.now())

    assert pushed(shared, token, json.dumps({"x": "y" * 700_000})) == 413
    assert pushed(shared, token, "[" * 5000) == 400


def test_a_refused_token_is_not_logged(
    shared: EventSenders, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    token = shared.google.token(
        shared.world.clock.now(), aud="https://else.example.com"
    )

    answer = shared.post("pubsub", {}, token=token)

    logged = " ".join(str(vars(record)) for record in caplog.records)
    assert "a storage event is refused" in logged
    assert token not in logged + answer.text
    assert token.rpartition(".")[2] not in logged


def test_without_an_account_there_is_no_such_address(
    tmp_path: Path, amazon: SnsSender, google: GoogleSender
) -> None:
    none = {"HV_NOTIFY__PUBSUB_AUDIENCE": "", "HV_NOTIFY__PUBSUB_EMAIL": ""}
    with event_senders(tmp_path, amazon, google, **none) as told:
        assert pushed(told, google.token(told.world.clock.now())) == 404
