"""
Captions by machine, from the order to the captions that viewers see.
"""

from itertools import pairwise
from pathlib import Path

import attrs
import orjson
import pytest

from hvcore import failpoints
from hvcore.domain.ids import VideoId
from hvcore.domain.processing.speech import TranscriptionError
from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.domain.tasks.task import Lane, TaskState
from hvcore.domain.videos.caption_jobs import CaptionJobState, Transcript
from hvcore.domain.videos.captions import CaptionFormat
from hvcore.domain.videos.heard_speech import HeardSpeech
from hvcore.domain.webhooks.events import EventKind
from hvcore.errors import UnavailableError
from hvcore.services.captions.making import NO_SOUND, NO_SPEECH
from hvcore.services.captions.publishing import GeneratedCaptions
from hvcore.services.videos.captions import NewCaptions
from hvcore.testing.memory_transcriber import MemoryTranscriber
from hvcore.wire.stored import from_stored
from tests.services.spoken_service import SpokenService, spoken_service

READY, FAILED = EventKind.CAPTIONS_READY, EventKind.CAPTIONS_FAILED


def write(spoken: SpokenService, video_id: str, language: str) -> None:
    world = spoken.world
    new = NewCaptions(
        language=language,
        label=None,
        data=b"WEBVTT\n\n00:01.000 --> 00:02.000\nBy hand\n",
        expected=CaptionFormat.WEBVTT,
    )
    world.services.captions.put(world.caller, "org_a", video_id, new)


def test_spoken_words_become_captions_with_the_times_of_the_video(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.transcoder.said_ms = [(1_000, 3_000), (12_000, 13_200), (20_000, 20_800)]

    spoken.generate(video_id)
    spoken.world.run_tasks()

    (track,) = spoken.tracks(video_id)
    assert (track.language, track.label, track.cues) == ("en", "English", 3)
    assert track.is_generated
    assert track.confidence == 0.9
    assert [(one.start_ms, one.end_ms, one.text) for one in spoken.cues(video_id)] == [
        (1_000, 3_000, "one two three four five"),
        (12_000, 13_200, "one two three"),
        (20_000, 20_800, "one two"),
    ]
    job = spoken.job(video_id)
    assert (job.state, job.language, job.progress) == (CaptionJobState.READY, "en", 100)
    assert (job.reason, job.cues, job.is_assumed) == ("", 3, False)
    assert spoken.events(READY, FAILED) == [(READY.value, None)]


def test_the_words_of_captions_are_kept_beside_them(spoken: SpokenService) -> None:
    video_id = spoken.ready()

    spoken.generate(video_id, "de")
    spoken.world.run_tasks()

    (track,) = spoken.tracks(video_id)
    stored = (spoken.world.storage_dir / str(track.words_path)).read_bytes()
    said = from_stored(orjson.loads(stored), Transcript)
    assert (said.language, said.confidence) == ("de", 0.9)
    assert [word.text for word in said.cues[0].words] == [
        "one",
        "two",
        "three",
        "four",
        "five",
    ]
    assert (said.cues[-1].words[-1].end_ms) == 10_000


def test_windows_are_cut_where_nothing_is_said(spoken: SpokenService) -> None:
    video_id = spoken.ready()
    # At 10 s, where a window would end, somebody speaks.
    spoken.transcoder.said_ms = [(1_000, 9_200), (9_600, 12_000)]

    spoken.generate(video_id)
    spoken.world.run_tasks()

    second = spoken.transcoder.spans[1]
    # It begins within the pause, in the second segment.
    begins_s = 281 * 1024 / 48_000 + second.start_s
    assert 9.2 < begins_s < 9.6
    cues = spoken.cues(video_id)
    behind = next(cue.start_ms for cue in cues if cue.start_ms > 9_000)
    assert behind == pytest.approx(9_600, abs=100)
    assert all(one.end_ms <= other.start_ms for one, other in pairwise(cues))


def test_captions_wait_behind_the_encodes_of_all(spoken: SpokenService) -> None:
    video_id = spoken.ready()

    spoken.generate(video_id)

    with spoken.world.services.uow.read() as work:
        (task,) = work.tasks.unended(video_id, kind="captions.make")
    assert task.lane is Lane.CAPTIONS


def test_a_window_is_made_once_however_often_workers_are_killed(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)
    services = spoken.world.services
    heard = len(spoken.transcoder.spans)

    for _ in range(2):
        # Taken by a worker that is killed before it has the words.
        with services.uow.write() as work:
            (waiting,) = work.tasks.unended(video_id, kind="captions.make")
            work.tasks.lease(waiting.id, worker="killed:1")
            work.commit()
        with services.uow.write() as work:
            work.tasks.free_worker("killed:1")
            work.commit()
        task = services.task_runs.take(waiting.id, worker="test:1")
        assert task is not None
        services.task_runs.work(task, stopping=lambda: False)
    spoken.world.run_everything()

    assert len(spoken.transcoder.spans) - heard == 3
    assert [cue.start_ms for cue in spoken.cues(video_id)] == [
        1_000,
        8_000,
        9_900,
    ]
    with services.uow.read() as work:
        assert work.caption_jobs.windows(spoken.job(video_id).id) == []


@pytest.mark.parametrize(
    "point", ["captions.heard", "captions.stored", "captions.published"]
)
def test_captions_are_made_once_after_a_failure_at_any_point(
    spoken: SpokenService, point: str
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)
    failpoints.arm(f"{point}=raise*1")

    spoken.world.run_everything()
    failpoints.arm("")

    (track,) = spoken.tracks(video_id)
    assert [cue.start_ms for cue in spoken.cues(video_id)] == [1_000, 8_000, 9_900]
    assert spoken.job(video_id).state is CaptionJobState.READY
    assert [path for path in spoken.world.files("media/") if "/captions/" in path] == [
        *sorted(track.paths)
    ]


def test_a_video_in_which_nothing_is_said_gets_no_captions(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.transcoder.said_ms = []

    spoken.generate(video_id)
    spoken.world.run_tasks()

    job = spoken.job(video_id)
    assert (job.state, job.reason, job.language) == (
        CaptionJobState.READY,
        NO_SPEECH,
        None,
    )
    assert spoken.tracks(video_id) == []
    assert spoken.events(READY, FAILED) == [(READY.value, None)]


def test_a_video_without_sound_gets_no_captions(spoken: SpokenService) -> None:
    spoken.transcoder.has_sound = False
    video_id = spoken.ready()

    spoken.generate(video_id)
    spoken.world.run_tasks()

    job = spoken.job(video_id)
    assert (job.state, job.reason) == (CaptionJobState.READY, NO_SOUND)


def test_guessed_words_are_not_published(spoken: SpokenService) -> None:
    video_id = spoken.ready()
    spoken.transcriber.confidence = 0.42

    spoken.generate(video_id)
    spoken.world.run_tasks()

    job = spoken.job(video_id)
    assert (job.state, job.confidence) == (CaptionJobState.FAILED, 0.42)
    assert "0.42, and at least 0.50 is needed" in job.reason
    assert spoken.tracks(video_id) == []
    assert spoken.events(READY, FAILED) == [(FAILED.value, job.reason)]


def test_the_least_confidence_is_a_setting(tmp_path: Path) -> None:
    with spoken_service(tmp_path, {"HV_TRANSCRIBER__MIN_CONFIDENCE": "0.4"}) as spoken:
        video_id = spoken.ready()
        spoken.transcriber.confidence = 0.42

        spoken.generate(video_id)
        spoken.world.run_tasks()

        assert [one.confidence for one in spoken.tracks(video_id)] == [0.42]


def test_a_model_that_guesses_is_stopped_long_before_the_end(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore.services.captions.making.JUDGED_WORDS", 5)
    video_id = spoken.ready()
    spoken.transcriber.confidence = 0.2

    spoken.generate(video_id)
    spoken.world.run_tasks()

    assert spoken.job(video_id).state is CaptionJobState.FAILED
    assert len(spoken.transcoder.spans) == 1


def test_guessed_words_of_all_windows_together_stop_a_model(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first window has fewer words.
    monkeypatch.setattr("hvcore.services.captions.making.JUDGED_WORDS", 11)
    video_id = spoken.ready()
    spoken.transcoder.said_ms = [(1_000, 3_000), (12_000, 16_000)]
    spoken.transcriber.confidence = 0.2

    spoken.generate(video_id)
    spoken.world.run_tasks()

    job = spoken.job(video_id)
    assert (job.state, job.confidence) == (CaptionJobState.FAILED, 0.2)
    assert len(spoken.transcoder.spans) == 2


def test_a_job_that_is_replaced_while_it_fails_for_good_is_left_as_it_is(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)
    services = spoken.world.services
    with services.uow.write() as work:
        (waiting,) = work.tasks.unended(video_id, kind="captions.make")
        task = work.tasks.lease(waiting.id, worker="test:1")
        job = work.caption_jobs.of_video(video_id)[0]
        work.caption_jobs.save(attrs.evolve(job, state=CaptionJobState.READY))
        work.commit()
    assert task is not None

    with services.uow.write() as work:
        services.caption_making.give_up(work, task, "It failed.", error="x")
        work.commit()

    assert spoken.job(video_id).state is CaptionJobState.READY
    assert spoken.events(READY, FAILED) == []


def test_a_model_that_tells_no_languages_apart_has_its_language_assumed(
    spoken: SpokenService,
) -> None:
    spoken.transcriber.detects = False
    video_id = spoken.ready()

    spoken.generate(video_id)
    spoken.world.run_tasks()

    job = spoken.job(video_id)
    assert (job.language, job.is_assumed) == ("en", True)


def test_captions_of_a_person_are_never_replaced_by_those_of_a_machine(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)
    write(spoken, video_id, "en")

    spoken.world.run_tasks()

    (track,) = spoken.tracks(video_id)
    assert not track.is_generated
    assert [cue.text for cue in spoken.cues(video_id)] == ["By hand"]
    job = spoken.job(video_id)
    assert job.state is CaptionJobState.FAILED
    assert "(en) that a person wrote" in job.reason
    assert [path for path in spoken.world.files("media/") if "/captions/" in path] == [
        track.path
    ]


def test_no_further_window_is_heard_once_a_person_has_written_the_captions(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    before = len(spoken.transcoder.spans)
    spoken.generate(video_id)
    write(spoken, video_id, "en")

    spoken.world.run_tasks()

    assert spoken.job(video_id).state is CaptionJobState.FAILED
    assert len(spoken.transcoder.spans) == before + 1


def test_generated_captions_that_a_person_changes_are_the_persons(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)
    spoken.world.run_tasks()

    write(spoken, video_id, "en")

    (track,) = spoken.tracks(video_id)
    assert (track.is_generated, track.confidence) == (False, None)
    assert [path for path in spoken.world.files("media/") if "/captions/" in path] == [
        track.path
    ]


def test_new_captions_of_a_machine_replace_its_former_ones(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    for words in ("former", "newer"):
        spoken.transcriber.words = (words,)
        spoken.generate(video_id)
        spoken.world.run_tasks()

    assert {cue.text.split()[0] for cue in spoken.cues(video_id)} == {"newer"}
    (track,) = spoken.tracks(video_id)
    assert [path for path in spoken.world.files("media/") if "/captions/" in path] == [
        *sorted(track.paths)
    ]


def test_replaced_captions_go_though_the_worker_was_killed_before(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)
    spoken.world.run_tasks()
    spoken.generate(video_id)
    failpoints.arm("captions.published=raise*1")

    spoken.world.run_everything()
    failpoints.arm("")

    (track,) = spoken.tracks(video_id)
    assert [path for path in spoken.world.files("media/") if "/captions/" in path] == [
        *sorted(track.paths)
    ]
    assert spoken.events(READY, FAILED) == [(READY.value, None)] * 2


def test_no_window_is_heard_twice_while_the_storage_takes_no_files(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = spoken.ready()
    before = len(spoken.transcoder.spans)
    spoken.generate(video_id)

    def refuse(*_: object) -> None:
        raise UnavailableError("The bucket is full.")

    with monkeypatch.context() as full:
        full.setattr(GeneratedCaptions, "store", refuse)
        spoken.world.run_everything()
    assert spoken.job(video_id).state is CaptionJobState.RUNNING
    spoken.world.run_everything()

    assert spoken.job(video_id).state is CaptionJobState.READY
    assert len(spoken.transcoder.spans) - before == 3


def test_captions_wait_while_the_transcriber_is_away(spoken: SpokenService) -> None:
    video_id = spoken.ready()
    spoken.transcriber.is_down = True
    spoken.generate(video_id)

    spoken.world.run_everything()
    with spoken.world.services.uow.read() as work:
        (task,) = work.tasks.unended(video_id, kind="captions.make")
    assert task.attempts == 0
    spoken.transcriber.is_down = False
    spoken.world.run_everything()

    assert spoken.job(video_id).state is CaptionJobState.READY


def test_a_server_that_fails_at_all_sounds_for_some_minutes_loses_no_captions(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)

    def fail(*_: object) -> None:
        raise TranscriptionError("The transcription server failed.")

    with monkeypatch.context() as failing:
        failing.setattr(MemoryTranscriber, "transcribe", fail)
        spoken.world.run_everything()
    spoken.run_all_attempts()

    assert spoken.job(video_id).state is CaptionJobState.READY


def test_a_sound_that_cannot_be_read_fails_the_captions_and_not_the_video(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = spoken.ready()

    def fail(*_: object) -> None:
        raise TranscodeError("The sound cannot be read.")

    monkeypatch.setattr(spoken.transcoder, "sound", fail)
    spoken.generate(video_id)
    spoken.run_all_attempts()

    job = spoken.job(video_id)
    assert (job.state, job.reason) == (
        CaptionJobState.FAILED,
        "The sound cannot be read.",
    )
    assert spoken.events(FAILED) == [(FAILED.value, "The sound cannot be read.")]
    assert spoken.world.video(video_id).state.value == "ready"


def test_failed_attempts_of_one_window_do_not_count_for_the_next(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = spoken.ready()
    sound, calls = spoken.transcoder.sound, iter("xx.xx.xx.")

    def fail_now_and_then(*args: object) -> Path:
        if next(calls) == "x":
            raise TranscodeError("The sound cannot be read.")
        return sound(*args)  # type: ignore[arg-type]  # as given

    monkeypatch.setattr(spoken.transcoder, "sound", fail_now_and_then)
    spoken.generate(video_id)
    for _ in range(3):
        spoken.run_all_attempts()

    assert spoken.job(video_id).state is CaptionJobState.READY


def test_deleting_a_video_ends_its_captions_and_removes_what_was_heard(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)
    world = spoken.world
    with world.services.uow.read() as work:
        (task,) = work.tasks.unended(video_id, kind="captions.make")
    world.services.task_runs.run(task.id, worker="test:1", stopping=lambda: False)
    assert spoken.job(video_id).state is CaptionJobState.RUNNING

    world.services.deletion.delete(world.caller, "org_a", video_id, None)
    world.run_everything()

    with world.services.uow.read() as work:
        found = work.tasks.find(task.id)
        assert found is not None
        assert found.state is TaskState.CANCELLED
        assert work.caption_jobs.windows(task.payload["captionJob"]) == []  # type: ignore[arg-type]
    assert spoken.events(READY, FAILED) == []
    assert world.files(f"media/{video_id}") == []


def test_captions_of_several_languages_are_made_one_after_the_other(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()

    spoken.generate(video_id, "de", "en")
    spoken.world.run_tasks()

    assert [one.language for one in spoken.tracks(video_id)] == ["de", "en"]


def heard(spoken: SpokenService, video_id: str) -> list[HeardSpeech]:
    with spoken.world.services.uow.read() as work:
        jobs = work.caption_jobs
        found = [
            jobs.heard(VideoId(video_id), one.wish)
            for one in jobs.heard_languages(VideoId(video_id))
        ]
    return [one for one in found if one]


def test_heard_speech_stays_when_a_person_replaces_the_captions(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.transcoder.said_ms = [(1_000, 1_400), (8_000, 10_000)]
    spoken.generate(video_id)
    spoken.world.run_tasks()

    write(spoken, video_id, "en")

    (found,) = heard(spoken, video_id)
    assert found.language == "en"
    assert found.spans == ((1_000, 1_400), (8_000, 10_000))


def test_speech_is_known_where_captions_of_a_person_are_kept(tmp_path: Path) -> None:
    with spoken_service(tmp_path, window_ms=60_000) as spoken:
        video_id = spoken.ready()
        spoken.transcoder.said_ms = [(1_000, 3_000)]
        write(spoken, video_id, "en")

        spoken.generate(video_id)
        spoken.world.run_tasks()

        assert spoken.job(video_id).state is CaptionJobState.FAILED
        assert [one.spans for one in heard(spoken, video_id)] == [((1_000, 3_000),)]
