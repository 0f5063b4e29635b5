"""
Two calls at once that change the captions or chapters of one video.
"""

import pytest

from hvcore.domain.videos.captions import MAX_CAPTION_TRACKS, CaptionFormat
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    HvError,
    InvalidParametersError,
    NotFoundError,
    PreconditionFailedError,
    VideoNotFoundError,
)
from hvcore.services.videos.caption_editing import EditedCaptions
from hvcore.services.videos.captions import NewCaptions
from tests.services.at_once.calls import delete, edit
from tests.services.at_once.holding import Call, Pair
from tests.services.at_once.meeting import Meeting
from tests.services.at_once.tenant import Tenant

pytestmark = [pytest.mark.services, pytest.mark.long]

LANGUAGES = tuple(f"{first}{second}" for first in "abcdefgh" for second in "aeinorst")
WEBVTT = "WEBVTT\n\n00:00.000 --> 00:01.000\n{}\n"


def put(at: Tenant, video_id: str, language: str, text: str = "hello") -> Call:
    new = NewCaptions(
        language=language,
        label=text,
        data=WEBVTT.format(text).encode(),
        expected=CaptionFormat.WEBVTT,
    )
    return lambda: at.services.captions.put(at.caller, at.env.org_id, video_id, new)


def remove(at: Tenant, video_id: str, language: str) -> Call:
    return lambda: at.services.captions.remove(
        at.caller, at.env.org_id, video_id, language
    )


def labels(at: Tenant) -> dict[str, str]:
    tracks = at.services.captions.of_video(at.caller, at.env.org_id, at.only_video().id)
    return {track.language: track.label for track in tracks}


def test_captions_of_two_languages_are_both_kept(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = at.processed()
        return put(at, video_id, "en"), put(at, video_id, "de")

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 0
        assert set(labels(at)) == {"en", "de"}
        assert at.audited("captions.put") == 2


def test_captions_of_one_language_are_those_of_one_call(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = at.processed()
        return put(at, video_id, "en", "first"), put(at, video_id, "en", "second")

    for at, ends in meeting.each(pair):
        assert ends.refused == 0
        label = labels(at)["en"]
        _, (cue,) = at.services.captions.first_cues(
            at.caller, at.env.org_id, at.only_video().id, "en"
        )
        assert cue.text == label


def test_a_video_has_captions_in_no_more_languages_than_it_may(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = at.processed()
        languages = iter(LANGUAGES)
        for _ in range(MAX_CAPTION_TRACKS - 1):
            put(at, video_id, next(languages))()
        return put(at, video_id, next(languages)), put(at, video_id, next(languages))

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {InvalidParametersError}
        assert len(labels(at)) == MAX_CAPTION_TRACKS


def save(at: Tenant, video_id: str, seen: str, text: str) -> Call:
    edited = EditedCaptions(language="en", seen=seen, text=WEBVTT.format(text))
    video = at.only_video()
    editing = at.services.caption_editing
    assert video.id == video_id
    return lambda: editing.save(at.caller, at.env.org_id, video, edited)


def test_of_two_people_who_save_the_same_captions_one_is_asked(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = at.processed()
        put(at, video_id, "en", "old")()
        (track,) = at.services.captions.of_video(at.caller, at.env.org_id, video_id)
        seen = track.version
        return save(at, video_id, seen, "first"), save(at, video_id, seen, "second")

    for at, ends in meeting.each(pair):
        assert ends.refused == 1
        assert {type(ends.first), type(ends.second)} > {PreconditionFailedError}
        is_first = not isinstance(ends.first, HvError)
        _, (cue,) = at.services.captions.first_cues(
            at.caller, at.env.org_id, at.only_video().id, "en"
        )
        assert cue.text == ("first" if is_first else "second")
        assert at.audited("captions.put") == 2


def test_captions_that_are_removed_during_a_change_are_gone_or_changed(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = at.processed()
        put(at, video_id, "en", "old")()
        return put(at, video_id, "en", "new"), remove(at, video_id, "en")

    for at, ends in meeting.each(pair):
        assert ends.refused == 0
        assert labels(at) in ({}, {"en": "new"})


def test_a_deleted_video_keeps_no_captions(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video_id = at.processed()
        return put(at, video_id, "en"), delete(at, video_id)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.second, HvError)
        is_put = not isinstance(ends.first, HvError)
        assert is_put or isinstance(ends.first, VideoNotFoundError)
        video = at.only_video()
        assert video.state is VideoState.DELETED
        assert at.audited("captions.put") == is_put
        at.run_tasks()
        assert not at.stored(f"media/{video.id}")


def chapters(at: Tenant, video_id: str) -> Call:
    data = WEBVTT.format("The beginning").encode()
    return lambda: at.services.chapters.put(at.caller, at.env.org_id, video_id, data)


def test_chapters_that_are_removed_during_a_change_are_gone_or_changed(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        video = at.ready()
        return (
            chapters(at, video.id),
            lambda: at.services.chapters.remove(at.caller, at.env.org_id, video.id),
        )

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.first, HvError)
        is_removed = not isinstance(ends.second, HvError)
        assert is_removed or isinstance(ends.second, NotFoundError)
        assert bool(at.only_video().chapters) is not is_removed
        assert at.audited("chapters.set") == 2 - ends.refused


def test_chapters_and_a_name_are_both_kept(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video = at.ready()
        return chapters(at, video.id), edit(at, video.id, name="Ann's")

    for at, ends in meeting.each(pair):
        assert ends.refused == 0
        video = at.only_video()
        assert (video.name, len(video.chapters)) == ("Ann's", 1)
