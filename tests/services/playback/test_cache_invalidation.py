"""
Caches in front of the service are told what to forget, until they have heard it.

The invalidator is the one of docs/how-to/plugins/cache-invalidation.md; its cache is a real server.
"""

import json
import re
import sys
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import attrs
import pytest

from hvcore.assembly import Services, build
from hvcore.domain.ids import VideoId
from hvcore.domain.tasks.kinds import CACHE_INVALIDATION as KIND
from hvcore.services.playback.cache_invalidation import UNKNOWN_FOR, UNKNOWN_WAITS
from hvcore.settings import EdgeSettings
from tests.conftest import SettableClock
from tests.support.http.fixtures import open_world, settings_of
from tests.support.http.world import ENV, ORG, World, body_of

PAGE = (
    Path(__file__).parents[3] / "docs" / "how-to" / "plugins" / "cache-invalidation.md"
).read_text(encoding="utf-8")


@attrs.define
class Cache:
    """
    A cache that is told what to forget, and may be down.
    """

    port: int = 0
    orders: list[dict[str, object]] = attrs.field(factory=list)
    is_down: bool = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/purge"


@pytest.fixture
def cache() -> Iterator[Cache]:
    made = Cache()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if made.is_down:
                self.send_error(503)
                return
            made.orders.append(body)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.port = server.server_port
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def world(
    cache: Cache,
    tmp_path: Path,
    clock: SettableClock,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[World]:
    (code,) = re.findall(r"```python\n(# acme_cdn\.py\n.*?)```", PAGE, re.DOTALL)
    (tmp_path / "acme_cdn.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    base = settings_of(tmp_path)
    settings = attrs.evolve(
        base,
        edge=EdgeSettings(
            cache_invalidators=("acme",), options={"acme": {"url": cache.url}}
        ),
        plugin_modules=(*(base.plugin_modules or ()), "acme_cdn"),
    )
    with build(settings, rings=False) as services:
        services.migrate()
    with open_world(settings, clock) as made:
        yield made
    sys.modules.pop("acme_cdn", None)


def run_orders(services: Services, video: str) -> None:
    with services.uow.read() as work:
        tasks = work.tasks.of_subject(video, kind=KIND)
    for task in tasks:
        services.task_runs.run(task.id, worker="here", stopping=lambda: False)


def test_a_delete_is_told_with_every_address(world: World, cache: Cache) -> None:
    video = world.ready(is_public=True)

    body_of(world.delete(f"/v1/videos/{video}"))
    assert cache.orders == []
    run_orders(world.services, video)

    (order,) = cache.orders
    assert (order["video"], order["reason"]) == (video, "deleted")
    prefixes = order["prefixes"]
    assert isinstance(prefixes, list)
    assert f"https://worker.test/v1/public/{ORG}/{ENV}/{video}/" in prefixes
    assert f"https://worker.test/v1/private/{video}/" in prefixes
    assert f"https://worker.test/t/{video}/" in prefixes
    assert not any("token" in prefix for prefix in prefixes)


def test_a_cache_that_is_down_is_told_later_and_once(
    world: World, cache: Cache, clock: SettableClock
) -> None:
    video = world.ready(is_public=True)
    cache.is_down = True
    body_of(world.delete(f"/v1/videos/{video}"))
    for _ in range(5):
        run_orders(world.services, video)
        clock.move(timedelta(minutes=1))
    assert cache.orders == []

    cache.is_down = False
    run_orders(world.services, video)
    run_orders(world.services, video)

    assert [order["video"] for order in cache.orders] == [video]


def test_a_cache_that_is_emptied_after_a_restore_is_no_part_of_a_deletion(
    world: World,
) -> None:
    video = world.ready(is_public=True)
    body_of(world.delete(f"/v1/videos/{video}?keepHours=20"))
    body_of(world.post(f"/v1/videos/{video}/restore", {}))

    run_orders(world.services, video)

    with world.services.uow.read() as work:
        assert work.removals.of_video(VideoId(video)) == []


def test_a_video_that_is_made_private_is_told(world: World, cache: Cache) -> None:
    video = world.ready(is_public=True)

    for change in (
        {"allowPublicAccess": False},
        {"allowPublicAccess": True},
        {"videoName": "Another"},
    ):
        body_of(world.call("PATCH", f"/v1/videos/{video}", json=change))
    run_orders(world.services, video)

    assert [order["reason"] for order in cache.orders] == ["made_private"]


def test_revoked_keys_and_shares_are_told(world: World, cache: Cache) -> None:
    video = world.ready(is_public=False)
    key = body_of(world.post(f"/v1/videos/{video}/edge-keys", {}))["edgeKey"]
    share = body_of(world.post(f"/v1/videos/{video}/share", {}))["shareID"]

    world.delete(f"/v1/edge-keys/{key}")
    world.delete(f"/v1/videos/{video}/shares/{share}")
    run_orders(world.services, video)

    prefixes = [prefix for order in cache.orders for prefix in order["prefixes"]]  # type: ignore[attr-defined]  # a list
    assert any(key in prefix for prefix in prefixes)
    assert f"https://worker.test/v1/share/{share}/" in prefixes


def test_nothing_is_ordered_where_nobody_is_to_be_told(api: World) -> None:
    video = api.ready(is_public=True)

    body_of(api.delete(f"/v1/videos/{video}"))

    with api.services.uow.read() as work:
        assert work.tasks.of_subject(video, kind=KIND) == []


def without_invalidators(world: World) -> Services:
    """
    Return the services of a worker that does not know the invalidator, as during an update.
    """
    recipe = world.services.recipe
    edge = attrs.evolve(recipe.settings.edge, cache_invalidators=(), options={})
    settings = attrs.evolve(recipe.settings, edge=edge)
    return build(settings, overrides=recipe.overrides)


def test_an_order_waits_for_a_worker_that_knows_its_invalidator(
    world: World, cache: Cache, clock: SettableClock
) -> None:
    video = world.ready(is_public=True)
    body_of(world.delete(f"/v1/videos/{video}"))

    with without_invalidators(world) as other:
        run_orders(other, video)
        with other.uow.read() as work:
            (task,) = work.tasks.of_subject(video, kind=KIND)
    clock.move(UNKNOWN_WAITS)
    run_orders(world.services, video)

    assert task.error == "There is no cache invalidator acme here."
    assert [order["video"] for order in cache.orders] == [video]


def test_an_order_whose_invalidator_is_gone_for_good_ends_with_a_warning(
    world: World,
    clock: SettableClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    video = world.ready(is_public=True)
    body_of(world.delete(f"/v1/videos/{video}"))
    clock.move(UNKNOWN_FOR)

    with without_invalidators(world) as other:
        run_orders(other, video)
        with other.uow.read() as work:
            left = work.tasks.unended(video, kind=KIND)

    assert left == []
    assert f"invalidator acme were not told to forget the video {video}" in caplog.text
