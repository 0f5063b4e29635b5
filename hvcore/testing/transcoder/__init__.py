"""
The promises of transcoders, as tests.

A plugin's tests inherit and say what is transcoded. ``hvcore.testing.local_transcoder`` is
for transcoders that make videos on this machine, ``hvcore.testing.remote_transcoder`` for
transcoders whose parts a remote service makes.
"""

from collections.abc import Sequence
from math import isclose
from pathlib import Path

import pytest

from hvcore.domain.limits import SEGMENT_S
from hvcore.plugin_api import (
    EncodingSettings,
    Part,
    Preset,
    SourceInfo,
    TranscodeOrder,
    Transcoder,
    Workspace,
    build_ladder,
)
from hvcore.testing.kit import Kit
from hvcore.testing.transcoder.started_programs import noting_starts


class TranscoderConformance(Kit):
    """The tests of the promises of every transcoder about capabilities, probing and plans: subclass it for a plugin."""

    @pytest.fixture
    def transcoder(self) -> Transcoder:
        """Return the transcoder under test."""
        raise NotImplementedError

    @pytest.fixture
    def workspace(self, tmp_path: Path) -> Workspace:
        """Return a workspace with a short video that the transcoder can use."""
        raise NotImplementedError

    @pytest.fixture
    def order(self, transcoder: Transcoder, workspace: Workspace) -> TranscodeOrder:
        """Return an order for the probed source with the standard preset."""
        return order_of(transcoder.probe(workspace))

    def test_the_transcoder_declares_its_capabilities(
        self, transcoder: Transcoder
    ) -> None:
        """The transcoder declares capabilities that have a name and are the same each time."""
        able = transcoder.capabilities()

        assert able.name, "Capabilities.name is empty"
        assert transcoder.capabilities() == able, "it answers differently each time"

    def test_capabilities_come_from_memory(self, transcoder: Transcoder) -> None:
        """After the first call, ``capabilities`` starts no program and asks no server."""
        transcoder.capabilities()

        with noting_starts() as started:
            transcoder.capabilities()

        assert not started, (
            f"capabilities() runs or asks each time: {', '.join(started)}"
        )

    def test_the_transcoder_probes_a_source(
        self, transcoder: Transcoder, workspace: Workspace
    ) -> None:
        """Probing a source finds a picture size, a duration and a size in bytes."""
        source = transcoder.probe(workspace)

        size_px = source.video.width_px, source.video.height_px
        assert source.duration_s > 0, f"SourceInfo.duration_s is {source.duration_s}"
        assert source.size_bytes > 0, f"SourceInfo.size_bytes is {source.size_bytes}"
        assert min(size_px) > 0, f"the pictures are {size_px[0]} x {size_px[1]} px"

    def test_a_plan_is_whole(
        self, transcoder: Transcoder, order: TranscodeOrder
    ) -> None:
        """A plan has numbered parts that cover the whole video, weights that sum to 1, and is the same each time."""
        parts = transcoder.plan(order)

        assert parts, "plan returned no parts; a video is made in one part at least"
        assert [part.index for part in parts] == list(range(len(parts)))
        assert isclose(sum(part.weight for part in parts), 1.0, abs_tol=0.001), (
            f"the weights add up to {sum(part.weight for part in parts)}, and not to 1"
        )
        assert all(0 < part.weight <= 1 for part in parts), (
            f"weights are shares of the work: {[part.weight for part in parts]}"
        )
        _require_whole([part for part in parts if part.has_pictures])
        if order.ladder.audio:
            assert any(part.has_sound for part in parts), "no part has_sound"
        with noting_starts() as started:
            assert transcoder.plan(order) == parts, "plan answers differently each time"
        assert not started, f"plan is to be pure, and runs {', '.join(started)}"


def _require_whole(parts: Sequence[Part]) -> None:
    """Assert that the parts with pictures follow each other from 0 to the end."""
    assert parts, "no part has_pictures"
    begins = [part.start_s for part in parts]
    ends = [part.end_s for part in parts]
    assert begins == [0.0, *ends[:-1]], (
        f"parts with pictures are to follow each other: they begin at {begins} s and end "
        f"at {ends}"
    )
    assert ends[-1] is None, (
        f"the last part with pictures ends at {ends[-1]} s; end_s=None is the source's end"
    )


def order_of(source: SourceInfo) -> TranscodeOrder:
    """Return an order for a source with the standard preset."""
    settings = EncodingSettings(preset=Preset.STANDARD)
    return TranscodeOrder(
        source=source,
        settings=settings,
        ladder=build_ladder(source, settings),
        segment_s=SEGMENT_S,
    )
