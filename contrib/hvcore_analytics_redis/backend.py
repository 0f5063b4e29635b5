"""
Forward counts of served segments as entries of a Redis stream.

Each count is an entry of its own, so that a reader needs no batches: it adds
``segments`` to what it knows of the place and the day. The fields:

``org``, ``env``, ``video``, ``height``
    Whose segments they are; the height is the rung's short edge in pixels.
``day``
    The UTC day, ``2026-01-31``.
``segments``
    How many were served, to be added; below zero if some were taken back.
``first_ms``, ``last_ms``
    When the first and the last of them were, in milliseconds since 1970.
``file``, ``start``, ``end``
    The batch: the spool file and its range of bytes. All entries of a batch
    appear in one step; a batch without counts has none.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from redis import ConnectionError as RedisConnectionError
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from hvcore.plugin_api import (
    AnalyticsSink,
    BatchRefusedError,
    ConfigError,
    ServedBatch,
    ServedCount,
    UnavailableError,
)

TIMEOUT_S: Final = 4
"""Nobody waits for the flusher but the spool; 10,000 counts take some 80 ms."""
_OWN_OPTIONS: Final = frozenset(
    {
        *("retry", "retry_on_error", "socket_keepalive_options"),
        *("connection_pool", "connection_class", "credential_provider"),
        *("redis_connect_func", "parser_class", "encoder_class", "cache"),
        *("cache_config", "event_dispatcher", "command_packer", "driver_info"),
    }
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)

WRITE: Final = """
-- KEYS: the stream; the positions, a hash by file.
-- ARGV: file, start and end of the batch, the stream's length, then the values
-- of each count.
local known = redis.call('HGET', KEYS[2], ARGV[1]) or '0'
local applied = tonumber(known)
if tonumber(ARGV[3]) <= applied then
  return -1
end
if tonumber(ARGV[2]) ~= applied then
  return applied
end
-- A script that ends in the middle is not taken back. What could end it (no
-- memory, a key of another type, no right to the command) shows here, which
-- changes nothing, or at the first entry.
redis.call('HSET', KEYS[2], ARGV[1], known)
for at = 5, #ARGV, 8 do
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[4], '*',
    'org', ARGV[at], 'env', ARGV[at + 1], 'video', ARGV[at + 2],
    'height', ARGV[at + 3], 'day', ARGV[at + 4], 'segments', ARGV[at + 5],
    'first_ms', ARGV[at + 6], 'last_ms', ARGV[at + 7],
    'file', ARGV[1], 'start', ARGV[2], 'end', ARGV[3])
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
return -1
"""
_DONE: Final = -1


class RedisStream(AnalyticsSink):
    """
    An analytics sink that appends each count to a Redis stream once; it answers no questions.

    A script stores the read position of the spool file and appends the entries of a
    batch, or does neither. Both are in one Redis and are lost together, so a Redis that
    comes back with an older state gets the missing counts, as long as the spool has
    them.
    """

    def __init__(self, *, url: str, stream: str, max_entries: int) -> None:
        _refuse_own_options(url)
        try:
            self._client = Redis.from_url(
                url,
                socket_timeout=TIMEOUT_S,
                socket_connect_timeout=TIMEOUT_S,
                # Once, at once: the pooled connection may be older than the
                # server. A script that ran twice finds that it had been applied.
                retry=Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,)),
            )
            # Not connected, and of no use but to show what the client does not know.
            pool = self._client.connection_pool
            pool.connection_class(**pool.connection_kwargs)
        except (ValueError, TypeError, RedisError):
            # Without its cause, which quotes the address.
            raise ConfigError(
                "analytics.options.redis.url: expected redis://host:port/0, "
                "rediss://host:port/0 or unix:///path/to/socket, and after a ? only options of redis-py"
            ) from None
        self._stream = stream
        # In a cluster, the braces put both keys on one node.
        self._positions = f"{{{stream}}}:positions"
        self._max_entries = max_entries
        self._write = self._client.register_script(WRITE)

    def write(self, batch: ServedBatch) -> None:
        """
        Append the counts of a batch and store the read position of its spool file, both or neither.

        Raises:
            BatchRefusedError: The batch does not begin at the stored position.
            UnavailableError: The server does not accept the batch.
        """
        part = batch.id
        values = [value for count in batch.counts for value in _values(count)]
        words = [part.file, part.start, part.end, self._max_entries, *values]
        applied = self._ask(
            lambda: self._write(keys=[self._stream, self._positions], args=words)
        )
        if applied != _DONE:
            raise BatchRefusedError(
                f"{part.file} was read up to {applied}; a batch from {part.start} "
                f"to {part.end} does not follow."
            )

    def position(self, file: str) -> int:
        """
        Return the number of bytes of a spool file that are in the stream; 0 for a new file.

        Raises:
            UnavailableError: The server does not answer.
        """
        found = self._ask(lambda: self._client.hget(self._positions, file))
        return int(found or 0)

    def forget(self, file: str) -> None:
        """
        Drop the stored read position of a spool file that was removed and never comes back.

        Raises:
            UnavailableError: The server does not answer.
        """
        self._ask(lambda: self._client.hdel(self._positions, file))

    def ping(self) -> None:
        """Raise UnavailableError if the server does not answer or accept writes."""
        # A write: a full Redis and a read-only one still answer PING.
        name = f"{{{self._stream}}}:ping"
        self._ask(lambda: self._client.set(name, 1, ex=5))

    def close(self) -> None:
        self._client.close()

    def _ask(self, question: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the server says
        try:
            return question()
        except (RedisError, UnicodeError) as exc:
            # A host's name may be none. Texts of the client and the server name no password.
            raise UnavailableError(
                f"The Redis of analytics.options.redis takes nothing: {exc}"
            ) from exc


def _refuse_own_options(url: str) -> None:
    """
    Refuse an address with an option that Redis's client takes only as an object.

    It would be noticed at the first question.
    """
    for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True):
        if name in _OWN_OPTIONS:
            raise ConfigError(
                f"analytics.options.redis.url: {name} is not allowed in the address; remove it: the sink sets what it needs itself"
            )


def _values(count: ServedCount) -> tuple[str | int, ...]:
    place = count.place
    return (
        place.org_id,
        place.env_id,
        place.video_id,
        place.height_px,
        count.day.isoformat(),
        count.segments,
        (count.first_at - _EPOCH) // _MS,
        (count.last_at - _EPOCH) // _MS,
    )
