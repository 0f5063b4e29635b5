"""
The kit of transcoders of this machine lets a right one pass, and catches a wrong one.
"""

import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from hvcore.plugin_api import (
    Capabilities,
    Part,
    PartDone,
    SourceInfo,
    Track,
    TranscodeError,
    TranscodeOrder,
    UnusableSourceError,
    Workspace,
)
from hvcore.testing.local_transcoder import (
    KitInterrupt,
    LocalTranscoderConformance,
    part_watched,
)
from hvcore.testing.transcoder import order_of
from hvcore.testing.transcoder.known_sources import HIDDEN, TURNED
from hvcore.testing.transcoder.made_parts import parts_made
from hvcore_transcoder_ffmpeg.backend import FfmpegTranscoder
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from tests.plugins.transcoder_ffmpeg.clips import two_segments
from tests.plugins.transcoder_ffmpeg.conftest import make_context, make_workspace


class MadeBefore(FfmpegTranscoder):
    """
    Right, and quick: it gives copies of what it made of a source at first.
    """

    def probe(self, workspace: Workspace) -> SourceInfo:
        if workspace.source not in PROBED:
            PROBED[workspace.source] = super().probe(workspace)
        return PROBED[workspace.source]

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        kept = Path(f"{workspace.source.parent}-made")
        if kept not in MADE:
            # Of a run that was broken off.
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir()
            # What is made at first is not told: copies of it are told below.
            quiet = attrs.evolve(workspace, folder=kept, report=lambda _: None)
            MADE[kept] = super().run(part, quiet)
        workspace.check()
        shutil.copytree(kept, workspace.folder, dirs_exist_ok=True)
        workspace.report(0.5)
        workspace.report(1.0)
        return MADE[kept]


class ChangesTracks(MadeBefore):
    """
    Right, but for what a subclass does with its tracks.
    """

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        done = super().run(part, workspace)
        tracks = tuple(self.changed(track, workspace) for track in done.tracks)
        return attrs.evolve(done, tracks=tracks)

    def changed(self, track: Track, workspace: Workspace) -> Track:
        raise NotImplementedError


class TellsAnotherHash(ChangesTracks):
    def changed(self, track: Track, workspace: Workspace) -> Track:
        return attrs.evolve(track, init=attrs.evolve(track.init, sha256="0" * 64))


class LeavesItsPlaylist(ChangesTracks):
    def changed(self, track: Track, workspace: Workspace) -> Track:
        (workspace.folder / track.name / "list.m3u8").write_text("#EXTM3U\n")
        return track


class CountsFromOne(ChangesTracks):
    def changed(self, track: Track, workspace: Workspace) -> Track:
        folder = workspace.folder / track.name
        segments = []
        for segment in reversed(track.segments):
            number = segment.number + 1
            (folder / f"{segment.number}.m4s").rename(folder / f"{number}.m4s")
            segments.append(attrs.evolve(segment, number=number))
        return attrs.evolve(track, segments=tuple(reversed(segments)))


class ForgetsItsRungs(ChangesTracks):
    def changed(self, track: Track, workspace: Workspace) -> Track:
        return attrs.evolve(track, rung=None)


class MakesNoPoster(MadeBefore):
    def run(self, part: Part, workspace: Workspace) -> PartDone:
        return attrs.evolve(super().run(part, workspace), poster="nope.jpg")


class PlansNothing(FfmpegTranscoder):
    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        return ()


class HidesItsSound(MadeBefore):
    """
    Right, but that its plan tells of no sound.
    """

    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        return tuple(
            attrs.evolve(part, has_sound=False) for part in super().plan(order)
        )

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        return super().run(attrs.evolve(part, has_sound=True), workspace)


class BeginsElsewhere(MadeBefore):
    """
    Right, but that its plan begins with the second segment.
    """

    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        return tuple(attrs.evolve(part, start_s=6.0) for part in super().plan(order))

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        return super().run(attrs.evolve(part, start_s=0.0), workspace)


class CutsAnywhere(FfmpegTranscoder):
    """
    Right, but for the length of its segments.
    """

    segment_s = 0

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        order = attrs.evolve(part.order, segment_s=self.segment_s)
        return super().run(attrs.evolve(part, order=order), workspace)


class ForcesNoKeyFrames(CutsAnywhere):
    segment_s = 10


class HasKeyFramesEveryFiveSeconds(CutsAnywhere):
    segment_s = 5


class AsksSeldom(FfmpegTranscoder):
    """
    Asks once in three seconds.
    """

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        last_s = [time.monotonic()]

        def check() -> None:
            if time.monotonic() - last_s[0] > 3:
                last_s[0] = time.monotonic()
                workspace.check()

        return super().run(part, attrs.evolve(workspace, check=check))


class TellsNothing(MadeBefore):
    def run(self, part: Part, workspace: Workspace) -> PartDone:
        return super().run(part, attrs.evolve(workspace, report=lambda _: None))


class ChangesShares(MadeBefore):
    def run(self, part: Part, workspace: Workspace) -> PartDone:
        workspace.report(self.share(0.0))
        return super().run(
            part,
            attrs.evolve(
                workspace, report=lambda share: workspace.report(self.share(share))
            ),
        )

    def share(self, of: float) -> float:
        raise NotImplementedError


class TellsThatNothingIsDone(ChangesShares):
    def share(self, of: float) -> float:
        return 0.0


class TellsTheSameShare(ChangesShares):
    def share(self, of: float) -> float:
        return 0.5


class TellsWhatIsLeft(ChangesShares):
    def share(self, of: float) -> float:
        return 1 - of


class TellsPercents(ChangesShares):
    def share(self, of: float) -> float:
        return 100 * of


class MakesNoSound(MadeBefore):
    def run(self, part: Part, workspace: Workspace) -> PartDone:
        done = super().run(part, workspace)
        return attrs.evolve(done, tracks=tuple(one for one in done.tracks if one.rung))


class ProbesTwiceTheLength(MadeBefore):
    def probe(self, workspace: Workspace) -> SourceInfo:
        found = super().probe(workspace)
        return attrs.evolve(found, duration_s=2 * found.duration_s)


class RoundsDurations(ChangesTracks):
    def changed(self, track: Track, workspace: Workspace) -> Track:
        rounded = [attrs.evolve(one, duration_s=1.5) for one in track.segments]
        return attrs.evolve(track, segments=tuple(rounded))


class TellsAnotherCodec(ChangesTracks):
    def changed(self, track: Track, workspace: Workspace) -> Track:
        return attrs.evolve(track, codecs="avc1.42c00a" if track.rung else "mp4a.40.5")


class NeverAsks(FfmpegTranscoder):
    def run(self, part: Part, workspace: Workspace) -> PartDone:
        done = super().run(part, attrs.evolve(workspace, check=lambda: None))
        threading.Event().wait(1.6)
        return done


class LeavesItsProgram(FfmpegTranscoder):
    def run(self, part: Part, workspace: Workspace) -> PartDone:
        program = subprocess.Popen(["/bin/sleep", "60"])
        LEFT.append(program)
        return super().run(part, workspace)


class BlamesTheAttempt(FfmpegTranscoder):
    def probe(self, workspace: Workspace) -> SourceInfo:
        try:
            return super().probe(workspace)
        except UnusableSourceError as exc:
            raise TranscodeError(str(exc)) from exc


class NamesTheFile(FfmpegTranscoder):
    def probe(self, workspace: Workspace) -> SourceInfo:
        try:
            return super().probe(workspace)
        except UnusableSourceError as exc:
            raise UnusableSourceError(f"{workspace.source} is no video.") from exc


class TellsNoTool(MadeBefore):
    """
    Right, but that operators do not learn why an attempt failed.
    """

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        if workspace.source.name == "letter.mp4":
            raise TranscodeError("The video could not be encoded.")
        return super().run(part, workspace)


class NamesItsTool(MadeBefore):
    def run(self, part: Part, workspace: Workspace) -> PartDone:
        raise TranscodeError("The program ffmpeg has failed.", log="status 1")


class RunsToAnswer(MadeBefore):
    def capabilities(self) -> Capabilities:
        subprocess.run(["/bin/true"], check=True)
        return super().capabilities()


class ChangesFacts(MadeBefore):
    """
    Right, but for what a subclass does with the facts of a source.
    """

    def probe(self, workspace: Workspace) -> SourceInfo:
        return self.changed(super().probe(workspace))

    def changed(self, found: SourceInfo) -> SourceInfo:
        raise NotImplementedError


class TurnsNothing(ChangesFacts):
    def changed(self, found: SourceInfo) -> SourceInfo:
        video = found.video
        turned = attrs.evolve(video, width_px=video.height_px, height_px=video.width_px)
        return attrs.evolve(found, video=turned)


class RoundsRates(ChangesFacts):
    def changed(self, found: SourceInfo) -> SourceInfo:
        rate = Fraction(round(found.video.frame_rate))
        return attrs.evolve(found, video=attrs.evolve(found.video, frame_rate=rate))


class HearsTwoChannels(ChangesFacts):
    def changed(self, found: SourceInfo) -> SourceInfo:
        audio = tuple(attrs.evolve(track, channels=2) for track in found.audio)
        return attrs.evolve(found, audio=audio)


class LogsBesideTheSource(MadeBefore):
    def probe(self, workspace: Workspace) -> SourceInfo:
        workspace.source.with_suffix(".log").write_text("probed")
        return super().probe(workspace)


class GivesTheFirstResult(MadeBefore):
    first: PartDone | None = None

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        done = super().run(part, workspace)
        self.first = self.first or done
        return self.first


class WritesBesideItsFolder(MadeBefore):
    def run(self, part: Part, workspace: Workspace) -> PartDone:
        (workspace.folder.parent / "left-over").touch()
        return super().run(part, workspace)


class PublishesTitles(MadeBefore):
    def run(self, part: Part, workspace: Workspace) -> PartDone:
        done = super().run(part, workspace)
        with (workspace.folder / str(done.poster)).open("ab") as poster:
            poster.write(HIDDEN)
        return done


class DrawsNoJpeg(MadeBefore):
    def run(self, part: Part, workspace: Workspace) -> PartDone:
        done = super().run(part, workspace)
        (workspace.folder / str(done.poster)).write_bytes(b"\x89PNG")
        return done


class TakesSegmentsForPictures(ChangesTracks):
    def changed(self, track: Track, workspace: Workspace) -> Track:
        segments = [
            attrs.evolve(one, first_picture_bytes=one.file.size_bytes)
            for one in track.segments
        ]
        return attrs.evolve(track, segments=tuple(segments))


class StopsAtHalf(ChangesShares):
    def share(self, of: float) -> float:
        return of / 2


class SwallowsCtrlC(MadeBefore):
    def run(self, part: Part, workspace: Workspace) -> PartDone:
        with suppress(KeyboardInterrupt):
            workspace.check()
        return PartDone(tracks=())


class ProbesWithoutAsking(MadeBefore):
    def probe(self, workspace: Workspace) -> SourceInfo:
        found = super().probe(attrs.evolve(workspace, check=lambda: None))
        threading.Event().wait(1.6)
        return found


class AsksNobodyWhileProbing(ProbesWithoutAsking):
    """
    The same fault, which another test finds, too.
    """


PROBED: Final[dict[Path, SourceInfo]] = {}
MADE: Final[dict[Path, PartDone]] = {}
LEFT: Final[list["subprocess.Popen[bytes]"]] = []
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


@pytest.mark.parametrize("promise", sorted(_PROMISES))
def test_a_right_transcoder_passes(promise: str, clip: Path, tmp_path: Path) -> None:
    _run(MadeBefore, promise, clip, tmp_path)


@pytest.mark.cases(6)
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
