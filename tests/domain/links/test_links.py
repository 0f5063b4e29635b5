"""
Edge keys, share links and changes of videos: the rules alone.
"""

from datetime import timedelta
from typing import Any

import pytest

from hvcore.domain.ids import EdgeKeyId, EnvId, OrgId, ShareId
from hvcore.domain.links.links import EdgeKey, ShareLink
from hvcore.domain.videos.video import VideoChanges, thumbnails_prefix
from hvcore.domain.webhooks.events import EventKind
from tests.media_samples import MOMENT, VIDEO
from tests.persistence.samples import video

HOUR = timedelta(hours=1)
OWNER: dict[str, Any] = {
    "org_id": OrgId("org_a"),
    "env_id": EnvId("dev"),
    "video_id": VIDEO,
    "created_at": MOMENT,
}


def edge_key(**changes: Any) -> EdgeKey:  # noqa: ANN401 - fields
    return EdgeKey(id=EdgeKeyId("ek_1"), domains=(), **OWNER, **changes)


def share(**changes: Any) -> ShareLink:  # noqa: ANN401 - fields
    wanted = {"expires_at": MOMENT + HOUR, **changes}
    return ShareLink(id=ShareId("shr_1"), **OWNER, **wanted)


def test_an_edge_key_lasts_until_it_expires_or_is_revoked() -> None:
    later = MOMENT + HOUR

    assert edge_key().is_valid_at(later)
    assert edge_key(expires_at=later).is_valid_at(MOMENT)
    assert not edge_key(expires_at=later).is_valid_at(later)
    assert not edge_key(revoked_at=MOMENT).is_valid_at(MOMENT)


def test_a_share_link_lasts_until_it_expires_or_is_revoked() -> None:
    assert share().is_valid_at(MOMENT)
    assert not share().is_valid_at(MOMENT + HOUR)
    assert not share(revoked_at=MOMENT).is_valid_at(MOMENT)


def test_views_are_left_until_the_last_one_is_used() -> None:
    assert share(max_views=2, views=1).has_views_left
    assert not share(max_views=2, views=2).has_views_left
    assert share(views=10**9).has_views_left


def test_an_address_is_in_no_log() -> None:
    assert "ann" not in repr(share(viewer_email="ann@example.com"))


@pytest.mark.parametrize(
    "changes",
    [
        VideoChanges(name="New"),
        VideoChanges(description="New"),
        VideoChanges(description=""),
        VideoChanges(clears_description=True),
        VideoChanges(is_public=True),
    ],
)
def test_a_change_is_told_once(changes: VideoChanges) -> None:
    clip = video(description="Old")

    assert clip.change(changes)
    assert not clip.change(changes)

    assert [event.kind for event in clip.take_events()] == [EventKind.UPDATED]


def test_no_change_is_no_event() -> None:
    clip = video(description="Old")

    assert not clip.change(VideoChanges())
    assert not clip.change(VideoChanges(name=clip.name, is_public=clip.is_public))

    assert clip.take_events() == []
    assert clip.description == "Old"


def test_another_picture_is_a_change() -> None:
    clip = video()

    clip.choose_picture("media/x/posters/1.jpg")

    assert [event.kind for event in clip.take_events()] == [EventKind.UPDATED]


def test_each_picture_has_sizes_of_its_own() -> None:
    root = f"media/{VIDEO}"

    assert {
        thumbnails_prefix(VIDEO, f"{root}/{path}")
        for path in ("job_1/p0a1/poster.jpg", "posters/0a.jpg", "posters/0b.jpg")
    } == {f"{root}/thumbnails/{name}" for name in ("job_1", "0a", "0b")}
