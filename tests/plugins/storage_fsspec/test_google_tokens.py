"""
Tokens of an account of Google, while nobody gives new ones.
"""

import io
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from google.auth.credentials import Credentials
from google.auth.exceptions import GoogleAuthError, RefreshError
from google.oauth2 import service_account

from hvcore.plugin_api import UnavailableError
from hvcore_storage_fsspec import google_tokens
from hvcore_storage_fsspec.backend import make_storage
from hvcore_storage_fsspec.google import GoogleStorage
from hvcore_storage_fsspec.google_tokens import TokenRenewal
from tests.support.full_machine import full_machine
from tests.support.live import until
from tests.support.stores.google_store import google_args, key_file, new_google_bucket
from tests.support.stores.half_answers import (
    PAGE,
    half_answering_server,
    trickling_server,
)

GOOD = "ya29.good"


def ends_in(**of: float) -> datetime:
    return datetime.now(UTC).replace(tzinfo=None) + timedelta(**of)


class Account(Credentials):  # type: ignore[misc]  # Google's types are not known here
    """
    An account whose tokens are refused from now on.
    """

    def __init__(self, **ends: float) -> None:
        super().__init__()
        self.token = GOOD
        self.expiry = ends_in(**ends)
        self.asked = 0
        self.answered = threading.Event()

    def refresh(self, request: object) -> None:
        """
        Refuse, once it is time.
        """
        self.asked += 1
        assert self.answered.wait(10)
        raise RefreshError("no")


def test_a_token_is_used_until_it_ends_while_one_question_asks_for_the_next() -> None:
    account, renewal = Account(minutes=2), TokenRenewal()

    # The question is not answered before all of them have gone on.
    for _ in range(20):
        renewal.renew(account)
    account.answered.set()
    until(renewal._question.done, within_s=10, what="the refusal")
    renewal.renew(account)

    assert account.asked == 1


def test_callers_without_a_token_share_one_question_and_its_refusal() -> None:
    account, renewal = Account(seconds=-1), TokenRenewal()

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(renewal.renew, account) for _ in range(4)]
        until(lambda: account.asked == 1, within_s=10, what="the question")
        account.answered.set()
        for one in asking:
            with pytest.raises(RefreshError):
                one.result(10)
    with pytest.raises(RefreshError):
        renewal.renew(account)

    assert account.asked == 1


def test_a_question_without_a_token_is_asked_again_after_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(google_tokens, "AGAIN_AFTER_S", 0.0)
    account, renewal = Account(seconds=-1), TokenRenewal()
    account.answered.set()

    for _ in range(2):
        with pytest.raises(RefreshError):
            renewal.renew(account)

    assert account.asked == 2


def test_a_question_that_no_thread_asks_is_asked_again() -> None:
    account, renewal = Account(minutes=2), TokenRenewal()

    with full_machine():
        renewal.renew(account)
    assert account.asked == 0
    renewal.renew(account)

    until(lambda: account.asked == 1, within_s=10, what="the question")
    account.answered.set()
    until(renewal._question.done, within_s=10, what="the refusal")


def test_a_token_that_is_new_makes_nobody_ask() -> None:
    account = Account(hours=1)

    TokenRenewal().renew(account)

    assert account.asked == 0


@pytest.mark.parametrize(
    "answer",
    [
        PAGE,
        b"",
        b"{}",
        b'{"access_token": 5, "expires_in": 3600}',
        b'{"access_token": "ya29.new", "expires_in": 0}',
        b'{"access_token": "ya29.new", "expires_in": "soon"}',
    ],
)
def test_half_an_answer_of_the_token_endpoint_takes_no_good_token_away(
    tmp_path: Path, answer: bytes
) -> None:
    with half_answering_server() as half:
        half.answer, half.headers = answer, {"Content-Type": "application/json"}
        keys = json.loads(key_file(tmp_path, half.url).read_text("utf-8"))
        account = service_account.Credentials.from_service_account_info(
            keys, scopes=["x"]
        )
        account.token, account.expiry = GOOD, ends_in(minutes=2)
        renewal = TokenRenewal()

        renewal.renew(account)
        until(renewal._question.done, within_s=10, what="the answer")
        renewal.renew(account)
        assert account.token == GOOD

        account.expiry = ends_in(seconds=-1)
        with pytest.raises(GoogleAuthError):
            renewal.renew(account)


def _spent(bucket: GoogleStorage, **ends: float) -> None:
    bucket._account.expiry = ends_in(**ends)


@pytest.fixture
def bucket(google_store: str, tmp_path: Path) -> GoogleStorage:
    args = google_args(tmp_path, google_store)
    name = new_google_bucket(google_store)
    made = make_storage(
        f"gs://{name}/here", args=args, min_free_bytes=None, work_dir=tmp_path
    )
    assert isinstance(made, GoogleStorage)
    made.write("v/a", io.BytesIO(b"data"), content_type="video/mp4")
    return made


@pytest.mark.parametrize("server", [half_answering_server, trickling_server])
def test_a_bucket_is_read_with_a_good_token_while_nobody_gives_the_next(
    bucket: GoogleStorage, server: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    with server() as running:  # type: ignore[attr-defined]  # one of two
        url = getattr(running, "url", running)
        monkeypatch.setattr(bucket._account, "_token_uri", f"{url}/token")
        _spent(bucket, minutes=2)

        assert bucket.stat("v/a").size_bytes == 4

        # Without any, everybody is told within the time of a small answer.
        monkeypatch.setattr("hvcore_storage_fsspec.google.ANSWER_S", 0.3)
        _spent(bucket, seconds=-1)
        with pytest.raises(UnavailableError, match="does not answer"):
            bucket.stat("v/a")
