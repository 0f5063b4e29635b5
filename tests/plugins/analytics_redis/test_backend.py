"""
The analytics sink ``redis``, on a real server.
"""

import logging
from collections.abc import Iterator, Mapping
from datetime import date, timedelta

import pytest
import redis

from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import VideoId
from hvcore.errors import ConfigError, UnavailableError
from hvcore.ports.analytics import AnalyticsSink
from hvcore.testing.analytics import AnalyticsSinkConformance, Reopened
from hvcore.testing.analytics.served import NOON, batch, segment
from hvcore_analytics_redis.backend import RedisStream
from tests.support.servers import RedisServer, redis_server

pytestmark = pytest.mark.services

STREAM = "counts"
POSITIONS = "{counts}:positions"


def sink_on(
    url: str, *, stream: str = STREAM, max_entries: int = 1_000_000
) -> RedisStream:
    return RedisStream(url=url, stream=stream, max_entries=max_entries)


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url, decode_responses=True) as made:
        yield made


@pytest.mark.every(3)
class TestEveryPromise(AnalyticsSinkConformance):
    @pytest.fixture
    def sink(self, redis_url: str, client: redis.Redis) -> Iterator[RedisStream]:
        self.client = client
        made = sink_on(redis_url)
        yield made
        made.close()

    @pytest.fixture
    def reopened(self, redis_url: str) -> Iterator[Reopened]:
        made: list[RedisStream] = []

        def reopen() -> RedisStream:
            made.append(sink_on(redis_url))
            return made[-1]

        yield reopen
        for one in made:
            one.close()

    @pytest.fixture
    def unreachable(self) -> RedisStream:
        # Nobody listens there.
        return sink_on("redis://127.0.0.1:1/0")

    @pytest.fixture
    def elsewhere(self, redis_url: str) -> Iterator[RedisStream]:
        self.other = sink_on(redis_url, stream="others")
        yield self.other
        self.other.close()

    @pytest.fixture
    def unprepared(self, sink: RedisStream) -> RedisStream:
        return sink

    def counted(self, sink: AnalyticsSink, video_id: VideoId) -> int:
        return self.sum_of(sink, {"video": video_id})

    def counted_at(self, sink: AnalyticsSink, place: SegmentPlace, day: date) -> int:
        wanted = {
            "org": place.org_id,
            "env": place.env_id,
            "video": place.video_id,
            "height": str(place.height_px),
            "day": str(day),
        }
        return self.sum_of(sink, wanted)

    def sum_of(self, sink: AnalyticsSink, wanted: Mapping[str, str]) -> int:
        stream = "others" if sink is getattr(self, "other", None) else STREAM
        return sum(
            int(fields["segments"])
            for _, fields in self.client.xrange(stream)
            if wanted.items() <= fields.items()
        )


def test_an_entry_says_everything_of_a_count(
    redis_url: str, client: redis.Redis
) -> None:
    sink = sink_on(redis_url)

    sink.write(batch(segment(), segment(at=NOON + timedelta(milliseconds=7)), start=0))

    ((_, fields),) = client.xrange(STREAM)
    assert fields == {
        "org": "org_kit",
        "env": "dev",
        "video": "vid_kit_1",
        "height": "720",
        "day": "2026-01-01",
        "segments": "2",
        "first_ms": "1767268800000",
        "last_ms": "1767268800007",
        "file": "kit-a.log",
        "start": "0",
        "end": "20",
    }


def test_the_stream_has_a_length(redis_url: str, client: redis.Redis) -> None:
    sink = sink_on(redis_url, max_entries=100)

    for start in range(0, 10_000, 1_000):
        ones = [segment(f"vid_{start}_{n}") for n in range(100)]
        sink.write(batch(*ones, start=start))

    # Whole nodes of the stream go, of 100 entries each.
    assert 100 <= client.xlen(STREAM) < 300
    last = client.xrevrange(STREAM, count=1)[0][1]
    assert last["video"] == "vid_9000_99"


@pytest.mark.parametrize("spoilt", [STREAM, POSITIONS])
def test_a_key_of_another_type_changes_nothing(
    redis_url: str, client: redis.Redis, spoilt: str
) -> None:
    sink = sink_on(redis_url)
    client.set(spoilt, "somebody else's")

    with pytest.raises(UnavailableError, match="WRONGTYPE"):
        sink.write(batch(segment()))

    client.delete(spoilt)
    assert (sink.position("kit-a.log"), client.xlen(STREAM)) == (0, 0)


def test_a_full_server_changes_nothing(redis_url: str, client: redis.Redis) -> None:
    sink = sink_on(redis_url)
    client.config_set("maxmemory", "1")
    try:
        with pytest.raises(UnavailableError, match=r"OOM|maxmemory"):
            sink.write(batch(segment()))
        with pytest.raises(UnavailableError, match="maxmemory"):
            sink.ping()
    finally:
        client.config_set("maxmemory", "0")

    assert (sink.position("kit-a.log"), client.xlen(STREAM)) == (0, 0)
    sink.ping()


def test_who_may_not_keep_positions_appends_nothing(
    redis_url: str, client: redis.Redis
) -> None:
    client.execute_command(
        "ACL", "SETUSER", "half", "on", ">pw-half", "~*", "+@all", "-hset"
    )
    try:
        sink = sink_on(redis_url.replace("unix://", "unix://half:pw-half@"))
        with pytest.raises(UnavailableError, match="run this command"):
            sink.write(batch(segment()))
    finally:
        client.execute_command("ACL", "DELUSER", "half")

    assert client.xlen(STREAM) == 0


def test_a_server_that_is_away_is_said_and_found_again() -> None:
    with redis_server() as server:
        sink = sink_on(server.url)
        sink.write(batch(segment()))
        server.stop()
        with pytest.raises(UnavailableError, match="Connection refused"):
            sink.write(batch(segment(), start=10))
        with pytest.raises(UnavailableError, match="Connection refused"):
            sink.position("kit-a.log")
        with pytest.raises(UnavailableError, match="Connection refused"):
            sink.ping()
        server.start()

        # It kept nothing: the spool file is sent again from its beginning.
        assert sink.position("kit-a.log") == 0
        sink.write(batch(segment(), segment()))
        assert counted_on(server) == 2


def counted_on(server: RedisServer) -> int:
    with server.client() as client:
        return sum(int(fields[b"segments"]) for _, fields in client.xrange(STREAM))


def test_the_password_is_never_shown(
    redis_url: str, client: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client.execute_command(
        "ACL", "SETUSER", "counting", "on", ">hunter2-right", "~*", "+@all"
    )
    shown = []
    try:
        sink = sink_on(redis_url.replace("unix://", "unix://counting:hunter2-wrong@"))
        with pytest.raises(UnavailableError, match="takes nothing") as failed:
            sink.write(batch(segment()))
        shown += [str(failed.value), str(failed.value.__cause__), repr(sink)]
    finally:
        client.execute_command("ACL", "DELUSER", "counting")
    with pytest.raises(ConfigError, match="redis://host") as refused:
        sink_on("http://counting:hunter2-wrong@host")
    shown += [str(refused.value), repr(refused.value.__cause__)]

    assert "hunter2" not in "".join(shown) + caplog.text
