"""
The kit of transcoders of this machine lets a right one pass, and catches a wrong one.
"""

import re
from collections.abc import Iterator, Mapping
from inspect import signature
from pathlib import Path
from typing import Any, Final

import pytest

from hvcore.plugin_api import (
    TranscodeError,
)
from hvcore.testing.local_transcoder import (
    KitInterrupt,
    LocalTranscoderConformance,
    part_watched,
)
from hvcore.testing.transcoder import order_of
from hvcore.testing.transcoder.known_sources import TURNED
from hvcore.testing.transcoder.made_parts import parts_made
from hvcore_transcoder_ffmpeg.backend import FfmpegTranscoder
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from tests.plugins.transcoder_ffmpeg.clips import two_segments
from tests.plugins.transcoder_ffmpeg.conftest import make_context, make_workspace
from tests.testing.wrong_local_transcoders import (
    LEFT,
    AsksNobodyWhileProbing,
    AsksSeldom,
    BeginsElsewhere,
    BlamesTheAttempt,
    CountsFromOne,
    DrawsNoJpeg,
    ForcesNoKeyFrames,
    ForgetsItsRungs,
    GivesTheFirstResult,
    HasKeyFramesEveryFiveSeconds,
    HearsTwoChannels,
    HidesItsSound,
    LeavesItsPlaylist,
    LeavesItsProgram,
    LogsBesideTheSource,
    MadeBefore,
    MakesNoPoster,
    MakesNoSound,
    NamesItsTool,
    NamesTheFile,
    NeverAsks,
    PlansNothing,
    ProbesTwiceTheLength,
    ProbesWithoutAsking,
    PublishesTitles,
    RoundsDurations,
    RoundsRates,
    RunsToAnswer,
    StopsAtHalf,
    SwallowsCtrlC,
    TakesSegmentsForPictures,
    TellsAnotherCodec,
    TellsAnotherHash,
    TellsNothing,
    TellsNoTool,
    TellsPercents,
    TellsThatNothingIsDone,
    TellsTheSameShare,
    TellsWhatIsLeft,
    TurnsNothing,
    WritesBesideItsFolder,
)

_FILES: Final = "test_files_are_what_tracks_say"
_LENGTH: Final = "test_every_rendition_lasts_as_long_as_the_source"
_RULES: Final = "test_a_made_rendition_can_be_published"
_CUTS: Final = "test_segments_begin_at_the_multiples_of_their_length"
_PARTS: Final = "test_parts_make_what_the_plan_says"
_ASKS: Final = "test_the_transcoder_asks_whether_to_go_on"
_TELLS: Final = "test_the_transcoder_tells_its_progress"
_STOP: Final = "test_work_that_is_not_wanted_ends"
_LETTER: Final = "test_a_file_that_is_no_video_is_unusable"
_FAILED: Final = "test_a_failed_attempt_tells_owners_and_operators_why"
_FACTS: Final = "test_the_facts_of_a_source_are_found"
_SEVERAL: Final = "test_several_videos_are_made_one_after_the_other"
_MEMORY: Final = "test_capabilities_come_from_memory"
_PROBING: Final = "test_the_transcoder_asks_while_it_probes"
_PROBING_ENDS: Final = "test_probing_that_is_not_wanted_ends"
WRONG: Final[Mapping[type[FfmpegTranscoder], tuple[str, str]]] = {
    TellsAnotherHash: (_FILES, r"video/180p/init.m4s: MediaFile.sha256 is 0000"),
    LeavesItsPlaylist: (_FILES, "video/180p has list.m3u8, which Track does not name"),
    MakesNoPoster: (_FILES, "PartDone names 'nope.jpg'"),
    MakesNoSound: (_LENGTH, "A rendition is missing: audio"),
    CountsFromOne: (_LENGTH, "180p/0.m4s was expected, and video/180p/1.m4s was found"),
    ProbesTwiceTheLength: (_LENGTH, "video/180p lasts 8.0 s, and the source 16.0 s"),
    RoundsDurations: (_RULES, "segment-duration"),
    TellsAnotherCodec: (_RULES, "codecs"),
    ForgetsItsRungs: (_RULES, "Track.rung of 'video/180p' is None"),
    HidesItsSound: (_PARTS, "planned with has_sound=False, and made audio"),
    ForcesNoKeyFrames: (_CUTS, "video/180p/0.m4s lasts 8.000 s"),
    HasKeyFramesEveryFiveSeconds: (_CUTS, "180p/1.m4s begins at 5.000 s"),
    BeginsElsewhere: (_CUTS, "part 0 begins at 6.0 s, and its first segment"),
    AsksSeldom: (_ASKS, "workspace.check was not called for"),
    TellsNothing: (_TELLS, "workspace.report was never called"),
    TellsThatNothingIsDone: (_TELLS, "called with 0.0 only"),
    TellsTheSameShare: (_TELLS, "always called with 0.5"),
    TellsWhatIsLeft: (_TELLS, "went back"),
    TellsPercents: (_TELLS, "not 0.0 to 1.0"),
    NeverAsks: (_STOP, "it never asked"),
    LeavesItsProgram: (_STOP, "a program goes on"),
    PlansNothing: (_STOP, "plan returned no parts"),
    BlamesTheAttempt: (_LETTER, "The file is"),
    NamesTheFile: (_LETTER, "this names the file"),
    TellsNoTool: (_FAILED, "TranscodeError.log is empty"),
    NamesItsTool: (_FAILED, "this names ffmpeg"),
    RunsToAnswer: (_MEMORY, "runs or asks each time: subprocess.Popen /bin/true"),
    TurnsNothing: (_FACTS, "are 96 x 64 px; viewers see 64 x 96"),
    RoundsRates: (_FACTS, "frame_rate of turned.mp4 is 30; it is 30000/1001"),
    HearsTwoChannels: (_FACTS, "is (1,); found: (2,)"),
    LogsBesideTheSource: (_FACTS, "turned.log was written beside the source"),
    GivesTheFirstResult: (_SEVERAL, "there is no folder video/64p in workspace"),
    WritesBesideItsFolder: (_SEVERAL, "left-over was written beside workspace.folder"),
    PublishesTitles: (_SEVERAL, "has the title or the comment of the source"),
    DrawsNoJpeg: (_FILES, "is no JPEG"),
    TakesSegmentsForPictures: (_FILES, "its first picture ends at"),
    StopsAtHalf: (_TELLS, "the last share is 0.5"),
    SwallowsCtrlC: (_STOP, "KitInterrupt that workspace.check raised was swallowed"),
    ProbesWithoutAsking: (_PROBING, "workspace.check was not called for 1."),
    AsksNobodyWhileProbing: (_PROBING_ENDS, "it never asked"),
}
"""Each with the promise that it breaks, and what its author then reads."""
_PROMISES: Final = {promise for promise, _ in WRONG.values()}


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clip") / "two-segments.mp4"
    two_segments(made)
    return made


@pytest.fixture
def _ended() -> Iterator[None]:
    yield
    while LEFT:
        program = LEFT.pop()
        program.kill()
        program.wait()


def test_every_promise_has_somebody_who_breaks_it() -> None:
    promises = {
        name for name in vars(LocalTranscoderConformance) if name[:5] == "test_"
    }

    # Of those for every transcoder, tests of the kit of remote ones break each.
    assert promises == _PROMISES - {_MEMORY}


@pytest.mark.cases(6)
@pytest.mark.parametrize("promise", sorted(_PROMISES))
def test_a_right_transcoder_passes(promise: str, clip: Path, tmp_path: Path) -> None:
    _run(MadeBefore, promise, clip, tmp_path)


@pytest.mark.cases(4)
@pytest.mark.usefixtures("_ended")
@pytest.mark.parametrize("kind", WRONG, ids=lambda kind: kind.__name__)
def test_a_wrong_transcoder_is_caught(
    kind: type[FfmpegTranscoder], clip: Path, tmp_path: Path
) -> None:
    promise, told = WRONG[kind]

    # pytest.fail raises what is no Exception.
    with pytest.raises(
        (AssertionError, TranscodeError, pytest.fail.Exception), match=re.escape(told)
    ):
        _run(kind, promise, clip, tmp_path)


def _run(kind: type[FfmpegTranscoder], promise: str, clip: Path, folder: Path) -> None:
    """
    Call a test of the kit as pytest does.
    """
    kit = LocalTranscoderConformance()
    transcoder = kind(FfmpegOptions(), make_context(folder))
    workspace = make_workspace(clip, folder / "work")
    values: dict[str, Any] = {
        "transcoder": transcoder,
        "workspace": workspace,
        "tmp_path": folder,
        "kind": KitInterrupt,
        "known": TURNED,
    }
    wanted = signature(getattr(kit, promise)).parameters
    if "order" in wanted:
        values["order"] = order_of(transcoder.probe(workspace))
    if "made" in wanted:
        order = values.get("order") or order_of(transcoder.probe(workspace))
        parts = parts_made(transcoder, order, workspace, folder / "parts")
        values["made"] = tuple(parts)
    if "watched" in wanted:
        order = order_of(transcoder.probe(workspace))
        values["watched"] = part_watched(transcoder, order, workspace, folder / "seen")
    getattr(kit, promise)(**{name: values[name] for name in wanted})
