"""
Captions in the database.
"""

from datetime import timedelta

import attrs
import pytest
from sqlalchemy.engine import Engine

from hvcore.domain.videos.captions import CaptionTrack
from hvcore.domain.videos.video import Video
from hvcore.persistence.playback.directory import SqlPlaybackDirectory
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import NOW, video

pytestmark = pytest.mark.services


def add_video(uow: SqlUnitOfWork) -> Video:
    made = video()
    with uow.write() as work:
        work.videos.add(made)
        work.commit()
    return made


def track_of(clip: Video, language: str, **changes: object) -> CaptionTrack:
    made = CaptionTrack(
        video_id=clip.id,
        language=language,
        label="Français 'x' \"y\"",
        cues=3,
        size_bytes=2**40,
        sha256="0" * 64,
        version="1",
        created_at=NOW,
    )
    return attrs.evolve(made, **changes)  # type: ignore[arg-type]  # names of fields


def test_captions_are_kept_replaced_and_removed(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    clip, other = add_video(uow), add_video(uow)
    directory = SqlPlaybackDirectory(engine)
    french, english = track_of(clip, "fr"), track_of(clip, "en-US")
    german, of_other = track_of(clip, "de"), track_of(other, "fr")
    later = NOW + timedelta(days=1)
    newer = attrs.evolve(french, label="x", cues=4, version="2", created_at=later)
    newer = attrs.evolve(newer, is_forced=True)

    def put(*tracks: CaptionTrack) -> None:
        with uow.write() as work:
            for track in tracks:
                work.captions.put(track)
            work.commit()

    def stored() -> list[CaptionTrack]:
        with uow.read() as work:
            found = list(work.captions.of_video(clip.id))
        assert found == list(directory.captions(clip.id))
        return found

    assert stored() == []
    put(french, english, german, of_other)
    assert stored() == [german, english, french]
    put(newer)
    assert stored() == [german, english, newer]
    with uow.write() as work:
        work.captions.remove(clip.id, "en-US")
        work.captions.remove(clip.id, "it")
        work.commit()
    assert stored() == [german, newer]
    assert directory.captions(other.id) == [of_other]


def test_captions_that_an_older_process_replaced_are_those_of_a_person(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    clip = add_video(uow)
    by_machine = track_of(
        clip, "en", version="cap_Ab1a7", is_generated=True, confidence=0.9
    )
    with uow.write() as work:
        work.captions.put(by_machine)
        # It writes the columns that it knows, and leaves the others as they are.
        work.captions.put(attrs.evolve(by_machine, version="0123456789abcdef"))
        work.commit()

    with uow.read() as work:
        (found,) = work.captions.of_video(clip.id)

    assert (found.is_generated, found.confidence) == (False, None)
    assert list(SqlPlaybackDirectory(engine).captions(clip.id)) == [found]


def test_captions_of_a_machine_are_read_as_they_were_stored(uow: SqlUnitOfWork) -> None:
    clip = add_video(uow)
    by_machine = track_of(
        clip, "en", version="cap_Ab1a7", is_generated=True, confidence=0.9
    )
    with uow.write() as work:
        work.captions.put(by_machine)
        work.commit()

    with uow.read() as work:
        assert work.captions.of_video(clip.id) == [by_machine]
