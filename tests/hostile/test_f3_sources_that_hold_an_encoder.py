"""
Sources and settings that keep one encoder for a long time.
"""

import resource
from pathlib import Path

import pytest

from hvcore.plugin_api import (
    PixelFormat,
    Preset,
    Speed,
    Transcoder,
    UnusableSourceError,
)
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.parts import Cutting, cut
from hvcore_transcoder_ffmpeg.plugin import build
from hvcore_transcoder_ffmpeg.work import encoding_s
from tests.plugins.transcoder_ffmpeg.conftest import make_context, make_workspace
from tests.plugins.transcoder_ffmpeg.encode.test_spans import make_source_order
from tests.plugins.transcoder_ffmpeg.tiny_packets import tiny_packets

PACKETS = 1_000_000


@pytest.fixture(scope="module")
def transcoder(tmp_path_factory: pytest.TempPathFactory) -> Transcoder:
    return build(FfmpegOptions(), make_context(tmp_path_factory.mktemp("transcoder")))


def children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.services
def test_a_flood_of_tiny_packets_is_refused_after_a_part_of_it(
    transcoder: Transcoder, tmp_path: Path
) -> None:
    source = tmp_path / "flood.mkv"
    tiny_packets(source, PACKETS)
    before_s = children_cpu_s()

    # Once and for all: it is tried no second time.
    with pytest.raises(UnusableSourceError, match="more than 5,000 packets a second"):
        transcoder.probe(make_workspace(source, tmp_path / "work"))

    # All of it takes some 16 microseconds a packet.
    assert children_cpu_s() - before_s < PACKETS * 8e-6


@pytest.mark.services
def test_the_same_video_with_an_honest_number_of_packets_is_taken(
    transcoder: Transcoder, tmp_path: Path
) -> None:
    source = tmp_path / "plain.mkv"
    tiny_packets(source, 5_000)

    info = transcoder.probe(make_workspace(source, tmp_path / "work"))

    assert info.duration_s == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("short_edge_px", [180, 360])
@pytest.mark.parametrize("is_seekable", [True, False])
def test_the_dearest_settings_hold_an_encoder_for_a_minute_or_one_segment(
    short_edge_px: int, *, is_seekable: bool
) -> None:
    order = make_source_order(
        120.0,
        short_edge_px=short_edge_px,
        is_seekable=is_seekable,
        preset=Preset.ULTRA,
        pixel_format=PixelFormat.YUV420P12B,
        speed=Speed.ULTRASLOW,
        two_pass=True,
    )

    parts = [part for part in cut(order, Cutting(cores=2)) if part.has_pictures]

    lengths_s = [(part.end_s or 120.0) - part.start_s for part in parts]
    assert all(
        length_s <= 6 or length_s * encoding_s(order, cores=2) <= 60
        for length_s in lengths_s
    )
