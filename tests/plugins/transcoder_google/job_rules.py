"""
What the Transcoder API refuses of a job, as far as its reference says so.

Names and types of members are checked by the client library's messages.
"""

import re
from collections.abc import Iterator

from google.cloud.video.transcoder_v1.types import (
    AudioStream,
    Job,
    JobConfig,
    SegmentSettings,
    VideoStream,
)

LABEL_NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")
LABEL_VALUE = re.compile(r"[a-z0-9_-]{0,63}")
AUDIO_CODECS = {"aac", "aac-he", "aac-he-v2", "mp3", "ac3", "eac3", "vorbis"}
PRESETS = {
    *("ultrafast", "superfast", "veryfast", "faster", "fast", "medium"),
    *("slow", "slower", "veryslow"),
}
CHANNELS = {"fl", "fr", "sl", "sr", "fc", "lfe"}


def problems(job: Job) -> Iterator[str]:
    """
    Name what is wrong with a job.
    """
    if len(job.labels) > 64:
        yield "labels: more than 64"
    for name, value in job.labels.items():
        if not LABEL_NAME.fullmatch(name) or not LABEL_VALUE.fullmatch(value):
            yield f"labels: {name}={value}"
    if not 1 <= job.ttl_after_completion_days <= 90:
        yield "ttl_after_completion_days"
    if (
        job.batch_mode_priority
        and job.mode is not Job.ProcessingMode.PROCESSING_MODE_BATCH
    ):
        yield "batch_mode_priority without batch mode"
    yield from _config(job.config)


def _config(config: JobConfig) -> Iterator[str]:
    yield from _places(config)
    yield from _names(config)
    for stream in config.elementary_streams:
        if "video_stream" in stream:
            yield from _video(stream.video_stream.h264)
        else:
            yield from _audio(stream.audio_stream)
    for mux in config.mux_streams:
        yield from _segments(mux.segment_settings, config)


def _places(config: JobConfig) -> Iterator[str]:
    for uri in (one.uri for one in config.inputs):
        if not re.fullmatch(r"gs://[^/]+/.+", uri):
            yield f"inputs.uri: {uri}"
    if not re.fullmatch(r"gs://[^/]+/.+/", config.output.uri):
        yield f"output.uri: {config.output.uri}"


def _names(config: JobConfig) -> Iterator[str]:
    inputs = [one.key for one in config.inputs]
    atoms = [one.key for one in config.edit_list]
    streams = [one.key for one in config.elementary_streams]
    muxes = [one.key for one in config.mux_streams]
    for keys in (inputs, atoms, streams, muxes):
        if len(keys) != len(set(keys)) or not all(keys):
            yield f"keys are not unique: {keys}"
    # What is named, and where it should be found.
    named = [(one.inputs, inputs) for one in config.edit_list]
    named += [(one.elementary_streams, streams) for one in config.mux_streams]
    named += [(one.mux_streams, muxes) for one in config.manifests]
    taken = [one for s in config.elementary_streams for one in s.audio_stream.mapping_]
    named += [([one.input_key], inputs) for one in taken]
    named += [([one.atom_key], atoms) for one in taken]
    yield from (
        f"{names} are not in {keys}" for names, keys in named if not {*names} <= {*keys}
    )


def _video(h264: VideoStream.H264CodecSettings) -> Iterator[str]:
    if h264.width_pixels % 2 or h264.height_pixels % 2:
        yield "h264: sizes must be even"
    if not 0 < h264.frame_rate <= 120:
        yield "h264.frame_rate"
    if not 1000 <= h264.bitrate_bps <= 800_000_000:
        yield "h264.bitrate_bps"
    if h264.profile not in {"baseline", "main", "high"}:
        yield f"h264.profile: {h264.profile}"
    if h264.pixel_format != "yuv420p":
        yield f"h264.pixel_format: {h264.pixel_format}"
    if h264.preset not in PRESETS:
        yield f"h264.preset: {h264.preset}"
    if h264.rate_control_mode not in {"vbr", "crf"}:
        yield f"h264.rate_control_mode: {h264.rate_control_mode}"
    if h264.enable_two_pass and h264.rate_control_mode != "vbr":
        yield "h264.enable_two_pass"


def _audio(audio: AudioStream) -> Iterator[str]:
    if audio.codec not in AUDIO_CODECS:
        yield f"audio.codec: {audio.codec}"
    if not 1 <= audio.channel_count <= 6:
        yield "audio.channel_count"
    if not set(audio.channel_layout) <= CHANNELS:
        yield f"audio.channel_layout: {audio.channel_layout}"
    if not 1 <= audio.bitrate_bps <= 10_000_000:
        yield "audio.bitrate_bps"


def _segments(settings: SegmentSettings, config: JobConfig) -> Iterator[str]:
    for stream in config.elementary_streams:
        gop = stream.video_stream.h264.gop_duration
        if gop and (settings.segment_duration < gop or settings.segment_duration % gop):
            yield f"segment_duration {settings.segment_duration} is no multiple of {gop}"
