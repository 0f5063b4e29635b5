"""
Our ladders as jobs for the Transcoder API: its own messages take them.
"""

from datetime import timedelta
from typing import Any, Final

import attrs
import pytest
from google.cloud.video.transcoder_v1.types import Job

from hvcore.plugin_api import (
    AudioCodec,
    PixelFormat,
    TranscodeOrder,
    UnusableSourceError,
)
from hvcore_transcoder_google.abilities import (
    NOT_CONSTANT,
    TOO_SHORT,
    capabilities,
    check_order,
    objection,
    warnings_of,
)
from hvcore_transcoder_google.job_requests import (
    GoogleJobSettings,
    GoogleJobSource,
    job_request,
)
from tests.plugins.transcoder_google.job_rules import problems
from tests.plugins.transcoder_google.orders import ORDERS, order_of, source

USUAL: Final = GoogleJobSettings()


def job_of(
    order: TranscodeOrder,
    settings: GoogleJobSettings = USUAL,
    *,
    is_turned: bool = False,
    key: str = "Job_1-0",
) -> Job:
    return Job(
        job_request(
            order,
            settings,
            source=GoogleJobSource(address="gs://in/source.mp4", is_turned=is_turned),
            target_address="gs://out/parts/1",
            key=key,
        )
    )


def h264_of(job: Job) -> list[Any]:
    return [
        one.video_stream.h264
        for one in job.config.elementary_streams
        if "video_stream" in one
    ]


def sounds_of(job: Job) -> list[Any]:
    return [
        one.audio_stream
        for one in job.config.elementary_streams
        if "audio_stream" in one
    ]


@pytest.mark.parametrize("name", ORDERS)
def test_the_apis_own_messages_take_every_job(name: str) -> None:
    job = job_of(ORDERS[name])

    assert list(problems(job)) == []
    # And they survive the way over HTTP.
    assert Job.from_json(Job.to_json(job)).config == job.config


def test_rungs_have_the_ladders_sizes_rates_and_names() -> None:
    order = order_of()
    job = job_of(order)

    found = [(h.width_pixels, h.height_pixels, h.bitrate_bps) for h in h264_of(job)]

    rungs = order.ladder.rungs
    assert found == [(r.width_px, r.height_px, r.video_kbps * 1000) for r in rungs]
    assert [mux.key for mux in job.config.mux_streams] == [
        *("video-360p", "video-480p", "video-720p", "audio"),
    ]
    (manifest,) = job.config.manifests
    assert list(manifest.mux_streams) == [mux.key for mux in job.config.mux_streams]


@pytest.mark.parametrize("duration_s", [60.0, 5.123457])
def test_no_more_is_made_than_the_length_that_was_estimated(duration_s: float) -> None:
    # The headers of a file may say less than it has.
    (atom,) = job_of(order_of(source(2, duration_s=duration_s))).config.edit_list

    assert atom.end_time_offset == timedelta(seconds=duration_s)


def test_each_stream_has_segments_in_files_of_their_own() -> None:
    muxes = job_of(order_of()).config.mux_streams

    assert {mux.container for mux in muxes} == {"fmp4"}
    assert all(mux.segment_settings.individual_segments for mux in muxes)
    assert [list(mux.elementary_streams) for mux in muxes] == [[m.key] for m in muxes]


@pytest.mark.parametrize(
    ("name", "gop_s"), [("usual", 2.002), ("quick", 2.002), ("slow", 2.04)]
)
def test_segments_are_whole_gops_of_whole_frames(name: str, gop_s: float) -> None:
    job = job_of(ORDERS[name])

    (gop,) = {h.gop_duration for h in h264_of(job)}
    (segment,) = {
        mux.segment_settings.segment_duration for mux in job.config.mux_streams
    }

    assert gop == timedelta(seconds=gop_s)
    assert segment == 3 * gop


def test_sizes_are_those_before_a_source_is_turned() -> None:
    order = ORDERS["upright"]

    upright, turned = h264_of(job_of(order)), h264_of(job_of(order, is_turned=True))

    assert (upright[0].width_pixels, upright[0].height_pixels) == (360, 640)
    assert (turned[0].width_pixels, turned[0].height_pixels) == (640, 360)


def test_hdr_is_mapped_and_fields_become_frames() -> None:
    plain = job_of(order_of())
    mapped = job_of(ORDERS["hdr and interlaced"])

    assert "sdr" not in h264_of(plain)[0]
    assert "sdr" in h264_of(mapped)[0]
    assert "preprocessing_config" not in plain.config.inputs[0]
    assert "bwdif" in mapped.config.inputs[0].preprocessing_config.deinterlace


def test_a_constant_rate_is_made_as_near_as_can_be_and_told() -> None:
    (first, *_) = h264_of(job_of(ORDERS["constant"]))

    assert first.vbv_size_bits == first.bitrate_bps // 2
    assert warnings_of(ORDERS["constant"]) == (NOT_CONSTANT,)
    assert warnings_of(order_of()) == ()


def test_a_single_track_is_mixed_by_the_service() -> None:
    (sound,) = sounds_of(job_of(order_of(source(6))))

    assert sound.channel_count == 2
    assert not sound.mapping_


def test_of_several_tracks_each_is_taken_and_mixed() -> None:
    sounds = sounds_of(job_of(ORDERS["many tracks"]))

    found = [
        [
            (one.input_track, one.input_channel, one.output_channel, one.gain_db)
            for one in sound.mapping_
        ]
        for sound in sounds[:3]
    ]

    assert found == [
        [(1, 0, 0, 0), (1, 1, 1, 0)],
        [(2, 0, 0, 0)],
        [
            *((3, 0, 0, 0), (3, 1, 1, 0), (3, 2, 0, -3), (3, 2, 1, -3)),
            *((3, 4, 0, -3), (3, 5, 1, -3)),
        ],
    ]


def test_surround_sound_of_one_of_several_tracks_stays_so_if_asked_for() -> None:
    (surround, *_) = sounds_of(job_of(ORDERS["ac3"]))

    assert surround.codec == "ac3"
    assert list(surround.channel_layout) == ["fl", "fr", "fc", "lfe", "sl", "sr"]
    assert [one.output_channel for one in surround.mapping_] == list(range(6))


def test_a_track_has_its_language_and_its_title() -> None:
    order = order_of()
    (sound,) = order.ladder.audio
    named = attrs.evolve(sound, language="fra", title="Commentaire")

    (made,) = sounds_of(
        job_of(attrs.evolve(order, ladder=attrs.evolve(order.ladder, audio=(named,))))
    )

    assert (made.language_code, made.display_name) == ("fra", "Commentaire")


def test_a_key_gives_the_same_label_each_time() -> None:
    labels = [
        job_of(order_of(), key=key).labels["hvcore_key"]
        for key in ("Upper_Case-0", "Upper_Case-0", "Upper_Case-1")
    ]

    assert labels[0] == labels[1] != labels[2]
    # The same in every version: a job of the one before is found by it.
    assert labels[0] == "e7e8d148bd7b343123a62b8a9cd4d57b0afd5e85"


def test_only_batch_jobs_have_a_priority() -> None:
    settings = GoogleJobSettings(mode="batch", priority=7, labels={"team": "video"})

    job = job_of(order_of(), settings)

    assert job.mode is Job.ProcessingMode.PROCESSING_MODE_BATCH
    assert job.batch_mode_priority == 7
    assert job.labels["team"] == "video"
    assert list(problems(job)) == []
    assert not job_of(order_of()).batch_mode_priority


def test_what_the_service_cannot_do_is_among_no_capabilities() -> None:
    found = capabilities()

    assert found.pixel_formats == {PixelFormat.YUV420P}
    assert AudioCodec.MP3 not in found.audio_codecs
    assert all(lack.is_refused for lack in found.lacks)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (order_of(source(2, duration_s=4.9)), TOO_SHORT),
        (order_of(source(2, width_px=2160, height_px=3840)), ""),
        (
            order_of(
                source(2, width_px=4320, height_px=7680),
                ORDERS["large"].settings.preset,
            ),
            "1440x2560 pixels",
        ),
    ],
    ids=["short", "upright", "too high"],
)
def test_what_cannot_be_expressed_is_refused_in_plain_words(
    order: TranscodeOrder, words: str
) -> None:
    if not words:
        assert objection(order) == ""
        return

    with pytest.raises(UnusableSourceError, match=words):
        check_order(order)
