"""
The promises of every transcoder of this machine, kept by ffmpeg.
"""

from pathlib import Path

import pytest

from hvcore.plugin_api import Transcoder, Workspace
from hvcore.testing.local_transcoder import LocalTranscoderConformance
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.plugin import build
from tests.plugins.transcoder_ffmpeg.clips import two_segments
from tests.plugins.transcoder_ffmpeg.conftest import make_context, make_workspace


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clip") / "two-segments.mp4"
    two_segments(made)
    return made


class TestFfmpegTranscoder(LocalTranscoderConformance):
    @pytest.fixture
    def transcoder(self, tmp_path: Path) -> Transcoder:
        return build(FfmpegOptions(), make_context(tmp_path))

    @pytest.fixture
    def workspace(self, source: Path, tmp_path: Path) -> Workspace:
        return make_workspace(source, tmp_path / "probe")
