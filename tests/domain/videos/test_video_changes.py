"""
What an owner changes about a video.
"""

import pytest

from hvcore.domain.videos.video import VideoChanges
from hvcore.domain.webhooks.events import EventKind
from tests.persistence.samples import video


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
