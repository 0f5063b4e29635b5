"""
A transcoder that makes frames of one colour, for tests of pictures at moments.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
from PIL import Image

from hvcore.domain.processing.transcoding import Capabilities, FrameSpan
from hvcore.ports.transcoder import Workspace
from tests.support.fakes import TextTranscoder


class FramePhotographer(TextTranscoder):
    """
    Makes frames of one colour, and remembers of what.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[bytes, float]] = []
        self.spans: list[FrameSpan] = []
        self.niceness: list[int] = []
        self.meanwhile: Callable[[], None] = lambda: None
        self.is_usable = True

    def capabilities(self) -> Capabilities:
        return attrs.evolve(super().capabilities(), usable=self.is_usable)

    def still(self, workspace: Workspace, at_s: float) -> Path:
        self._note(workspace, at_s)
        made = workspace.folder / "any.jpg"
        Image.new("RGB", (64, 36), "lime").save(made)
        self.meanwhile()
        return made

    def frames(self, workspace: Workspace, span: FrameSpan) -> Sequence[Path]:
        self._note(workspace, span.start_s)
        self.spans.append(span)
        paths = []
        for number in range(span.count):
            paths.append(workspace.folder / f"{number}.jpg")
            colour = (number * 37 % 256, number * 91 % 256, 128)
            Image.new("RGB", (span.width_px, span.height_px), colour).save(paths[-1])
        self.meanwhile()
        return paths

    def _note(self, workspace: Workspace, at_s: float) -> None:
        self.seen.append((workspace.source.read_bytes(), at_s))
        self.niceness.append(workspace.niceness)
