"""
A transcoder, sources, and what it makes of them.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import attrs
import pytest

from hvcore.clock import SystemClock
from hvcore.plugin_api import (
    BuildContext,
    EncodingSettings,
    Part,
    PartDone,
    Preset,
    SourceInfo,
    TranscodeOrder,
    Transcoder,
    Workspace,
    build_ladder,
)
from hvcore_transcoder_ffmpeg.encode.spans import Span
from hvcore_transcoder_ffmpeg.engine.binaries import find_candidates
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.plugin import build
from tests.plugins.transcoder_ffmpeg.clips import CLIPS


@attrs.frozen(kw_only=True)
class Encoded:
    """
    A finished job.
    """

    info: SourceInfo
    order: TranscodeOrder
    done: PartDone
    folder: Path
    reports: list[float]

    @property
    def span(self) -> Span:
        """
        The frames of a job of one part.
        """
        return Span.of(Part(index=0, order=self.order))


class NoKeys:
    """
    A key book that a transcoder has no use for.
    """

    def find(self, sha256: str) -> None:
        raise AssertionError(sha256)

    def note_use(self, key: object, at: object) -> None:
        raise AssertionError(key, at)


class NoDatabase:
    """
    A database that nobody needs.
    """

    def reading(self) -> NoReturn:
        raise AssertionError

    def writing(self, *, timeout_ms: int | None = None) -> NoReturn:
        raise AssertionError(timeout_ms)


def make_context(folder: Path) -> BuildContext:
    """
    Return a context whose folders lie in the given one.
    """
    return BuildContext(
        clock=SystemClock(),
        state_dir=folder / "state",
        work_dir=folder / "work",
        keys=NoKeys(),
        database=NoDatabase(),
    )


def make_workspace(source: Path, folder: Path, **changes: Any) -> Workspace:  # noqa: ANN401
    """
    Return a workspace that nobody stops.
    """
    folder.mkdir(parents=True, exist_ok=True)
    quiet = Workspace(
        source=source, folder=folder, report=lambda _: None, check=lambda: None
    )
    return attrs.evolve(quiet, **changes)


def make_order(info: SourceInfo, **settings: Any) -> TranscodeOrder:  # noqa: ANN401
    """
    Return an order of the preset ``standard``, if no other is named.
    """
    wanted = EncodingSettings(**{"preset": Preset.STANDARD, **settings})
    return TranscodeOrder(
        source=info,
        settings=wanted,
        ladder=build_ladder(info, wanted),
        segment_s=6,
    )


@pytest.fixture(scope="session")
def context(tmp_path_factory: pytest.TempPathFactory) -> BuildContext:
    """
    Folders that keep what ffmpeg can do over all tests.
    """
    return make_context(tmp_path_factory.mktemp("machine"))


@pytest.fixture(scope="session")
def transcoder(context: BuildContext) -> Transcoder:
    """
    The backend with its default options.
    """
    return build(FfmpegOptions(), context)


@pytest.fixture(scope="session")
def wheel_transcoder(context: BuildContext) -> Transcoder:
    """
    The backend with the programs of the Python packages, as README gives them.
    """
    (binaries,) = (one for one in find_candidates() if one.origin == "Python packages")
    options = FfmpegOptions(ffmpeg=binaries.ffmpeg, ffprobe=binaries.ffprobe)
    return build(options, context)


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """
    Gives a source by its name; each is made once.
    """
    folder = tmp_path_factory.mktemp("clips")

    def give(name: str) -> Path:
        path = folder / name
        if not path.exists():
            CLIPS[name](path)
        return path

    return give


@pytest.fixture
def probe(transcoder: Transcoder, tmp_path: Path) -> Callable[[Path], SourceInfo]:
    """
    Probes a source.
    """

    def run(source: Path) -> SourceInfo:
        return transcoder.probe(make_workspace(source, tmp_path / "probe"))

    return run


@pytest.fixture
def encode(transcoder: Transcoder, tmp_path: Path) -> Callable[..., Encoded]:
    """
    Probes and encodes a source with the given settings.
    """

    def run(source: Path, **settings: Any) -> Encoded:  # noqa: ANN401
        reports: list[float] = []
        workspace = make_workspace(source, tmp_path / "job", report=reports.append)
        info = transcoder.probe(workspace)
        order = make_order(info, **settings)
        (part,) = transcoder.plan(order)
        done = transcoder.run(part, workspace)
        assert isinstance(done, PartDone)
        return Encoded(
            info=info,
            order=order,
            done=done,
            folder=workspace.folder,
            reports=reports,
        )

    return run
