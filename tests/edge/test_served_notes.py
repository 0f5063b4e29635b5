"""
What the edge notes of viewers is what the service would, and no more.
"""

import itertools
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import pytest

from hvcore.domain.analytics.breakdown import (
    OriginCount,
    SegmentOrigin,
    roll_up_origins,
)
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId
from hvcore.services.counting.segment_details import SegmentDetails
from hvcore.services.counting.sessions import SessionNames
from hvcore.settings import AnalyticsSettings
from hvcore_edge.served_notes import NamedSessions, ServedNotes, read_notes
from hvcore_edge.tallies import ServedNote
from tests.conftest import SettableClock
from tests.edge.edge_site import EdgeSite, WorkerBehindEdge, edge_site
from tests.support.http.delivery_worker import PRIVATE_PATH, PUBLIC_PATH, SECRET
from tests.support.media_samples import VIDEO

pytestmark = pytest.mark.services

SEGMENT: Final = "video/720p/0.m4s"
# With such a header, the service is asked for the same file.
BY_THE_SERVICE: Final = ("If-Range", '"another"')
PLACE: Final = SegmentPlace(
    org_id=OrgId("org_a"), env_id=EnvId("env_1"), video_id=VIDEO, height_px=720
)
NAMES: Final = SessionNames(SECRET.decode())
DETAILS: Final = SegmentDetails(country_header="cf-ipcountry", counts_referrers=True)
SESSION: Final = re.compile(" s=[0-9a-f]{20}")
_numbers = itertools.count(3000)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeSite]:
    with edge_site(tmp_path_factory.mktemp("plain"), is_local=True) as site:
        yield site


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeSite]:
    with edge_site(tmp_path_factory.mktemp("remote"), is_local=False) as site:
        yield site


@pytest.fixture(scope="module")
def telling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeSite]:
    """
    An edge that is asked for countries and pages.
    """
    analytics = AnalyticsSettings(country_header="CF-IPCountry", referrers=True)
    folder = tmp_path_factory.mktemp("telling")
    with edge_site(folder, is_local=True, analytics=analytics) as site:
        yield site


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeSite]:
    """
    An edge that is asked by proxies.
    """
    folder = tmp_path_factory.mktemp("behind")
    proxies = ("127.0.0.1", "192.0.2.0/24")
    with edge_site(folder, is_local=True, proxies=proxies) as site:
        yield site


@pytest.fixture
def clock() -> SettableClock:
    # nginx knows no other time than the true one.
    return SettableClock(datetime.now(UTC))


@pytest.fixture
def private(plain: EdgeSite, clock: SettableClock) -> WorkerBehindEdge:
    return plain.worker(clock, is_public=False)


@pytest.fixture
def public(plain: EdgeSite, clock: SettableClock) -> WorkerBehindEdge:
    return plain.worker(clock, is_public=True)


@pytest.fixture
def told(telling: EdgeSite, clock: SettableClock) -> WorkerBehindEdge:
    return telling.worker(clock, is_public=True)


def new_token(worker: WorkerBehindEdge) -> str:
    return worker.token(valid_s=next(_numbers))


def new_browser() -> str:
    return f"browser {next(_numbers)}"


def watch(worker: WorkerBehindEdge, *headers: tuple[str, str | bytes]) -> int:
    address = f"{PUBLIC_PATH}/{SEGMENT}"
    return worker.send(address, headers).status_code  # type: ignore[arg-type]  # bytes, too


def names_in(notes: list[str]) -> set[str]:
    read = notes_of(notes)
    return {one.session for one in read.seen}


def notes_of(notes: list[str]) -> ServedNotes:
    place = f"{PLACE.org_id} {PLACE.env_id} {PLACE.video_id} {PLACE.height_px}"
    at = datetime.now(UTC)
    return read_notes(
        [ServedNote(at, place.encode(), one.encode(), 1) for one in notes],
        NamedSessions(NAMES),
    )


def name_by_the_service(worker: WorkerBehindEdge) -> str:
    token, viewer = worker.viewers[-1]
    return NAMES.name(token, viewer, datetime.now(UTC))


def test_a_viewer_with_a_token_has_one_name_whoever_serves(
    private: WorkerBehindEdge,
) -> None:
    names = []
    for _ in range(2):
        address = f"{PRIVATE_PATH}/{SEGMENT}?token={new_token(private)}"
        assert private.send(address, None).status_code == 200
        by_the_edge = names_in(private.noted())
        private.send(address, [BY_THE_SERVICE])

        assert by_the_edge == {name_by_the_service(private)}
        assert private.noted() == []
        names += by_the_edge
    assert len(set(names)) == 2


def test_a_proxy_that_is_named_says_who_the_viewer_is(
    behind: EdgeSite, clock: SettableClock
) -> None:
    """
    To the service behind, too. What the viewer has written there itself says nothing.
    """
    worker = behind.worker(clock, is_public=True)
    browser, names = ("User-Agent", new_browser()), []
    for said, address in (
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.8", "203.0.113.8"),
        ("198.51.100.1, 203.0.113.7, 192.0.2.3", "203.0.113.7"),
    ):
        viewer = (browser, ("X-Forwarded-For", said))
        assert watch(worker, *viewer) == 200
        names.append(names_in(worker.noted()))
        watch(worker, *viewer, BY_THE_SERVICE)
        assert worker.viewers[-1][1].address == address

    # The last one is the first one, and was noted a moment ago.
    assert [len(found) for found in names] == [1, 1, 0]
    assert names[0] != names[1]


def test_nobody_else_says_who_the_viewer_is(public: WorkerBehindEdge) -> None:
    browser = ("User-Agent", new_browser())
    for said in ("203.0.113.7", "203.0.113.8"):
        assert watch(public, browser, ("X-Forwarded-For", said)) == 200

    assert len(names_in(public.noted())) == 1


@pytest.mark.parametrize(
    "browser",
    [
        b"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
        b"",
        b'quotes " and \\ and \x1b',
        b"\t tabs and blanks \t",
        "браузер".encode(),
        b"\xff\xfe no UTF-8",
        b"720 s=00000000000000000000 c=DE 0123456789abcdef0123456789abcdef",
        b"x" * 299,
        b"x" * 7_000,
    ],
)
def test_a_viewer_without_a_token_has_one_name_whoever_serves(
    public: WorkerBehindEdge, browser: bytes
) -> None:
    # Where it comes from, is not the viewer's to say.
    sent = [("User-Agent", browser), ("X-Forwarded-For", "203.0.113.9")]

    assert watch(public, *sent) == 200
    by_the_edge = names_in(public.noted())
    assert watch(public, *sent, BY_THE_SERVICE) == 200

    assert by_the_edge == {name_by_the_service(public)}


def test_segments_of_another_storage_tell_their_viewers_too(
    remote: EdgeSite, clock: SettableClock
) -> None:
    worker = remote.worker(clock, is_public=True)
    sent = ("User-Agent", new_browser())

    assert watch(worker, sent) == 200

    (note,) = worker.noted()
    assert SESSION.fullmatch(note)


def test_one_of_a_viewers_segments_in_a_moment_names_the_session(
    public: WorkerBehindEdge,
) -> None:
    browsers, token = [new_browser(), new_browser()], new_token(public)
    for _ in range(5):
        for browser in browsers:
            assert watch(public, ("User-Agent", browser)) == 200
        public.send(f"{PRIVATE_PATH}/{SEGMENT}?token={token}", None)

    found = public.texts()
    assert (len(found), sum(b" s=" in text for text in found)) == (15, 3)


def test_a_request_that_is_not_counted_notes_no_viewer(
    public: WorkerBehindEdge,
) -> None:
    browser = ("User-Agent", new_browser())
    watch(public, browser, ("Range", "bytes=0-9"))
    for file in ("video/720p/init.m4s", "audio/0.m4s", "master.m3u8"):
        public.send(f"{PUBLIC_PATH}/{file}", [browser])
    assert public.noted() == []

    watch(public, browser)
    assert len(public.noted()) == 1


def test_unasked_for_the_edge_writes_neither_countries_nor_pages(
    public: WorkerBehindEdge,
) -> None:
    told = [("CF-IPCountry", "DE"), ("Origin", "https://example.com")]

    watch(public, ("User-Agent", new_browser()), *told)

    (note,) = public.noted()
    assert SESSION.fullmatch(note)


@pytest.mark.parametrize(
    "sent",
    [
        [("CF-IPCountry", "DE")],
        [("cf-ipcountry", "FR "), ("Origin", "https://example.com")],
        [("CF-IPCountry", "XX")],
        [("CF-IPCountry", "de")],
        [("CF-IPCountry", "DE c=FR")],
        [("X-Country", "DE")],
        [("Origin", "https://Shop.Example.com:8443")],
        [("Origin", "null"), ("Referer", "http://example.org/secret?name=x#y")],
        [("Origin", "https://a.test"), ("Referer", "https://b.test/")],
        [("Referer", "https://example.com.")],
        [("Referer", "https://user@example.com/")],
        [("Referer", "https://203.0.113.7/page")],
        [("Referer", "https://7/")],
        [("Referer", "https://[2001:db8::1]/")],
        [("Referer", "https://" + ".".join(["a" * 60] * 4) + "/")],
        [("Referer", "https://" + ".".join(["a" * 60] * 5) + "/")],
        [("Referer", "https://example.com/" + "x" * 6_000)],
        [("Referer", "https://ex ample.com/")],
        [("Referer", 'https://example.com" s=00000000000000000000')],
        [("Referer", b"https://\xc3\xa4.example.com/")],
        [("Referer", "ftp://example.com/")],
    ],
)
def test_the_origin_of_a_segment_is_as_the_service_would_note(
    told: WorkerBehindEdge, sent: list[tuple[str, str]]
) -> None:
    browser = ("User-Agent", new_browser())
    watch(told, browser)
    assert names_in(told.noted())

    assert watch(told, browser, *sent) == 200
    notes = told.noted()
    assert watch(told, browser, *sent, BY_THE_SERVICE) == 200

    _, viewer = told.viewers[-1]
    said = DETAILS.due(PLACE, viewer, datetime.now(UTC))
    expected = roll_up_origins(one for one in said if isinstance(one, SegmentOrigin))
    assert plain_set(notes_of(notes).origins) == plain_set(expected)
    # Whatever was sent, nothing of it is written but what counts.
    assert sum(map(len, notes)) == sum(len(f" c={one.value}") for one in expected)


def plain_set(counts: tuple[OriginCount, ...]) -> set[tuple[str, str, int]]:
    return {(one.by.value, one.value, one.segments) for one in counts}


def test_each_segment_is_counted_where_it_went(told: WorkerBehindEdge) -> None:
    browser = ("User-Agent", new_browser())
    for _ in range(3):
        watch(told, browser, ("CF-IPCountry", "DE"))

    origins = notes_of(told.noted()).origins

    assert plain_set(origins) == {("country", "DE", 3)}


@pytest.mark.parametrize("name", ["User-Agent", "CF-IPCountry", "Referer", "Origin"])
def test_no_header_breaks_a_line_or_makes_one(
    told: WorkerBehindEdge, name: str
) -> None:
    line = b"hv1 1767323045.678 200 1 7 7 org_a env_1 vid_a 720 " + b"0" * 32
    for value in (
        b"https://a.test/\x00",
        b"x\r\n " + line,
        b"x\n " + line,
        b"DE\r r=evil.test",
        b"\x0b\x0c\x7f\x80\xff",
        b"https://" + b"a" * 8_000,
    ):
        answered = watch(told, (name, value))

        assert answered in {200, 400}
        assert told.served() == [PLACE] * (answered == 200)
