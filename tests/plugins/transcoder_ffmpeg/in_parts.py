"""
A source made into a video in as many parts as there are workers.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from hvcore.plugin_api import (
    MediaIndex,
    PartDone,
    Track,
    TranscodeOrder,
    Transcoder,
)
from hvcore_transcoder_ffmpeg.parts import Cutting, cut
from tests.plugins.transcoder_ffmpeg.conftest import make_order, make_workspace
from tests.plugins.transcoder_ffmpeg.playing import joined


@attrs.frozen(kw_only=True)
class Made:
    """
    A video as it would be published, and what it was made of.
    """

    order: TranscodeOrder
    done: tuple[PartDone, ...]
    media: MediaIndex
    folder: Path

    @property
    def video(self) -> Track:
        """
        The only rung.
        """
        return self.media.tracks[0].track

    @property
    def file(self) -> Path:
        """
        The video's segments as one file.
        """
        return joined(self.folder, self.video)


_CUTTING = Cutting(min_segments=2)
"""Shorter parts than are worth it, so that sources may be short."""

Make = Callable[..., Made]


def maker(transcoder: Transcoder, place: Path) -> Make:
    """
    Return what makes a source into a video under a folder.
    """

    def run(
        source: Path,
        *,
        workers: int,
        cutting: Cutting = _CUTTING,
        is_seekable: bool = True,
        **settings: Any,  # noqa: ANN401
    ) -> Made:
        folder = place / f"made-by-{workers}"
        info = transcoder.probe(make_workspace(source, folder / "probe"))
        order = make_order(attrs.evolve(info, is_seekable=is_seekable), **settings)
        order = attrs.evolve(order, workers=workers, still_interval_s=5)
        done = []
        for part in cut(order, cutting):
            workspace = make_workspace(source, folder / f"p{part.index}")
            result = transcoder.run(part, workspace)
            assert isinstance(result, PartDone)
            done.append((f"p{part.index}", result))
        media = transcoder.assemble(order, done)
        _publish(folder, media)
        return Made(
            order=order,
            done=tuple(part for _, part in done),
            media=media,
            folder=folder / "published",
        )

    return run


def _publish(folder: Path, media: MediaIndex) -> None:
    for published in media.tracks:
        name = published.track.name
        target = folder / "published" / name
        target.mkdir(parents=True)
        for piece in published.pieces:
            made = folder / piece.folder / name
            shutil.copy(made / "init.m4s", target)
            for number in range(piece.first_number, piece.first_number + piece.count):
                shutil.copy(made / f"{number}.m4s", target)
