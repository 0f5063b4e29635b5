"""
``hv videos list``: its filters, and the size of sources.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from hvcore.assembly import build
from hvcore.domain.ids import VideoId
from hvcore.domain.labels import Labels
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.domain.videos.spoken_texts import SpokenText
from hvcore.settings import load
from tests.cli.conftest import Hv
from tests.persistence.samples import NOW, order, video
from tests.support.http.world import job_of

NAMES = ("both", "one", "other")


@pytest.fixture
def listing(prepared: Hv, tmp_path: Path) -> Hv:
    """
    Make three videos, of which the source of the first is probed.
    """
    labels = (
        Labels(metadata=(("order", "1"), ("hall", "a=b")), tags=("a", "b", "c")),
        Labels(metadata=(("order", "1"),), tags=("a", "b")),
        Labels(metadata=(("order", "2"), ("hall", "a=b")), tags=("a",)),
    )
    settings = load(config_path=None, environ={}, data_dir=tmp_path / "hv-data")
    with build(settings.settings) as services, services.uow.write() as work:
        env = services.tenants.environment("org_local", "live")
        for name, of_one in zip(NAMES, labels, strict=True):
            made = video(name, org_id="org_local", env_id=env.id, labels=of_one)
            made.is_public = name == "one"
            work.videos.add(made)
            if name == "both":
                work.jobs.add(
                    TranscodeJob(
                        id=job_of(made),
                        video_id=made.id,
                        order=order(),
                        parts_total=1,
                        parts_left=1,
                    )
                )
        work.commit()
    return prepared


def listed(hv: Hv, *words: str) -> dict[str, dict[str, Any]]:
    videos = json.loads(hv("videos", "list", "--json", *words).stdout)["videos"]
    return {video["name"]: video for video in videos}


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((), NAMES),
        (("--metadata", "order=1"), ("both", "one")),
        (("--metadata", "order=1", "--metadata", "hall=a=b"), ("both",)),
        (("--metadata", "hall=a=b", "--tag", "a", "--tag", "b"), ("both",)),
        (("--tag", "a", "--tag", "b", "--tag", "c"), ("both",)),
        (("--public",), ("one",)),
        (("--private",), ("both", "other")),
        (("--private", "--metadata", "order=1"), ("both",)),
    ],
)
def test_all_filters_of_a_list_hold(
    listing: Hv, words: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert set(listed(listing, *words)) == set(names)


@pytest.mark.parametrize("pair", ["order", "=1", "order="])
def test_a_filter_that_is_no_pair_is_wrong_usage(listing: Hv, pair: str) -> None:
    outcome = listing("videos", "list", "--metadata", pair)

    assert outcome.status == 2
    assert "KEY=VALUE" in outcome.stderr


def test_lists_and_details_show_the_size_of_a_probed_source(listing: Hv) -> None:
    shown = listed(listing)
    details = json.loads(
        listing("videos", "show", shown["both"]["id"], "--json").stdout
    )
    table = listing("videos", "list").stdout

    for found in (shown["both"], details):
        assert (found["width"], found["height"]) == (640, 360)
        assert (found["aspectRatio"], found["frameRate"]) == ("16:9", 29.97)
        assert found["sourceBytes"] == 1
    assert "width" not in shown["one"]
    assert "SIZE" in table
    assert "640x360" in table


def test_videos_are_listed_by_the_words_that_are_said_in_them(
    listing: Hv, tmp_path: Path
) -> None:
    settings = load(config_path=None, environ={}, data_dir=tmp_path / "hv-data")
    said = SpokenText(starts_ms=(61_900,), text="The budget is fine.")
    video_id = listed(listing)["one"]["id"]
    with build(settings.settings) as services, services.uow.write() as work:
        track = track_of(video_id)
        work.captions.put(track)
        work.spoken_texts.put(track, said)
        work.commit()

    found = listed(listing, "--spoken", "BUDGET fine")
    table = listing("videos", "list", "--spoken", "budget").stdout

    assert list(found) == ["one"]
    (hit,) = found["one"]["spokenHits"]
    assert hit["startSeconds"] == 61.9
    assert "1:01 The budget is fine." in table
    assert "1 of 1" in table + listing("videos", "list", "--spoken", "budget").stderr
    assert listed(listing, "--spoken", "nothing") == {}


def track_of(video_id: str) -> CaptionTrack:
    return CaptionTrack(
        video_id=VideoId(video_id),
        language="en",
        label="English",
        cues=1,
        size_bytes=1,
        sha256="0" * 64,
        version="1",
        created_at=NOW,
    )
