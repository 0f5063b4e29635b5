"""
Local transcoders that each break one promise of the kit.
"""

import shutil
import subprocess
import threading
import time
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Final

import attrs

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
from hvcore.testing.transcoder.known_sources import HIDDEN
from hvcore_transcoder_ffmpeg.backend import FfmpegTranscoder


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
