"""
Caches that are told by HTTP what to forget.
"""

import socket
from collections.abc import Iterator

import pytest

from hv_purge_http.backend import HttpPurger
from hv_purge_http.options import HttpPurgeOptions, PurgeStyle
from hvcore.plugin_api import (
    CachePurger,
    EnvId,
    OrgId,
    PurgeOrder,
    PurgeReason,
    UnavailableError,
    VideoId,
)
from hvcore.testing.cache_purge import CachePurgeConformance
from tests.plugins.purge_http.imitated_cache import (
    TOKEN,
    ImitatedCache,
    imitated_cache,
)


@pytest.fixture
def cache() -> Iterator[ImitatedCache]:
    with imitated_cache() as running:
        yield running


class Told(CachePurgeConformance):
    __test__ = False
    style: PurgeStyle
    secrets = (TOKEN, "wrong-secret")
    gives_up_within_s = 5.0

    @pytest.fixture(autouse=True)
    def _cache(self, cache: ImitatedCache) -> None:
        self.cache = cache

    def made(self, url: str, token: str = TOKEN, timeout_s: float = 10.0) -> HttpPurger:
        return HttpPurger(
            HttpPurgeOptions(
                urls=url, style=self.style, token=token, timeout_s=timeout_s
            )
        )

    @pytest.fixture
    def purger(self) -> Iterator[CachePurger]:
        made = self.made(self.cache.url)
        yield made
        made.close()

    @pytest.fixture
    def unreachable(self) -> Iterator[CachePurger]:
        # Takes the connection, and says nothing.
        with socket.create_server(("127.0.0.1", 0)) as silent:
            yield self.made(
                f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_s=0.3
            )

    @pytest.fixture
    def refused(self) -> CachePurger:
        return self.made(self.cache.url, token="wrong-secret")

    def keep(self, address: str) -> None:
        self.cache.keep(address)

    def is_kept(self, address: str) -> bool:
        return self.cache.is_kept(address)


class TestBan(Told):
    __test__ = True
    style = PurgeStyle.BAN


class TestWildcard(Told):
    __test__ = True
    style = PurgeStyle.WILDCARD


class TestPrefixes(Told):
    __test__ = True
    style = PurgeStyle.PREFIXES


def order(*prefixes: str) -> PurgeOrder:
    return PurgeOrder(
        id="task_1",
        reason=PurgeReason.DELETED,
        org_id=OrgId("org_a"),
        env_id=EnvId("env_a"),
        video_id=VideoId("vid_1"),
        address_prefixes=prefixes,
    )


def test_every_cache_is_told(cache: ImitatedCache) -> None:
    with imitated_cache() as other:
        urls = f"{cache.url}/, {other.url}"
        purger = HttpPurger(
            HttpPurgeOptions(urls=urls, token=TOKEN, token_header="X-Key")
        )
        for one in (cache, other):
            one.keep("https://cdn.example.com/v1/a")

        purger.purge(order("https://cdn.example.com/v1/"))
        purger.close()

        assert (cache.kept, other.kept) == (set(), set())


def test_an_order_is_not_done_before_the_last_cache_has_it(
    cache: ImitatedCache,
) -> None:
    with imitated_cache() as other:
        gone = other.url
    purger = HttpPurger(HttpPurgeOptions(urls=f"{cache.url},{gone}", token=TOKEN))

    with pytest.raises(UnavailableError, match=r"127\.0\.0\.1:[0-9]+ does not answer"):
        purger.purge(order("https://cdn.example.com/v1/"))
    purger.close()


def test_a_cache_that_is_down_keeps_no_other_from_being_told(
    cache: ImitatedCache,
) -> None:
    with imitated_cache() as first, imitated_cache() as second:
        gone = (first.url, second.url)
    purger = HttpPurger(
        HttpPurgeOptions(urls=f"{gone[0]},{cache.url},{gone[1]}", token=TOKEN)
    )
    cache.keep("https://cdn.example.com/v1/a")

    with pytest.raises(UnavailableError) as raised:
        purger.purge(order("https://cdn.example.com/v1/"))
    purger.close()

    assert cache.kept == set()
    assert all(url.removeprefix("http://") in str(raised.value) for url in gone)
    assert cache.url.removeprefix("http://") not in str(raised.value)


def test_many_prefixes_take_few_requests(cache: ImitatedCache) -> None:
    purger = HttpPurger(
        HttpPurgeOptions(urls=cache.url, style=PurgeStyle.PREFIXES, token=TOKEN)
    )

    purger.purge(order(*[f"https://cdn.example.com/{n}/" for n in range(61)]))
    purger.close()

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
