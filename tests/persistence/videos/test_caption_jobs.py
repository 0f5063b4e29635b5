"""
Jobs that make captions by machine, in the database.
"""

from datetime import timedelta

import attrs
import pytest

from hvcore.domain.ids import new_caption_job_id
from hvcore.domain.processing.speech import SpokenCue, SpokenWord
from hvcore.domain.videos.caption_jobs import (
    AUTO,
    CaptionJob,
    CaptionJobState,
    CaptionWindow,
)
from hvcore.domain.videos.heard_speech import DoubtedCue, HeardSpeech
from hvcore.domain.videos.video import Video
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.ports.repositories.errors import AlreadyExistsError
from tests.persistence.samples import NOW
from tests.persistence.videos.test_captions import add_video

pytestmark = pytest.mark.services


def job_of(clip: Video, wish: str = AUTO) -> CaptionJob:
    return CaptionJob(
        id=new_caption_job_id(),
        video_id=clip.id,
        org_id=clip.org_id,
        wish=wish,
        duration_ms=700_000,
        created_at=NOW,
        changed_at=NOW,
    )


def window(start_ms: int) -> CaptionWindow:
    word = SpokenWord(text="Ünd?", start_ms=start_ms, end_ms=start_ms + 9, confidence=1)
    cue = SpokenCue(
        start_ms=start_ms, end_ms=start_ms + 9, text="Ünd?\0", words=(word,)
    )
    return CaptionWindow(start_ms=start_ms, end_ms=start_ms + 300_000, cues=(cue,))


def put(uow: SqlUnitOfWork, *jobs: CaptionJob) -> None:
    with uow.write() as work:
        for job in jobs:
            work.caption_jobs.put(job)
        work.commit()


def test_a_caption_job_is_read_as_it_was_saved(uow: SqlUnitOfWork) -> None:
    clip, other = add_video(uow), add_video(uow)
    german, auto, of_other = job_of(clip, "de"), job_of(clip), job_of(other)
    put(uow, german, auto, of_other)
    changed = attrs.evolve(
        german,
        state=CaptionJobState.FAILED,
        language="de",
        is_assumed=True,
        reason="It is «unclear».",
        confidence=0.25,
        cues=7,
        done_ms=300_000,
        changed_at=NOW + timedelta(hours=1),
    )

    with uow.write() as work:
        assert work.caption_jobs.save(changed)
        work.commit()

    with uow.read() as work:
        assert list(work.caption_jobs.of_video(clip.id)) == [auto, changed]
        assert work.caption_jobs.find(of_other.id) == of_other
        assert work.caption_jobs.find(new_caption_job_id()) is None


def test_an_ended_caption_job_is_not_changed_any_more(uow: SqlUnitOfWork) -> None:
    job = job_of(add_video(uow))
    put(uow, attrs.evolve(job, state=CaptionJobState.READY))

    with uow.write() as work:
        assert not work.caption_jobs.save(job)


def test_a_new_caption_job_replaces_that_of_the_same_wish_with_its_windows(
    uow: SqlUnitOfWork,
) -> None:
    clip = add_video(uow)
    former, other = job_of(clip, "en"), job_of(clip, "de")
    put(uow, former, other)
    with uow.write() as work:
        work.caption_jobs.add_window(former, window(0))
        work.caption_jobs.add_window(other, window(0))
        work.commit()
    new = job_of(clip, "en")

    put(uow, new)

    with uow.write() as work:
        assert list(work.caption_jobs.of_video(clip.id)) == [other, new]
        assert not work.caption_jobs.save(former)
        assert work.caption_jobs.windows(former.id) == []
        assert work.caption_jobs.windows(other.id) == [window(0)]


def test_a_window_of_captions_is_stored_once(uow: SqlUnitOfWork) -> None:
    job = job_of(add_video(uow))
    put(uow, job)
    with uow.write() as work:
        for start_ms in (300_000, 0):
            work.caption_jobs.add_window(job, window(start_ms))
        work.commit()

    with (
        uow.write() as work,
        pytest.raises(AlreadyExistsError, match="caption_windows"),
    ):
        work.caption_jobs.add_window(job, window(0))

    with uow.write() as work:
        assert work.caption_jobs.windows(job.id) == [window(0), window(300_000)]
        work.caption_jobs.remove_windows(job.id)
        work.commit()
    with uow.read() as work:
        assert work.caption_jobs.windows(job.id) == []


def test_heard_speech_stays_while_captions_are_made_anew(
    uow: SqlUnitOfWork,
) -> None:
    clip = add_video(uow)
    english = attrs.evolve(job_of(clip, "en"), changed_at=NOW + timedelta(hours=1))
    auto = job_of(clip)
    put(uow, english, auto)
    latest = HeardSpeech(
        language="en", spans=((1, 2),), doubted=(DoubtedCue(7, ((0, 3),)),)
    )
    earlier = HeardSpeech(language="de", spans=((3, 4), (5, 6)))

    with uow.write() as work:
        work.caption_jobs.save_heard(auto.id, earlier)
        work.caption_jobs.save_heard(english.id, latest)
        work.commit()
    put(uow, attrs.evolve(job_of(clip, "en"), changed_at=NOW + timedelta(hours=2)))

    with uow.read() as work:
        assert work.caption_jobs.heard(clip.id, "en") == latest
        assert work.caption_jobs.heard(clip.id, "auto") == earlier
        named = work.caption_jobs.heard_languages(clip.id)
        assert [(one.wish, one.language) for one in named] == [
            ("en", "en"),
            ("auto", "de"),
        ]
        assert len(work.caption_jobs.of_video(clip.id)) == 2
    with uow.write() as work:
        work.caption_jobs.save_heard(auto.id, None)
        work.commit()
    with uow.read() as work:
        assert work.caption_jobs.heard(clip.id, "auto") is None
        named = work.caption_jobs.heard_languages(clip.id)
        assert [one.wish for one in named] == ["en"]


def test_silence_has_no_heard_language(uow: SqlUnitOfWork) -> None:
    clip = add_video(uow)
    job = job_of(clip)
    put(uow, job)

    with uow.write() as work:
        work.caption_jobs.save_heard(job.id, HeardSpeech(language="en", spans=()))
        work.commit()

    with uow.read() as work:
        assert work.caption_jobs.heard_languages(clip.id) == []
