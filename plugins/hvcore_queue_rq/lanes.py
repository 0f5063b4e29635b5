"""
Find lanes whose Redis list fails, and leave them out for a while, so that the others go on.

One BLPOP asks for all lanes, and fails for all of them if one key is of another type
(WRONGTYPE) or denied (NOPERM).
"""

import time
from collections.abc import Callable, Sequence

from redis import Redis, ResponseError
from rq import Queue as RqMessages

from hvcore.plugin_api import Lane, QueueOutage
from hvcore_queue_rq.worker import InlineWorker


class RestingLanes:
    """
    Tracks the lanes of a consumer whose Redis lists fail, and tries them again after a while.

    Args:
        messages: Returns the RQ queue of a lane.
    """

    def __init__(
        self,
        lanes: Sequence[Lane],
        client: Redis,
        messages: Callable[[Lane], RqMessages],
    ) -> None:
        self._lanes = lanes
        self._client = client
        self._messages = messages
        self._outages = {lane: QueueOutage(lane) for lane in lanes}
        self._rest_until_s: dict[Lane, float] = {}

    @property
    def awake(self) -> Sequence[Lane]:
        """The lanes that are in use, because their Redis lists do not fail."""
        return [lane for lane in self._lanes if lane not in self._rest_until_s]

    @property
    def has_rested(self) -> bool:
        """Whether a lane that failed was left out long enough to be tried again."""
        now_s = time.monotonic()
        return any(until_s <= now_s for until_s in self._rest_until_s.values())

    def look_again(self) -> None:
        """
        Try each lane that was left out long enough; use it again if it works, else wait longer.

        Raises:
            redis.RedisError: The server does not answer.
        """
        now_s = time.monotonic()
        for lane, until_s in list(self._rest_until_s.items()):
            if until_s > now_s:
                continue
            failure = self._failure(lane)
            if failure is None:
                self._outages[lane].end()
                del self._rest_until_s[lane]
            else:
                self._rest(lane, failure)

    def find_failing(self, error: ResponseError) -> None:
        """
        Try each lane alone after a failure, and leave the failing lanes out for a while.

        Raises:
            redis.RedisError: The server does not answer, or either all lanes fail or
            none.
        """
        awake = self.awake
        failures = {lane: self._failure(lane) for lane in awake}
        failing = {lane: found for lane, found in failures.items() if found is not None}
        if not failing or len(failing) == len(self._lanes) > 1:
            raise error
        for lane, found in failing.items():
            self._rest(lane, found)

    def _rest(self, lane: Lane, failure: ResponseError) -> None:
        rest_s = self._outages[lane].begin(failure)
        self._rest_until_s[lane] = time.monotonic() + rest_s

    def _failure(self, lane: Lane) -> ResponseError | None:
        try:
            InlineWorker([self._messages(lane)], self._client).look_once()
        except ResponseError as exc:
            return exc
        return None
