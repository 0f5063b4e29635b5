"""
The entity tag of a video is of what an edit changes, and of nothing else.
"""

from datetime import timedelta

import attrs
import pytest

from hvcore.domain.labels import LabelChanges
from hvcore.domain.videos.preconditions import IfMatch, entity_tag
from hvcore.domain.videos.video import Video, VideoChanges
from hvcore.errors import PreconditionFailedError
from tests.persistence.samples import NOW, media, video

CHANGES = [
    VideoChanges(name="New"),
    VideoChanges(description="New"),
    VideoChanges(description=""),
    VideoChanges(is_public=True),
    VideoChanges(allows_download=True),
    VideoChanges(labels=LabelChanges(external_id="item-42")),
    VideoChanges(labels=LabelChanges(metadata={"key": "value"})),
    VideoChanges(labels=LabelChanges(tags=("one",))),
]


def test_the_changes_below_are_of_every_member() -> None:
    fields = [attrs.asdict(change, recurse=False) for change in CHANGES]
    tried = {name for change in fields for name, value in change.items() if value}

    assert tried | {"clears_description"} == set(attrs.fields_dict(VideoChanges))


@pytest.mark.parametrize("changes", CHANGES)
def test_each_change_makes_another_tag(changes: VideoChanges) -> None:
    clip = video()
    before = entity_tag(clip)

    assert clip.change(changes)

    assert entity_tag(clip) != before


def test_the_tags_of_all_changes_differ() -> None:
    clips = [video() for _ in CHANGES]
    for clip, changes in zip(clips, CHANGES, strict=True):
        clip.change(changes)

    assert len(set(map(entity_tag, clips))) == len(CHANGES)


def test_nothing_but_an_edit_makes_another_tag() -> None:
    clip = video()
    before = entity_tag(clip)

    assert clip.job_id is not None
    clip.progress = 50
    clip.mark_ready(clip.job_id, media())
    clip.choose_picture("media/x/posters/1.jpg")
    clip.version += 1
    clip.created_at = NOW + timedelta(days=1)

    assert entity_tag(clip) == before


def test_the_order_of_metadata_is_not_in_the_tag() -> None:
    def labelled(*keys: str) -> Video:
        clip = video()
        for key in keys:
            clip.change(VideoChanges(labels=LabelChanges(metadata={key: "x"})))
        return clip

    assert entity_tag(labelled("a", "b")) == entity_tag(labelled("b", "a"))


def test_the_tag_is_the_same_in_every_process() -> None:
    clip = video(name="Ärger", description="Words.")

    assert entity_tag(clip) == "e2d188b248fae9bce302b6f5df275eb0"


def test_one_of_the_tags_must_fit() -> None:
    clip = video()
    fitting = entity_tag(clip)

    IfMatch(tags=frozenset({"other", fitting})).require(clip)
    IfMatch(is_any=True).require(clip)

    for wanted in (IfMatch(tags=frozenset({"other"})), IfMatch()):
        with pytest.raises(PreconditionFailedError):
            wanted.require(clip)
