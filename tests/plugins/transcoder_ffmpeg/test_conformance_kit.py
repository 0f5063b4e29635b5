"""
The promises of every transcoder of this machine, kept by ffmpeg.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from hv_transcoder_ffmpeg.options import FfmpegOptions
from hv_transcoder_ffmpeg.plugin import build
from hvcore.plugin_api import Transcoder, Workspace
from hvcore.testing.local_transcoder import LocalTranscoderConformance
from tests.plugins.transcoder_ffmpeg.conftest import make_context, make_workspace


class TestFfmpegTranscoder(LocalTranscoderConformance):
    @pytest.fixture
    def transcoder(self, tmp_path: Path) -> Transcoder:
        return build(FfmpegOptions(), make_context(tmp_path))

    @pytest.fixture
    def workspace(self, clip: Callable[[str], Path], tmp_path: Path) -> Workspace:
        return make_workspace(clip("plain.mp4"), tmp_path / "probe")
