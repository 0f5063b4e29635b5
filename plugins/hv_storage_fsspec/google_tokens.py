"""
Tokens of an account of Google, renewed before they end.
"""

import logging
import threading
import time
from functools import partial
from typing import Final

from google.auth.credentials import Credentials, TokenState
from google.auth.exceptions import GoogleAuthError
from google.auth.transport.requests import Request

from hv_storage_fsspec.time_limits import ANSWER_S

ASKED_EVERY_S: Final = 10.0
"""After a question that failed, while the last token is good."""

_log = logging.getLogger(__name__)


class TokenRenewal:
    """
    Renew the token of an account; thread-safe.

    google-auth calls a token invalid 225 s before it ends. Until it has ended, one
    caller asks for the next one, and goes on with what there is if nobody answers.
    """

    def __init__(self) -> None:
        self._asking = threading.Lock()
        self._asked_again_at_s = 0.0

    def renew(self, account: Credentials) -> None:
        """
        Give an account a token that is good, if it has none; blocks for some seconds.

        Raises:
            GoogleAuthError: It has none, and gets none.
        """
        state = account.token_state
        # One request's limit; google-auth's own is 120 s.
        request = partial(Request(), timeout=ANSWER_S)
        if state is TokenState.INVALID:
            account.refresh(request)
        elif state is TokenState.STALE and self._is_turn():
            try:
                account.refresh(request)
            except GoogleAuthError as exc:
                _log.warning(
                    "Google gives no new token",
                    extra={"hv_why": exc.__class__.__name__},
                )
                self._asked_again_at_s = time.monotonic() + ASKED_EVERY_S
            finally:
                self._asking.release()

    def _is_turn(self) -> bool:
        """Return whether this caller asks, who then holds the lock."""
        is_pause = time.monotonic() < self._asked_again_at_s
        return not is_pause and self._asking.acquire(blocking=False)
