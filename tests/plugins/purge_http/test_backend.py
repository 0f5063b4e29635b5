"""
Caches that are told by HTTP what to forget.
"""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from hvcore.plugin_api import (
    CacheInvalidator,
    EnvId,
    InvalidationOrder,
    InvalidationReason,
    OrgId,
    UnavailableError,
    VideoId,
)
from hvcore.testing.cache_invalidation import (
    CacheInvalidatorConformance,
    half_answering_cache,
)
from hvcore_purge_http.backend import HttpInvalidator
from hvcore_purge_http.options import HttpPurgeOptions, PurgeStyle
from tests.plugins.purge_http.imitated_cache import (
    TOKEN,
    ImitatedCache,
    imitated_cache,
)
from tests.support.full_machine import full_machine
from tests.support.network.outbound import make_certificates
from tests.support.network.silent_addresses import names_lead_to, silent_addresses
from tests.support.stores.half_answers import (
    PAGE,
    HalfAnsweringServer,
    half_answering_server,
    trickling_server,
)


@pytest.fixture
def cache() -> Iterator[ImitatedCache]:
    with imitated_cache() as running:
        yield running


class Told(CacheInvalidatorConformance):
    __test__ = False
    style: PurgeStyle
    secrets = (TOKEN, "wrong-secret")
    gives_up_within_s = 5.0

    @pytest.fixture(autouse=True)
    def _cache(self, cache: ImitatedCache) -> None:
        self.cache = cache

    def made(
        self, url: str, token: str = TOKEN, timeout_s: float = 10.0
    ) -> HttpInvalidator:
        return HttpInvalidator(
            HttpPurgeOptions(
                urls=url, style=self.style, token=token, timeout_s=timeout_s
            )
        )

    @pytest.fixture
    def invalidator(self) -> Iterator[CacheInvalidator]:
        made = self.made(self.cache.url)
        yield made
        made.close()

    @pytest.fixture
    def unreachable(self) -> Iterator[CacheInvalidator]:
        # Takes the connection, and says nothing.
        with socket.create_server(("127.0.0.1", 0)) as silent:
            yield self.made(
                f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_s=0.3
            )

    @pytest.fixture
    def refused(self) -> CacheInvalidator:
        return self.made(self.cache.url, token="wrong-secret")

    @pytest.fixture
    def breaks_off(self) -> Iterator[CacheInvalidator]:
        with half_answering_cache() as url:
            yield self.made(url)

    def refuse_once(self) -> None:
        # An order of a CDN has fewer requests than prefixes.
        self.cache.fails_in = 2

    def keep(self, address: str) -> None:
        self.cache.keep(address)

    def is_kept(self, address: str) -> bool:
        return self.cache.is_kept(address)


@pytest.mark.every(3)
class TestBan(Told):
    __test__ = True
    style = PurgeStyle.BAN


@pytest.mark.every(3)
class TestWildcard(Told):
    __test__ = True
    style = PurgeStyle.WILDCARD


class TestPrefixes(Told):
    __test__ = True
    style = PurgeStyle.PREFIXES


def order(*prefixes: str) -> InvalidationOrder:
    return InvalidationOrder(
        id="task_1",
        reason=InvalidationReason.DELETED,
        org_id=OrgId("org_a"),
        env_id=EnvId("env_a"),
        video_id=VideoId("vid_1"),
        address_prefixes=prefixes,
    )


def test_every_cache_is_told(cache: ImitatedCache) -> None:
    with imitated_cache() as other:
        urls = f"{cache.url}/, {other.url}"
        invalidator = HttpInvalidator(
            HttpPurgeOptions(urls=urls, token=TOKEN, token_header="X-Key")
        )
        for one in (cache, other):
            one.keep("https://cdn.example.com/v1/a")

        invalidator.invalidate(order("https://cdn.example.com/v1/"))
        invalidator.close()

        assert (cache.kept, other.kept) == (set(), set())


def test_an_order_is_not_done_before_the_last_cache_has_it(
    cache: ImitatedCache,
) -> None:
    with imitated_cache() as other:
        gone = other.url
    invalidator = HttpInvalidator(
        HttpPurgeOptions(urls=f"{cache.url},{gone}", token=TOKEN)
    )

    with pytest.raises(UnavailableError, match=r"127\.0\.0\.1:[0-9]+ does not answer"):
        invalidator.invalidate(order("https://cdn.example.com/v1/"))
    invalidator.close()


def test_a_cache_that_is_down_keeps_no_other_from_being_told(
    cache: ImitatedCache,
) -> None:
    with imitated_cache() as first, imitated_cache() as second:
        gone = (first.url, second.url)
    invalidator = HttpInvalidator(
        HttpPurgeOptions(urls=f"{gone[0]},{cache.url},{gone[1]}", token=TOKEN)
    )
    cache.keep("https://cdn.example.com/v1/a")

    with pytest.raises(UnavailableError, match="does not answer") as raised:
        invalidator.invalidate(order("https://cdn.example.com/v1/"))
    invalidator.close()

    assert cache.kept == set()
    assert all(url.removeprefix("http://") in str(raised.value) for url in gone)
    assert cache.url.removeprefix("http://") not in str(raised.value)


def test_many_prefixes_take_few_requests(cache: ImitatedCache) -> None:
    invalidator = HttpInvalidator(
        HttpPurgeOptions(urls=cache.url, style=PurgeStyle.PREFIXES, token=TOKEN)
    )

    invalidator.invalidate(order(*[f"https://cdn.example.com/{n}/" for n in range(61)]))
    invalidator.close()

    assert cache.requests == ["POST /"] * 3


@pytest.mark.parametrize(
    "options",
    [
        {"urls": ""},
        {"urls": "cache.example.com"},
        {"urls": "http://a, b"},
        {"urls": "http://a", "most_prefixes": 0},
        {"urls": "http://a", "timeout_s": 0.0},
        {"urls": "http://a", "token_header": ""},
        {"urls": "http://a", "token_header": "X-Key:"},
    ],
)
def test_options_that_cannot_work_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="must be"):
        HttpPurgeOptions(**options)  # type: ignore[arg-type]


def test_options_show_no_token() -> None:
    assert TOKEN not in repr(HttpPurgeOptions(urls="http://a", token=TOKEN))


@pytest.mark.parametrize(
    "options",
    [
        {"token": "open-sesame\n"},
        {"token": " open-sesame"},
        {"token": "open\r\nX-Other: sesame"},
        {"token": "öpen-sesame"},
        {"token_header": "open-sesame "},
        {"urls": "http://ann:open-sesame@a"},
        {"urls": "http://a, https://open-sesame@b/purge"},
        {"urls": "http://ann:open-sesame@a, b"},
    ],
)
def test_a_refusal_of_options_tells_no_secret(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="must be") as raised:
        HttpPurgeOptions(**{"urls": "http://a", **options})  # type: ignore[arg-type]

    assert "sesame" not in str(raised.value)


def answering(
    half: HalfAnsweringServer, style: PurgeStyle, *, timeout_s: float = 10.0
) -> HttpInvalidator:
    return HttpInvalidator(
        HttpPurgeOptions(urls=half.url, style=style, timeout_s=timeout_s)
    )


@pytest.mark.parametrize(
    "body",
    [
        b'{"success": false, "errors": [{"code": 1012}]}',
        b'{"success": null}',
        b'{"success": tr',
        PAGE,
    ],
)
def test_a_cdn_is_not_believed_whose_success_says_that_it_failed(body: bytes) -> None:
    with half_answering_server() as half:
        half.answer, half.headers = body, {"Content-Type": "application/json"}
        invalidator = answering(half, PurgeStyle.PREFIXES)

        with pytest.raises(UnavailableError, match="answers 200, and that it failed"):
            invalidator.invalidate(order("https://cdn.example.com/v1/"))


@pytest.mark.parametrize(
    "body", [b'{"success": true}', b'{"status": "ok"}', b"", b"[]"]
)
def test_a_cdn_is_believed_that_says_nothing_else(body: bytes) -> None:
    with half_answering_server() as half:
        half.answer, half.headers = body, {"Content-Type": "application/json"}

        answering(half, PurgeStyle.PREFIXES).invalidate(
            order("https://cdn.example.com/v1/")
        )

        assert half.requests == 1


def test_the_page_of_a_cache_for_people_is_not_read() -> None:
    with half_answering_server() as half:
        answering(half, PurgeStyle.BAN).invalidate(order("https://cdn.example.com/v1/"))

        assert half.requests == 1


@pytest.mark.parametrize(
    "sent", [b"", b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"], ids=["head", "body"]
)
def test_an_answer_that_comes_a_byte_at_a_time_has_an_end(sent: bytes) -> None:
    with trickling_server(sent) as url:
        invalidator = HttpInvalidator(
            HttpPurgeOptions(urls=url, style=PurgeStyle.PREFIXES, timeout_s=0.3)
        )
        began_s = time.monotonic()

        with pytest.raises(UnavailableError, match="does not answer"):
            invalidator.invalidate(order("https://cdn.example.com/v1/"))

        assert time.monotonic() - began_s < 3


def given_up_after_s(url: str) -> float:
    invalidator = HttpInvalidator(HttpPurgeOptions(urls=url, timeout_s=0.3))
    began_s = time.monotonic()
    with pytest.raises(UnavailableError, match="does not answer"):
        invalidator.invalidate(order("https://cdn.example.com/v1/"))
    return time.monotonic() - began_s


def test_a_cache_with_many_silent_addresses_has_one_limit_for_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with silent_addresses(9, port) as silent:
            names_lead_to(silent, monkeypatch)

            assert given_up_after_s(f"http://cache.test:{port}") < 2


def test_a_cache_whose_name_nobody_looks_up_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: is_over.wait(5) and [])

    took_s = given_up_after_s("http://cache.test")
    is_over.set()

    assert took_s < 3


def test_an_order_fails_while_the_machine_has_no_thread(cache: ImitatedCache) -> None:
    invalidator = HttpInvalidator(HttpPurgeOptions(urls=cache.url, token=TOKEN))

    with full_machine(), pytest.raises(UnavailableError, match="no thread"):
        invalidator.invalidate(order("https://cdn.example.com/v1/"))


@pytest.mark.parametrize("is_trusted", [True, False])
def test_a_cache_with_tls_is_told_if_its_certificate_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_trusted: bool
) -> None:
    certificates = make_certificates(tmp_path, "localhost")
    if is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates.ca_file))
    with imitated_cache(certificates.server_context({})) as cache:
        cache.keep("https://cdn.example.com/v1/a")
        invalidator = HttpInvalidator(HttpPurgeOptions(urls=cache.url, token=TOKEN))

        with (
            nullcontext()
            if is_trusted
            else pytest.raises(UnavailableError, match="does not answer")
        ):
            invalidator.invalidate(order("https://cdn.example.com/v1/"))

        assert cache.kept == (set() if is_trusted else {"cdn.example.com/v1/a"})
