"""Captions of videos, as the host program's own code sets them."""

import pytest

from hvcore.domain.videos.captions import MAX_CAPTION_BYTES
from hvcore.embedding import (
    InvalidParametersError,
    NotFoundError,
    VideoNotFoundError,
)
from hvcore.testing import make_ready_video
from tests.embedding.conftest import Host

WEBVTT = b"WEBVTT\n\n00:00.000 --> 00:02.000\nGood morning\n"
SUBRIP = b"1\n00:00:00,000 --> 00:00:02,000\nGuten Morgen\n\n"


def test_captions_are_put_listed_and_deleted(host: Host) -> None:
    captions, video = host.shop.captions, make_ready_video(host.shop)

    captions.put(video.id, "en", WEBVTT, label="English")
    put = captions.put(video.id, "de", SUBRIP)

    assert captions.list(video.id).captions == put.captions
    found = [(one.language, one.label, one.cues) for one in put.captions]
    assert found == [("de", "de", 1), ("en", "English", 1)]
    assert put.warnings == ()
    rest = captions.delete(video.id, "de")
    assert [one.language for one in rest.captions] == ["en"]
    with pytest.raises(NotFoundError, match="no captions"):
        captions.delete(video.id, "de")


@pytest.mark.parametrize(
    ("language", "data", "label", "says"),
    [
        ("no language", WEBVTT, None, "language must be a tag"),
        ("en", b"", None, "captions|caption|cue|empty|file"),
        ("en", b"a" * (MAX_CAPTION_BYTES + 1), None, "data must have at most"),
        ("en", WEBVTT, "", "label must not be empty"),
    ],
)
def test_captions_that_the_api_refuses_are_refused(
    host: Host, language: str, data: bytes, label: str | None, says: str
) -> None:
    video = make_ready_video(host.shop)

    with pytest.raises(InvalidParametersError, match=says):
        host.shop.captions.put(video.id, language, data, label=label)

    assert host.shop.captions.list(video.id).captions == ()


def test_captions_of_another_environments_video_are_out_of_reach(host: Host) -> None:
    video = make_ready_video(host.hv.environment("other"))

    with pytest.raises(VideoNotFoundError):
        host.shop.captions.put(video.id, "en", WEBVTT)
