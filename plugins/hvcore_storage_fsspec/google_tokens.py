"""Renew the access tokens of a Google account before they end."""

import logging
import threading
import time
from concurrent.futures import Future
from functools import partial
from typing import Final

from google.auth.credentials import Credentials, TokenState
from google.auth.exceptions import GoogleAuthError, RefreshError
from google.auth.transport.requests import Request

from hvcore_storage_fsspec.time_limits import ANSWER_S

ASKED_EVERY_S: Final = 10.0
"""The seconds after a failed request for a token, while the last token is valid."""
AGAIN_AFTER_S: Final = 2.0
"""The seconds after a failed request for a token, while there is no valid one."""

_log = logging.getLogger(__name__)


class TokenRenewal:
    """
    Renews the access token of one Google account; thread-safe.

    google-auth calls a token stale 225 s before it ends. A stale token is used until
    its end, while one request for the next token runs in the background.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._question: Future[None] | None = None
        self._asked_again_at_s = 0.0

    def renew(self, account: Credentials, *, waits_s: float = ANSWER_S) -> None:
        """
        Make sure that an account has a valid token; wait for a new one only if there is none.

        Raises:
            GoogleAuthError: The account has no valid token, and the request for one
                failed.
            TimeoutError: The account has no valid token, and no answer came in time.
        """
        state = account.token_state
        if state is TokenState.FRESH:
            return
        question = self._ask(account)
        if state is TokenState.INVALID:
            question.result(timeout=waits_s)

    def _ask(self, account: Credentials) -> "Future[None]":
        """Return the last request for a token, or begin a new one if it is time."""
        with self._lock:
            question = self._question
            is_over = question is None or (
                question.done() and time.monotonic() >= self._asked_again_at_s
            )
            if question is None or is_over:
                question = self._question = Future()
                # Not in a pool, whose threads keep a process from ending.
                thread = threading.Thread(
                    target=self._fetch,
                    args=(account, question),
                    name="google-token",
                    daemon=True,
                )
                try:
                    thread.start()
                except RuntimeError as exc:
                    # Or this question would go on for ever, and no other one begin.
                    question.set_exception(RefreshError(f"no thread asks: {exc}"))
            return question

    def _fetch(self, account: Credentials, question: "Future[None]") -> None:
        # One request's limit; google-auth's own is 120 s.
        request = partial(Request(), timeout=ANSWER_S)
        former = account.token, account.expiry
        try:
            account.refresh(request)
            _check_token(account)
        except Exception as exc:  # noqa: BLE001 - a thread's edge; raised to who waits
            _log.warning(
                "Google gives no new token", extra={"hv_why": exc.__class__.__name__}
            )
            # Half an answer may have been taken over.
            account.token, account.expiry = former
            is_good = account.token_state is not TokenState.INVALID
            pause_s = ASKED_EVERY_S if is_good else AGAIN_AFTER_S
            self._asked_again_at_s = time.monotonic() + pause_s
            # Of half an answer, google-auth raises what the parser did.
            is_told = isinstance(exc, GoogleAuthError)
            question.set_exception(exc if is_told else RefreshError(repr(exc)))
        else:
            # Only a question that failed is followed by a pause.
            self._asked_again_at_s = 0.0
            question.set_result(None)


def _check_token(account: Credentials) -> None:
    if not isinstance(account.token, str) or account.token_state is TokenState.INVALID:
        raise GoogleAuthError("the new token is none, or has ended already")
