"""The kit of transcribers lets a right one pass, and catches a wrong one."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from hvcore.plugin_api import Transcriber
from hvcore.testing.memory_transcriber import MemoryTranscriber
from hvcore.testing.transcriber import (
    TranscriberConformance,
    frames_of,
    silence,
    tones,
    write_sound,
)
from tests.testing import transcriber_memory as wrong
from tests.testing.running import is_caught, never_broken

WRONG: Final[Mapping[str, Sequence[type[MemoryTranscriber]]]] = {
    "test_speech_becomes_cues_with_words": (
        *(wrong.HearsNobody, wrong.HasNoWords, wrong.KeepsSpaces),
        wrong.ToldInPercent,
    ),
    "test_times_are_whole_milliseconds": (wrong.CountsSeconds,),
    "test_times_never_run_back": (
        *(wrong.RunsBack, wrong.EndsBeforeItStarts, wrong.TurnsWordsAround),
    ),
    "test_cues_lie_within_the_sound": (wrong.PadsTheSound,),
    "test_times_count_from_the_start_of_the_sound": (wrong.LeavesPausesOut,),
    "test_words_of_both_sides_of_a_pause_are_heard": (
        *(wrong.StopsAtPauses, wrong.HearsNobody),
    ),
    "test_silence_has_no_cues": (wrong.InventsWords,),
    "test_the_sound_is_only_read": (wrong.WritesBesideTheSound,),
    "test_languages_are_declared": (wrong.DeclaresNothing, wrong.DeclaresRegions),
    "test_a_language_that_is_asked_for_is_that_of_the_cues": (
        *(wrong.ForgetsTheLanguage, wrong.IsAlwaysSure),
    ),
    "test_the_language_is_told": (wrong.ForgetsTheLanguage, wrong.IsNeverSure),
    "test_an_unknown_language_is_refused_at_once": (
        *(wrong.TakesEveryLanguage, wrong.RefusesLate),
    ),
    "test_a_refused_language_spoils_nothing": (wrong.StaysRefusing,),
    "test_a_transcription_ends": (wrong.NeverEnds,),
    "test_a_sound_may_be_transcribed_again": (wrong.IsUsedOnce,),
    "test_sounds_do_not_mix": (wrong.GoesOnWithTheLastSound, wrong.IsUsedOnce),
    "test_closed_cues_end_the_work": (wrong.EndsTheWorkLate, wrong.IsUsedOnce),
    "test_the_work_is_checked_before_it_begins": (
        *(wrong.NeverChecks, wrong.SwallowsChecks),
    ),
    "test_the_work_is_checked_before_each_cue": (
        *(wrong.NeverChecks, wrong.SwallowsChecks, wrong.ChangesErrorsOfChecks),
        wrong.EndsTheWorkLate,
    ),
    "test_a_transcriber_works_after_a_fork": (wrong.KnowsItsProcess,),
    "test_a_closed_transcriber_leaves_nothing_open": (wrong.CannotBeClosed,),
    "test_a_sound_that_cannot_be_read_is_unusable": (
        *(wrong.TakesEverySound, wrong.TriesBadSoundsAgain),
    ),
    "test_an_unusable_sound_spoils_nothing": (wrong.StaysBroken,),
    "test_a_missing_model_or_server_is_unavailable": (
        *(wrong.HangsIfDown, wrong.FailsIfDown),
    ),
    "test_a_missing_model_or_server_is_told_to_operators": (
        *(wrong.HangsIfDown, wrong.FailsIfDown),
    ),
    "test_ping_finds_a_transcriber_that_works": (wrong.FindsFaultsEverywhere,),
    "test_no_secret_is_told": (
        *(wrong.CausesTellTheToken, wrong.LogsTheToken, wrong.ShowsTheToken),
    ),
}
"""Transcribers that each check catches."""
KINDS: Final = {"test_the_work_is_checked_before_each_cue": KeyboardInterrupt}


class Kit(TranscriberConformance):
    """The kit, for a transcriber that hears tones."""

    __test__ = False
    secrets = (wrong.TOKEN,)
    ends_within_s = 10.0
    stops_within_s = 0.5
    gives_up_within_s = 0.2

    @pytest.fixture
    def transcriber(self) -> Transcriber:
        return MemoryTranscriber()

    @pytest.fixture
    def unavailable(self) -> Transcriber:
        return MemoryTranscriber(is_down=True)

    @pytest.fixture
    def speech(self, tmp_path: Path) -> Path:
        return write_sound(tmp_path / "speech.wav", tones(2_000)).path


class TestMemoryTranscriber(Kit):
    __test__ = True


class TestTranscriberOfOneLanguage(Kit):
    """The kit, for a transcriber that assumes its language."""

    __test__ = True

    @pytest.fixture
    def transcriber(self) -> Transcriber:
        return MemoryTranscriber(languages=frozenset({"en"}), detects=False)


@pytest.mark.parametrize(
    ("check", "kind"),
    [(check, kind) for check, kinds in WRONG.items() for kind in kinds],
)
def test_a_wrong_transcriber_is_caught(
    check: str,
    kind: type[MemoryTranscriber],
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    kit, down = Kit(), kind()
    down.is_down = True
    sound = partial(write_sound, tmp_path / "said.wav")
    pause = silence(3_000)
    twice = pause + tones(2_000) + pause + tones(2_000) + pause
    given = {
        "transcriber": kind(),
        "unavailable": down,
        "said": sound(tones(2_000)),
        "speech": tmp_path / "said.wav",
        "tmp_path": tmp_path,
        "caplog": caplog,
        "said_twice": write_sound(tmp_path / "twice.wav", twice),
        "kind": KINDS.get(check),
    }

    assert is_caught(kit, check, given)


def test_every_promise_has_somebody_who_breaks_it() -> None:
    assert never_broken(TranscriberConformance, WRONG) == set()


def test_frames_of_other_forms_are_refused(tmp_path: Path) -> None:
    path = write_sound(tmp_path / "a.wav", tones(100)).path
    data = bytearray(path.read_bytes())
    data[22] = 2
    path.write_bytes(data)

    with pytest.raises(ValueError, match="must be mono"):
        frames_of(path)
