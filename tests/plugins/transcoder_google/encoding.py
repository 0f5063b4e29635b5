"""
What a job of the Transcoder API wants, made by the encoder of hv-mediaconvert.

Names of files are those of the API's reference: ``KEY0000000000.m4s`` from 0 on,
``KEY-init.m4s``, ``KEY.m3u8``.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Final

from google.cloud.video.transcoder_v1.types import ElementaryStream, JobConfig

from hvcore_mediaconvert_local.encoding.encode_plan import (
    AudioPlan,
    Destination,
    EncodePlan,
    GroupKind,
    GroupPlan,
    OutputPlan,
    VideoPlan,
)
from hvcore_mediaconvert_local.encoding.encoder_arguments import (
    MEDIA_PLAYLIST,
    arguments_of,
    output_folder,
)
from hvcore_mediaconvert_local.encoding.source_facts import SourceFacts
from hvcore_mediaconvert_local.programs import EncodingPrograms

SEGMENT: Final = re.compile(r"segment_(\d+)\.cmf[va]")
INIT: Final = re.compile(r"init\.cmf[va]")


def encode(config: JobConfig, source: Path, folder: Path) -> Iterator[tuple[Path, str]]:
    """
    Make the files of a job.

    Yields:
        Each with the name that it gets in the target.
    """
    programs = EncodingPrograms.find(None, None)
    plan = _plan(config)
    for index in range(len(config.mux_streams)):
        output_folder(folder, 0, index).mkdir()
    facts = SourceFacts.read(programs.probe(source))
    programs.encode(
        arguments_of(plan, facts, source, folder, "ultrafast"),
        folder,
        check=lambda: None,
        report=lambda _: None,
    )
    for index, mux in enumerate(config.mux_streams):
        made = output_folder(folder, 0, index)
        rename = partial(_named, mux.key)
        playlist = folder / f"{mux.key}.m3u8"
        listed = (made / MEDIA_PLAYLIST).read_text(encoding="utf-8")
        listed = INIT.sub(rename, SEGMENT.sub(rename, listed))
        playlist.write_text(listed, encoding="utf-8")
        yield playlist, playlist.name
        for path in sorted(made.iterdir()):
            for pattern in (SEGMENT, INIT):
                if pattern.fullmatch(path.name):
                    yield path, pattern.sub(rename, path.name)


def _named(key: str, found: re.Match[str]) -> str:
    if found.re is INIT:
        return f"{key}-init.m4s"
    return f"{key}{int(found[1]) - 1:010d}.m4s"


def _plan(config: JobConfig) -> EncodePlan:
    streams = {one.key: one for one in config.elementary_streams}
    segment = config.mux_streams[0].segment_settings.segment_duration
    outputs = tuple(_output(streams[mux.key]) for mux in config.mux_streams)
    group = GroupPlan(
        kind=GroupKind.CMAF,
        destination=Destination(bucket="", key=""),
        segment_s=round(segment.total_seconds()),
        is_single_file=False,
        writes_hls=True,
        writes_dash=False,
        outputs=outputs,
    )
    return EncodePlan(source="", rotate="AUTO", groups=(group,))


def _output(stream: ElementaryStream) -> OutputPlan:
    is_video = "video_stream" in stream
    return OutputPlan(
        name_modifier="",
        container="CMFC",
        extension="",
        segment_modifier="",
        audio_group="",
        audio_sets=(),
        is_default_audio=False,
        video=_video(stream) if is_video else None,
        audios=() if is_video else (_audio(stream),),
    )


def _video(stream: ElementaryStream) -> VideoPlan:
    h264 = stream.video_stream.h264
    return VideoPlan(
        codec="H_264",
        width_px=h264.width_pixels,
        height_px=h264.height_pixels,
        scaling="STRETCH_TO_OUTPUT",
        rate_mode="VBR",
        bitrate=h264.bitrate_bps,
        max_bitrate=None,
        quality_level=0.0,
        gop_size=h264.gop_duration.total_seconds(),
        is_gop_in_seconds=True,
        frame_rate=Fraction(h264.frame_rate).limit_denominator(1001),
        b_frames=h264.b_frame_count,
        has_scene_cuts=False,
        profile="HIGH",
        tag="",
    )


def _audio(stream: ElementaryStream) -> AudioPlan:
    audio = stream.audio_stream
    return AudioPlan(
        track=0,
        bitrate=audio.bitrate_bps,
        sample_rate_hz=audio.sample_rate_hertz,
        channels=audio.channel_count,
        language="",
        name="",
    )
