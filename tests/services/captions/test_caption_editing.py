"""
Captions that people edit cue by cue, and speech without captions.
"""

from contextlib import AbstractContextManager
from datetime import timedelta
from typing import BinaryIO

import attrs
import pytest

from hvcore.domain.videos.captions import (
    MAX_CAPTION_BYTES,
    UNDETERMINED,
    CaptionFormat,
    CaptionTrack,
)
from hvcore.errors import (
    InvalidParametersError,
    NotFoundError,
    PreconditionFailedError,
    UnavailableError,
    VideoNotFoundError,
)
from hvcore.services.videos import caption_editing
from hvcore.services.videos.caption_editing import (
    MOST_COMPARED_BYTES,
    CaptionEditing,
    EditedCaptions,
    OpenedCaptions,
)
from hvcore.services.videos.captions import NewCaptions
from tests.services.spoken_service import SpokenService

VTT = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nBy hand\n"
LATE = "WEBVTT\n\n00:01:01.000 --> 00:01:02.000\nLate\n"


def editing(spoken: SpokenService) -> CaptionEditing:
    return spoken.world.services.caption_editing


def put(spoken: SpokenService, video_id: str, text: str = VTT) -> CaptionTrack:
    new = NewCaptions(
        language="en",
        label="Mine",
        data=text.encode(),
        expected=CaptionFormat.WEBVTT,
    )
    world = spoken.world
    world.services.captions.put(world.caller, "org_a", video_id, new)
    return spoken.tracks(video_id)[0]


def generated(spoken: SpokenService) -> str:
    video_id = spoken.ready()
    spoken.generate(video_id)
    spoken.world.run_tasks()
    return video_id


def opened(
    spoken: SpokenService, video_id: str, language: str = "en"
) -> OpenedCaptions:
    return editing(spoken).open(spoken.world.caller, "org_a", video_id, language)


def save(
    spoken: SpokenService, video_id: str, text: str, *, seen: str, language: str = "en"
) -> CaptionTrack:
    """
    Save a text; return the captions of the first language.
    """
    edited = EditedCaptions(language=language, seen=seen, text=text)
    video = spoken.world.video(video_id)
    editing(spoken).save(spoken.world.caller, "org_a", video, edited)
    return spoken.tracks(video_id)[0]


def test_edited_captions_are_a_persons(spoken: SpokenService) -> None:
    video_id = generated(spoken)
    before = opened(spoken, video_id)
    assert before.track.is_generated
    assert before.text is not None

    saved = save(
        spoken,
        video_id,
        before.text.replace("one two three four five", "1 2 & <i>3</i>", 1),
        seen=before.track.version,
    )

    assert not saved.is_generated
    assert (saved.label, saved.confidence) == ("English", None)
    assert spoken.cues(video_id)[0].text == "1 2 &amp; <i>3</i>"
    files = [path for path in spoken.world.files("media/") if "/captions/" in path]
    assert files == [saved.path]


def test_captions_that_nobody_has_changed_stay_a_machines(
    spoken: SpokenService,
) -> None:
    video_id = generated(spoken)
    before = opened(spoken, video_id)

    saved = save(spoken, video_id, str(before.text), seen=before.track.version)

    assert saved == before.track


def test_edited_captions_keep_their_language_and_purpose(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    track = put(spoken, video_id)
    foreign = attrs.evolve(track, language=UNDETERMINED, is_forced=True)
    storage = spoken.world.services.storage
    with storage.open(track.path) as file:
        storage.write(foreign.path, file, content_type="text/vtt")
    with spoken.world.services.uow.write() as work:
        work.captions.remove(track.video_id, "en")
        work.captions.put(foreign)
        work.commit()

    saved = save(
        spoken,
        video_id,
        VTT.replace("hand", "foot"),
        seen=track.version,
        language=UNDETERMINED,
    )

    assert (saved.language, saved.label, saved.is_forced) == (
        UNDETERMINED,
        "Mine",
        True,
    )
    assert saved.version != track.version


@pytest.mark.parametrize("is_removed", [False, True])
def test_captions_that_others_have_changed_are_not_replaced_unseen(
    spoken: SpokenService, *, is_removed: bool
) -> None:
    video_id = spoken.ready()
    track = put(spoken, video_id)
    if is_removed:
        world = spoken.world
        world.services.captions.remove(world.caller, "org_a", video_id, "en")
    else:
        put(spoken, video_id, VTT.replace("hand", "foot"))
    theirs = spoken.tracks(video_id)

    with pytest.raises(PreconditionFailedError):
        save(spoken, video_id, VTT.replace("hand", "head"), seen=track.version)

    assert spoken.tracks(video_id) == theirs
    seen = theirs[0].version if theirs else ""
    assert save(spoken, video_id, VTT.replace("hand", "head"), seen=seen).cues == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (VTT.replace("02.000", "01.000"), r"Cue 1 \(line 3\) must end after it begins"),
        (LATE, r"Cue 1 \(line 3\) begins after the end of the video"),
        (VTT + "\nno times\n", "line 6: a text without times"),
        ("1\n00:00:01,000 --> 00:00:02,000\nSubRip", "Cue 1"),
        ("WEBVTT\n\n", "without a cue"),
        ("WEBVTT\n\n" + "x" * MAX_CAPTION_BYTES, "too long"),
    ],
)
def test_wrong_captions_are_refused_with_the_place(
    spoken: SpokenService, text: str, message: str
) -> None:
    video_id = spoken.ready()
    track = put(spoken, video_id)

    with pytest.raises(InvalidParametersError, match=message):
        save(spoken, video_id, text, seen=track.version)

    assert spoken.tracks(video_id) == [track]


def test_cues_behind_the_end_of_the_video_may_stay(spoken: SpokenService) -> None:
    video_id = spoken.ready()
    track = put(spoken, video_id, LATE)

    saved = save(spoken, video_id, LATE.replace("Late", "Later"), seen=track.version)

    assert saved.version != track.version


def test_captions_of_strangers_are_neither_opened_nor_saved(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    track = put(spoken, video_id)
    caller, video = spoken.world.caller, spoken.world.video(video_id)
    stranger = attrs.evolve(caller, org_id="org_b")
    edited = EditedCaptions(language="en", seen=track.version, text=VTT)

    with pytest.raises(VideoNotFoundError):
        editing(spoken).open(stranger, "org_b", video_id, "en")
    with pytest.raises(VideoNotFoundError):
        editing(spoken).save(stranger, "org_b", video, edited)
    with pytest.raises(VideoNotFoundError):
        editing(spoken).uncaptioned_s(stranger, "org_b", video_id)
    with pytest.raises(NotFoundError, match="no captions"):
        opened(spoken, video_id, "de")


def test_doubted_words_are_marked_until_their_cue_is_changed(
    spoken: SpokenService,
) -> None:
    spoken.transcriber.confidence = 0.3
    making = spoken.world.services.caption_making
    vars(spoken.world.services)["caption_making"] = attrs.evolve(
        making, min_confidence=0.1
    )
    video_id = generated(spoken)
    first = opened(spoken, video_id)
    assert set(first.doubts) == set(range(first.track.cues))
    assert first.doubts[0][:2] == ((0, 3), (4, 7))

    save(
        spoken,
        video_id,
        str(first.text).replace("one two", "1 2", 1),
        seen=first.track.version,
    )

    second = opened(spoken, video_id)
    assert set(second.doubts) == set(range(1, first.track.cues))


def test_speech_without_captions_is_told_for_each_language(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    put(spoken, video_id)
    ask = editing(spoken).uncaptioned_s
    place = spoken.world.caller, "org_a", video_id
    assert ask(*place) == {}

    spoken.transcoder.said_ms = [(1_000, 3_500), (8_000, 9_000), (20_000, 22_000)]
    spoken.generate(video_id, "de")
    spoken.world.run_tasks()

    # English ends at 2 s, and may end half a second early.
    assert ask(*place) == {"de": 0, "en": 4}
    assert opened(spoken, video_id).speech == (
        (1_000, 3_500),
        (8_000, 9_000),
        (20_000, 22_000),
    )
    put(spoken, video_id, VTT.replace("02.000", "03.000"))
    assert ask(*place) == {"de": 0, "en": 3}


def test_captions_with_a_lost_file_are_not_compared(spoken: SpokenService) -> None:
    video_id = generated(spoken)
    put(spoken, video_id)
    place = spoken.world.caller, "org_a", video_id

    spoken.world.services.storage.delete_tree(spoken.tracks(video_id)[0].path)

    assert editing(spoken).uncaptioned_s(*place) == {}


def reads_of(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch, *, fails: bool = False
) -> list[str]:
    """
    Return the list in which each read of captions is noted.
    """
    storage = spoken.world.services.storage
    read, paths = storage.open, []

    def note(path: str) -> AbstractContextManager[BinaryIO]:
        paths.append(path)
        if fails:
            raise UnavailableError("It does not answer.")
        return read(path)

    monkeypatch.setattr(storage, "open", note)
    return paths


def test_captions_are_compared_once(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = generated(spoken)
    place = spoken.world.caller, "org_a", video_id
    reads = reads_of(spoken, monkeypatch)

    found = [editing(spoken).uncaptioned_s(*place) for _ in range(3)]

    assert found == [{"en": 0}] * 3
    assert reads == [spoken.tracks(video_id)[0].path]


def test_captions_are_not_read_one_by_one_from_a_storage_that_does_not_answer(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id, "de", "en")
    spoken.world.run_tasks()
    place = spoken.world.caller, "org_a", video_id

    with monkeypatch.context() as patched:
        reads = reads_of(spoken, patched, fails=True)
        found = [editing(spoken).uncaptioned_s(*place) for _ in range(3)]

    assert found == [{}] * 3
    assert len(reads) == 1
    spoken.world.clock.move(seconds=60)
    assert editing(spoken).uncaptioned_s(*place) == {"de": 0, "en": 0}


def test_captions_are_not_read_longer_for_one_view_than_it_may_take(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next view reads the captions that are left."""
    video_id = spoken.ready()
    spoken.generate(video_id, "de", "en")
    spoken.world.run_tasks()
    place = spoken.world.caller, "org_a", video_id

    with monkeypatch.context() as patched:
        patched.setattr(caption_editing, "MOST_READING", timedelta(0))
        reads = reads_of(spoken, patched)
        assert editing(spoken).uncaptioned_s(*place) == {}

    assert reads == []
    assert editing(spoken).uncaptioned_s(*place) == {"de": 0, "en": 0}


def test_edited_captions_are_not_called_wrong_because_storage_does_not_answer(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = spoken.ready()
    before = put(spoken, video_id, LATE)
    reads_of(spoken, monkeypatch, fails=True)

    with pytest.raises(UnavailableError, match="does not answer"):
        save(spoken, video_id, f"{LATE} and more\n", seen=before.version)


def test_captions_that_are_too_long_are_not_read(spoken: SpokenService) -> None:
    video_id = generated(spoken)
    (track,) = spoken.tracks(video_id)
    with spoken.world.services.uow.write() as work:
        work.captions.put(attrs.evolve(track, size_bytes=MOST_COMPARED_BYTES + 1))
        work.commit()

    found = opened(spoken, video_id)

    assert (found.text, found.doubts, found.speech) == (None, {}, ())
    place = spoken.world.caller, "org_a", video_id
    assert editing(spoken).uncaptioned_s(*place) == {}
