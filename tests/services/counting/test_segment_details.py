"""
What is noted of a segment beside it: only what was asked for, and nobody's name.
"""

from datetime import UTC, datetime

import pytest

from hvcore.domain.analytics.breakdown import SegmentOrigin
from hvcore.domain.analytics.playback_metrics import PlayerReport
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.domain.playback.viewer import Viewer
from hvcore.services.counting.segment_details import Detail, SegmentDetails

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
PLACE = SegmentPlace(
    org_id=OrgId("org_a"),
    env_id=EnvId("env_1"),
    video_id=VideoId("vid_1"),
    height_px=720,
)
GERMAN = Viewer(
    address="203.0.113.7",
    user_agent="A browser",
    countries=(("cf-ipcountry", "DE"), ("x-country", "FR")),
    origin="https://www.Example.com:8443",
)
COUNTRIES = SegmentDetails(country_header="cf-ipcountry")
PAGES = SegmentDetails(counts_referrers=True)


def origin_of(details: SegmentDetails, viewer: Viewer) -> SegmentOrigin | None:
    notes: tuple[Detail, ...] = details.due(PLACE, viewer, NOON)
    (found,) = notes or (None,)
    assert found is None or isinstance(found, SegmentOrigin)
    return found


def country(header: str) -> str | None:
    found = origin_of(COUNTRIES, Viewer(countries=(("cf-ipcountry", header),)))
    return None if found is None else found.country


def page(origin: str | None, referer: str | None = None) -> str | None:
    found = origin_of(PAGES, Viewer(origin=origin, referer=referer))
    return None if found is None else found.referrer


def test_nothing_is_noted_unless_it_is_asked_for() -> None:
    assert SegmentDetails().due(PLACE, GERMAN, NOON) == ()


def test_only_the_chosen_origin_is_noted() -> None:
    by_country, by_page = origin_of(COUNTRIES, GERMAN), origin_of(PAGES, GERMAN)

    assert by_country is not None
    assert by_page is not None
    assert (by_country.country, by_country.referrer) == ("DE", None)
    assert (by_page.country, by_page.referrer) == (None, "www.example.com")


def test_only_the_header_that_is_named_is_believed() -> None:
    assert origin_of(SegmentDetails(country_header="x-geo-country"), GERMAN) is None


def test_report_and_origin_are_noted_at_once() -> None:
    both = SegmentDetails(country_header="x-country", counts_referrers=True)
    viewer = Viewer(
        report=PlayerReport(), countries=GERMAN.countries, origin=GERMAN.origin
    )

    player_line, went = both.due(PLACE, viewer, NOON)

    assert isinstance(went, SegmentOrigin)
    assert (went.country, went.referrer) == ("FR", "www.example.com")
    assert player_line.video_id == went.video_id == PLACE.video_id


@pytest.mark.parametrize(
    "header", ["", "XX", "ZZ", "T1", "de", "D", "DEU", "DE,FR", "DE ", "ÄÖ", "D\n"]
)
def test_a_malformed_country_is_unknown(header: str) -> None:
    assert country("DE") == "DE"
    assert country(header) is None


@pytest.mark.parametrize(
    "address",
    [
        "",
        "null",
        "about:blank",
        "file:///home/anna/film.html",
        "https://",
        "https://user@host.example/",
        "https://203.0.113.7/",
        "https://[2001:db8::1]/",
        "https://a b.example/",
        "https://a.example\\@b.example/",
        "https://" + "a." * 127 + "example/",
        "https://" + "a" * 64 + ".example/",
        "x" * 10_000,
    ],
)
def test_an_address_without_a_host_is_unknown(address: str) -> None:
    assert page(address) is None


def test_the_origin_is_asked_before_the_referrer() -> None:
    assert page("https://a.example", "https://b.example/x?secret=1") == "a.example"
    assert page("null", "https://b.example/x?secret=1") == "b.example"
    assert page(None, "https://b.example") == "b.example"


def test_nothing_of_a_page_but_its_host_is_kept() -> None:
    long_path = "https://b.example/" + "x" * 5_000

    assert page(None, long_path) == "b.example"


@pytest.mark.parametrize(("chars", "is_host"), [(253, True), (254, False)])
def test_a_host_of_253_characters_is_a_referrer(chars: int, *, is_host: bool) -> None:
    host = "a" + ".a" * 122 + "." + "b" * (chars - 246)
    assert len(host) == chars

    assert page(f"https://{host}") == (host if is_host else None)
