"""
Use temporary AWS credentials (of a machine, a container or a role) as long as they are valid.

botocore renews such credentials ten minutes before they expire, and fails every call if
it cannot renew them; an incomplete answer replaces good credentials. It asks under a
lock that every call waits for, for as long as the source of the credentials is silent.
"""

import asyncio
import inspect
import logging
import math
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from datetime import UTC, datetime
from typing import Any, Final

from hvcore.errors import UnavailableError

ASKED_EVERY_S: Final = 10.0
"""After a question that was answered, while there are good ones."""
AGAIN_AFTER_S: Final = 2.0
"""After a question that failed, while there are none."""
WAITS_S: Final = 10.0
"""For one question, while there are none: a role takes a client and two requests, on a busy
machine some seconds. An answer that comes later is used, too."""
GIVEN_UP_AFTER_S: Final = 60.0
"""Then another question is asked: some sources take no limit, and botocore's own of STS is
five times as long."""

_log = logging.getLogger(__name__)


def use_until_end(credentials: Any) -> None:  # noqa: ANN401 - botocore has no types
    """
    Make botocore or aiobotocore use its temporary credentials until they expire.

    While the credentials are valid, no call waits for newer ones: one background
    request fetches them. If a call needs newer credentials and gets none,
    UnavailableError is raised. Credentials that never expire, and None, are left
    unchanged.
    """
    refresh = getattr(credentials, "_refresh_using", None)
    if refresh is not None and not isinstance(refresh, _Renewal):
        credentials._refresh_using = _Renewal(credentials, refresh)  # noqa: SLF001 - no other way


class _Renewal:
    """
    Gives botocore new credentials, or the good ones once more.

    botocore calls it under its lock, one call at a time.
    """

    def __init__(self, credentials: Any, refresh: Callable[[], Any]) -> None:  # noqa: ANN401 - see use_until_end
        self._credentials = credentials
        self._refresh = refresh
        self._is_async = inspect.iscoroutinefunction(credentials.get_frozen_credentials)
        self._question: Future[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._asked_at_s = self._answered_at_s = -math.inf
        self._found: Mapping[str, Any] | None = None
        self._error: BaseException | None = None

    def __call__(self) -> Any:  # noqa: ANN401 - members, or in aiobotocore a promise of them
        return self._given_later() if self._is_async else self._given()

    def _given(self) -> Mapping[str, Any]:
        question = self._asked()
        if not self._is_good():
            wait([question], timeout=self._patience_s)
        return self._newest()

    async def _given_later(self) -> Mapping[str, Any]:
        question = self._asked()
        if not self._is_good():
            # Unlike wait_for, it ends no question with the one call that waits.
            asked = asyncio.wrap_future(question)
            await asyncio.wait([asked], timeout=self._patience_s)
        return self._newest()

    @property
    def _patience_s(self) -> float:
        return max(self._asked_at_s + WAITS_S - time.monotonic(), 0.0)

    def _asked(self) -> "Future[None]":
        """Return the last question, or a new one if it is its time."""
        question, now_s = self._question, time.monotonic()
        if question is None or self._is_time(question, now_s):
            self._asked_at_s = now_s
            question = self._question = Future()
            self._ask(question)
        return question

    def _is_time(self, question: "Future[None]", now_s: float) -> bool:
        if _is_lasting(self._found):
            return False
        if question.done():
            pause_s = ASKED_EVERY_S if self._is_good() else AGAIN_AFTER_S
            return now_s >= self._answered_at_s + pause_s
        return now_s >= self._asked_at_s + GIVEN_UP_AFTER_S

    def _ask(self, question: "Future[None]") -> None:
        if self._is_async:
            # Kept here: a loop alone keeps no task.
            self._task = asyncio.create_task(self._fetch_later(question))
            return
        try:
            # Not in a pool, whose threads keep a process from ending.
            threading.Thread(
                target=self._fetch,
                args=(question,),
                name="aws-credentials",
                daemon=True,
            ).start()
        except RuntimeError as exc:
            # The machine has no thread to give.
            self._end(question, exc)

    def _fetch(self, question: "Future[None]") -> None:
        try:
            self._end(question, _whole(self._refresh()))
        except BaseException as exc:  # noqa: BLE001 - a thread's edge; raised to who waits
            self._end(question, exc)

    async def _fetch_later(self, question: "Future[None]") -> None:
        try:
            async with asyncio.timeout(GIVEN_UP_AFTER_S):
                found = self._refresh()
                if inspect.isawaitable(found):
                    found = await found
            self._end(question, _whole(found))
        except Exception as exc:  # noqa: BLE001 - of many kinds of providers
            self._end(question, exc)
        except BaseException as exc:
            # Its loop ends; another one may ask again.
            self._end(question, exc)
            raise

    def _end(
        self, question: "Future[None]", outcome: Mapping[str, Any] | BaseException
    ) -> None:
        self._answered_at_s = time.monotonic()
        if isinstance(outcome, BaseException):
            self._error = outcome
            _log.warning(
                "AWS gives no credentials", extra={"hv_why": type(outcome).__name__}
            )
        else:
            self._found, self._error = outcome, None
        question.set_result(None)

    def _newest(self) -> Mapping[str, Any]:
        found = self._found
        if found is None or not _is_lasting(found):
            return self._former()
        # Another question is asked once they are near their end.
        self._found = None
        return found

    def _is_good(self) -> bool:
        ends_at = self._credentials._expiry_time  # noqa: SLF001 - see use_until_end
        return ends_at is not None and ends_at > datetime.now(UTC)

    def _former(self) -> Mapping[str, Any]:
        if not self._is_good():
            raise UnavailableError(
                "AWS gives no credentials now; check the role, and the network to the "
                "machine's own service of credentials."
            ) from self._error
        own = self._credentials
        return {
            "access_key": own._access_key,  # noqa: SLF001 - see use_until_end
            "secret_key": own._secret_key,  # noqa: SLF001 - see use_until_end
            "token": own._token,  # noqa: SLF001 - see use_until_end
            "expiry_time": own._expiry_time.isoformat(),  # noqa: SLF001 - see use_until_end
        }


def _whole(found: Any) -> Mapping[str, Any]:  # noqa: ANN401 - of a stranger
    """Return credentials of which no part is missing; raises where one is."""
    texts = [found[name] for name in ("access_key", "secret_key", "token")]
    if not all(isinstance(text, str) and text for text in texts):
        raise ValueError("they are no texts")
    members: Mapping[str, Any] = found
    if not _is_lasting(members):
        raise ValueError("they have ended already")
    return members


def _is_lasting(found: Mapping[str, Any] | None) -> bool:
    if found is None:
        return False
    return datetime.fromisoformat(found["expiry_time"]) > datetime.now(UTC)
