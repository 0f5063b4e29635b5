"""Count requests in moving windows in a Redis or a Valkey, shared by all processes and machines."""

import socket
import struct
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Protocol, TypeVar, cast

from redis import ConnectionError as RedisConnectionError
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError
from redis.retry import Retry

from hvcore.plugin_api import (
    ConfigError,
    RateLimitRule,
    RateLimitState,
    RateLimitStore,
    UnavailableError,
)

TIMEOUT_S: Final = 0.25
"""The time limit of a call: the port promises that a request does not wait longer for the store."""
_KERNEL_TIMEOUT: Final = struct.pack("ll", 0, int(TIMEOUT_S * 1_000_000))

ReadT = TypeVar("ReadT")
# What reading an answer of another type or form raises: None, a number, a text of words,
# a moment that is none.
_UNREADABLE: Final = (ValueError, TypeError, AttributeError, OverflowError, OSError)

HIT: Final = """
-- KEYS: a list for each rule, its newest hit first.
-- ARGV: how many requests each rule allows, and its window in seconds.
-- The server's clock: machines may disagree about the time.
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local answer = {}
local has_room = true

for rule, key in ipairs(KEYS) do
  local requests = tonumber(ARGV[2 * rule - 1])
  local left = now - tonumber(ARGV[2 * rule])
  local oldest = redis.call('LINDEX', key, -1)
  if oldest and tonumber(oldest) <= left then
    -- Find the newest hit that has left the window; it and all behind it go.
    local low, high = 0, redis.call('LLEN', key) - 1
    while low < high do
      local middle = math.floor((low + high) / 2)
      if tonumber(redis.call('LINDEX', key, middle)) <= left then
        high = middle
      else
        low = middle + 1
      end
    end
    if high == 0 then
      redis.call('DEL', key)
    else
      redis.call('LTRIM', key, 0, high - 1)
    end
  end
  local count = redis.call('LLEN', key)
  local next_to_leave = -1
  if count >= requests then
    has_room = false
    -- A lowered limit leaves more than it allows: this one has to go first.
    next_to_leave = math.max(requests, 1) - 1
  end
  answer[2 * rule - 1] = count
  answer[2 * rule] = redis.call('LINDEX', key, next_to_leave) or ''
end

if has_room then
  for rule, key in ipairs(KEYS) do
    redis.call('LPUSH', key, string.format('%.6f', now))
    redis.call('EXPIRE', key, ARGV[2 * rule])
  end
end
answer[#answer + 1] = string.format('%.6f', now)
-- One text: a list takes the client 5 us longer to read.
return table.concat(answer, ' ')
"""


class _Connection(Protocol):
    """The methods of a connection of the Redis client that this module uses."""

    def send_command(self, *words: object) -> None: ...

    def read_response(self) -> Any:  # noqa: ANN401 - whatever the server says
        """Wait for the server's answer, and return it."""

    def disconnect(self) -> None:
        """Close the connection."""

    def register_connect_callback(self, callback: object) -> None:
        """Register a method to call with the connection once it is open."""


class SharedWindows(RateLimitStore):
    """
    A rate limit store that counts in Redis in one round trip, by an atomic script.

    Each window is a list of the times at which its requests (hits) came.
    """

    def __init__(self, *, url: str, prefix: str) -> None:
        try:
            self._client = Redis.from_url(
                url,
                socket_timeout=TIMEOUT_S,
                socket_connect_timeout=TIMEOUT_S,
                # Tried again by _answer, where it makes sense.
                retry=Retry(NoBackoff(), 0),
            )
        except ValueError as exc:
            raise ConfigError(
                "limits.options.url: expected redis://host:port/0 or "
                "unix:///path/to/socket"
            ) from exc
        self._prefix = prefix
        self._sha = self._client.register_script(HIT).sha
        # Connections that nobody uses now: as many as threads ever needed at
        # once. The client's own pool costs more than the whole script.
        self._idle: deque[_Connection] = deque()

    def hit(self, rules: Sequence[RateLimitRule]) -> Sequence[RateLimitState]:
        """
        Count one request under all rules, or under none if one of them refuses it.

        Raises:
            UnavailableError: The server does not answer within 0.25 s.
        """
        return self.begin_hit(rules)()

    def begin_hit(
        self, rules: Sequence[RateLimitRule]
    ) -> Callable[[], Sequence[RateLimitState]]:
        """Send the request that counts a hit under every rule; return a function that reads the answer."""
        words: list[object] = ["EVALSHA", self._sha, len(rules)]
        words += [self._key(rule) for rule in rules]
        for rule in rules:
            words += (rule.limit.requests, rule.limit.window_s)
        return self._begin(*words, read=lambda answer: _states(rules, answer))

    def ping(self) -> None:
        """Raise UnavailableError if the server does not count hits."""
        # As a hit, under a name of its own: who may use other keys alone, and a server
        # that is full or read-only, answers PING.
        key = f"{self._prefix}:ping"
        self._begin("EVALSHA", self._sha, 1, key, 1, 1, read=_check_counted)()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().disconnect()
        self._client.close()

    def _new_connection(self) -> _Connection:
        made = cast(_Connection, self._client.connection_pool.make_connection())
        made.register_connect_callback(self._let_kernel_wait)
        return made

    def _let_kernel_wait(self, connection: Any) -> None:  # noqa: ANN401 - the client's own
        # Python's timeouts ask before each read and write whether it would
        # wait. Every question hands the interpreter to another thread, and
        # the busy threads of an API pay more for that than for the answer.
        sock = connection._sock  # noqa: SLF001 - the client has no option for it
        if type(sock) is socket.socket:
            sock.settimeout(None)
            for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
                sock.setsockopt(socket.SOL_SOCKET, option, _KERNEL_TIMEOUT)

    def _key(self, rule: RateLimitRule) -> str:
        return f"{self._prefix}:{rule.limit.bucket.value}/{rule.subject}"

    def _begin(
        self, *words: object, read: Callable[[Any], ReadT]
    ) -> Callable[[], ReadT]:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._new_connection()
        failure: Exception | None = None
        try:
            connection.send_command(*words)
        # The client greets the server first, and reads what it says.
        except (RedisError, *_UNREADABLE) as exc:
            failure = exc

        def end() -> ReadT:
            try:
                return read(_answer(connection, words, failure))
            except RedisError as exc:
                connection.disconnect()
                raise UnavailableError("The rate limit store does not answer.") from exc
            except _UNREADABLE as exc:
                # Whoever answers so is not asked again on this connection.
                connection.disconnect()
                raise UnavailableError(
                    "The rate limit store answers with something else."
                ) from exc
            except BaseException:
                # Its answer would be taken for that of the next question.
                connection.disconnect()
                raise
            finally:
                # Only now: an answer that nobody waits for is the next one's.
                self._idle.append(connection)

        return end


def _answer(
    connection: _Connection, words: Sequence[object], failure: Exception | None
) -> Any:  # noqa: ANN401 - whatever the server says
    try:
        if failure is not None:
            raise failure
        return connection.read_response()
    except NoScriptError:
        pass
    except RedisConnectionError as exc:
        if isinstance(exc.__context__, BlockingIOError):
            raise
        # Once more, at once: the connection may be older than the server. Not
        # after a timeout, which is all the time there is.
        connection.disconnect()
    # A server that was started again knows no script.
    _exchange(connection, "SCRIPT", "LOAD", HIT)
    return _exchange(connection, *words)


def _exchange(connection: _Connection, *words: object) -> Any:  # noqa: ANN401 - see _answer
    connection.send_command(*words)
    return connection.read_response()


def _check_counted(answer: bytes) -> None:
    count, moment, now_text = answer.split(b" ")
    int(count)
    for told in (moment or now_text, now_text):
        datetime.fromtimestamp(float(told), UTC)


def _states(rules: Sequence[RateLimitRule], answer: bytes) -> list[RateLimitState]:
    *numbers, now_text = answer.split(b" ")
    now = float(now_text)
    counts, moments = [int(count) for count in numbers[::2]], numbers[1::2]
    was_counted = all(
        count < rule.limit.requests for rule, count in zip(rules, counts, strict=True)
    )
    return [
        _state(rule, count, moment, now=now, was_counted=was_counted)
        for rule, count, moment in zip(rules, counts, moments, strict=True)
    ]


def _state(
    rule: RateLimitRule,
    count: int,
    moment: bytes,
    *,
    now: float,
    was_counted: bool,
) -> RateLimitState:
    limit = rule.limit
    has_room = count < limit.requests
    remaining = max(0, limit.requests - count - was_counted)
    # Nothing is in the window: of a hit of now, or of a limit of none.
    begins = float(moment) if moment else now
    is_empty = not moment and not was_counted and has_room
    leaves_at = begins if is_empty else begins + limit.window_s
    return RateLimitState(
        rule=rule,
        is_allowed=has_room,
        remaining=remaining,
        reset_at=datetime.fromtimestamp(leaves_at, UTC),
    )
