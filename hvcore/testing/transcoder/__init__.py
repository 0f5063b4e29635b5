"""
The promises of transcoders, as tests.

A plugin's tests inherit and say what is transcoded. ``hvcore.testing.remote_transcoder``
is for those whose parts are made elsewhere.
"""

from math import isclose
from pathlib import Path

import pytest

from hvcore.domain.limits import SEGMENT_S
from hvcore.plugin_api import (
    EncodingSettings,
    Preset,
    SourceInfo,
    TranscodeOrder,
    Transcoder,
    Workspace,
    build_ladder,
)
from hvcore.testing.kit import Kit


class TranscoderConformance(Kit):
    """The promises of every transcoder about a plan."""

    @pytest.fixture
    def transcoder(self) -> Transcoder:
        """Make the transcoder."""
        raise NotImplementedError

    @pytest.fixture
    def workspace(self, tmp_path: Path) -> Workspace:
        """Make a workspace with a short video that the transcoder can use."""
        raise NotImplementedError

    @pytest.fixture
    def order(self, transcoder: Transcoder, workspace: Workspace) -> TranscodeOrder:
        """Make an order of what was probed; the usual preset."""
        return order_of(transcoder.probe(workspace))

    def test_the_transcoder_declares_its_capabilities(
        self, transcoder: Transcoder
    ) -> None:
        """The answer has a name and is the same each time, because it is kept."""
        able = transcoder.capabilities()

        assert able.name, "Capabilities.name is empty"
        assert transcoder.capabilities() == able, "it answers differently each time"

    def test_the_transcoder_probes_a_source(
        self, transcoder: Transcoder, workspace: Workspace
    ) -> None:
        """A source has pictures, a length and a size."""
        source = transcoder.probe(workspace)

        size_px = source.video.width_px, source.video.height_px
        assert source.duration_s > 0, f"SourceInfo.duration_s is {source.duration_s}"
        assert source.size_bytes > 0, f"SourceInfo.size_bytes is {source.size_bytes}"
        assert min(size_px) > 0, f"the pictures are {size_px[0]} x {size_px[1]} px"

    def test_a_plan_is_whole(
        self, transcoder: Transcoder, order: TranscodeOrder
    ) -> None:
        """Parts are numbered from 0, their weights add up to 1, and a plan can be repeated."""
        parts = transcoder.plan(order)

        assert parts, "plan returned no parts; a video is made in one part at least"
        assert [part.index for part in parts] == list(range(len(parts)))
        assert isclose(sum(part.weight for part in parts), 1.0, abs_tol=0.001), (
            f"the weights add up to {sum(part.weight for part in parts)}, and not to 1"
        )
        assert any(part.has_pictures for part in parts), "no part has_pictures"
        if order.ladder.audio:
            assert any(part.has_sound for part in parts), "no part has_sound"
        assert transcoder.plan(order) == parts, "plan answers differently each time"


def order_of(source: SourceInfo) -> TranscodeOrder:
    """Make an order of a source; the usual preset."""
    settings = EncodingSettings(preset=Preset.STANDARD)
    return TranscodeOrder(
        source=source,
        settings=settings,
        ladder=build_ladder(source, settings),
        segment_s=SEGMENT_S,
    )
