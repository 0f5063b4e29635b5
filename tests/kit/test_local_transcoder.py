"""
The kit of transcoders of this machine lets a right one pass, and catches a wrong one.
"""

import subprocess
import threading
from collections.abc import Iterator, Mapping
from inspect import signature
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from hv_transcoder_ffmpeg.backend import FfmpegTranscoder
from hv_transcoder_ffmpeg.options import FfmpegOptions
from hvcore.plugin_api import (
    Part,
    PartDone,
    SourceInfo,
    Track,
    TranscodeError,
    UnusableSourceError,
    Workspace,
)
from hvcore.testing.local_transcoder import LocalTranscoderConformance, parts_made
from hvcore.testing.transcoder import order_of
from tests.plugins.transcoder_ffmpeg.clips import CLIPS
from tests.plugins.transcoder_ffmpeg.conftest import make_context, make_workspace


class ChangesTracks(FfmpegTranscoder):
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


class MakesNoSound(FfmpegTranscoder):
    def run(self, part: Part, workspace: Workspace) -> PartDone:
        done = super().run(part, workspace)
        return attrs.evolve(done, tracks=tuple(one for one in done.tracks if one.rung))


class ProbesTwiceTheLength(FfmpegTranscoder):
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
        threading.Event().wait(0.5)
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


LEFT: Final[list["subprocess.Popen[bytes]"]] = []
_FILES: Final = "test_files_are_what_tracks_say"
_LENGTH: Final = "test_every_rendition_lasts_as_long_as_the_source"
_RULES: Final = "test_what_is_made_can_be_published"
_STOP: Final = "test_work_that_is_not_wanted_ends"
_LETTER: Final = "test_what_is_no_video_is_unusable"
WRONG: Final[Mapping[type[FfmpegTranscoder], str]] = {
    TellsAnotherHash: _FILES,
    LeavesItsPlaylist: _FILES,
    MakesNoSound: _LENGTH,
    ProbesTwiceTheLength: _LENGTH,
    RoundsDurations: _RULES,
    TellsAnotherCodec: _RULES,
    NeverAsks: _STOP,
    LeavesItsProgram: _STOP,
    BlamesTheAttempt: _LETTER,
    NamesTheFile: _LETTER,
}


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clip") / "plain.mp4"
    CLIPS["plain.mp4"](made)
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

    assert set(WRONG.values()) == promises


@pytest.mark.parametrize("promise", sorted(set(WRONG.values())))
def test_a_right_transcoder_passes(promise: str, clip: Path, tmp_path: Path) -> None:
    _run(FfmpegTranscoder, promise, clip, tmp_path)


@pytest.mark.usefixtures("_ended")
@pytest.mark.parametrize("kind", WRONG, ids=lambda kind: kind.__name__)
def test_a_wrong_transcoder_is_caught(
    kind: type[FfmpegTranscoder], clip: Path, tmp_path: Path
) -> None:
    # pytest.fail raises what is no Exception.
    with pytest.raises((AssertionError, TranscodeError, pytest.fail.Exception)):
        _run(kind, WRONG[kind], clip, tmp_path)


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
    }
    wanted = signature(getattr(kit, promise)).parameters
    if "order" in wanted:
        values["order"] = order_of(transcoder.probe(workspace))
    if "made" in wanted:
        order = values.get("order") or order_of(transcoder.probe(workspace))
        values["made"] = tuple(parts_made(transcoder, order, workspace, folder))
    getattr(kit, promise)(**{name: values[name] for name in wanted})
