"""
Jobs that make captions by machine, and how sure their words are.
"""

from datetime import UTC, datetime

import attrs
import pytest

from hvcore.domain.ids import OrgId, new_caption_job_id, new_video_id
from hvcore.domain.processing.speech import SpokenCue, SpokenWord
from hvcore.domain.videos.caption_jobs import (
    AUTO,
    CaptionJob,
    CaptionJobState,
    confidence_of,
    shifted,
)

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def cue(*probabilities: float) -> SpokenCue:
    words = tuple(
        SpokenWord(text="x", start_ms=0, end_ms=9, confidence=one)
        for one in probabilities
    )
    return SpokenCue(start_ms=0, end_ms=9, text="x", words=words)


def test_few_sure_words_do_not_make_up_for_unsure_ones() -> None:
    assert confidence_of([cue(0.9, 0.9), cue(0.9)]) == 0.9
    assert confidence_of([cue(1.0, 1.0, 0.01)]) == pytest.approx(0.2154)


def test_no_words_have_no_confidence() -> None:
    assert confidence_of([]) is None


def test_a_window_has_the_times_of_the_video() -> None:
    (moved,) = shifted([cue(1.0)], 5_000)

    assert (moved.start_ms, moved.end_ms) == (5_000, 5_009)
    assert (moved.words[0].start_ms, moved.words[0].end_ms) == (5_000, 5_009)


def test_only_a_finished_job_is_done_by_all_of_it() -> None:
    job = CaptionJob(
        id=new_caption_job_id(),
        video_id=new_video_id(),
        org_id=OrgId("org_a"),
        wish=AUTO,
        duration_ms=1_000,
        created_at=NOW,
        changed_at=NOW,
    )

    assert job.progress == 0
    assert attrs.evolve(job, done_ms=500).progress == 50
    assert attrs.evolve(job, done_ms=1_000).progress == 99
    assert attrs.evolve(job, state=CaptionJobState.READY).progress == 100
    assert attrs.evolve(job, duration_ms=0).progress == 0
