"""
Options of plugins that are numbers, or lists with a greatest length, at their ends.
"""

from typing import Any, Final

import attrs
import pytest

from hvcore_analytics_duckdb.options import DuckdbOptions
from hvcore_analytics_redis.options import RedisOptions
from hvcore_auth_oidc.options import AccessTokenOptions
from hvcore_purge_http.options import HttpPurgeOptions
from hvcore_queue_sqs.options import SqsOptions
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_google.options import GoogleTranscoderOptions
from hvcore_transcoder_mediaconvert.options import MediaConvertOptions
from hvcore_transcriber_http.options import HttpTranscriberOptions
from hvcore_transcriber_whisper.options import WhisperOptions

DUCKDB: Final = (DuckdbOptions, {})
GOOGLE: Final = (
    GoogleTranscoderOptions,
    {"project": "our-videos", "location": "europe-west1"},
)
MEDIACONVERT: Final = (
    MediaConvertOptions,
    {"role": "arn:aws:iam::123456789012:role/R", "region": "eu-central-1"},
)
PURGE: Final = (HttpPurgeOptions, {"urls": "http://cache"})
SQS: Final = (SqsOptions, {})
TOKENS: Final = (
    AccessTokenOptions,
    {
        "issuer": "https://id.example.com",
        "audience": "videos",
        "organization": "org_acme",
        "environment": "*",
    },
)
TRANSCRIBER: Final = (HttpTranscriberOptions, {"url": "http://speech"})
Options = tuple[type[attrs.AttrsInstance], dict[str, Any]]
WEEK_S: Final = 604_800


def numbered(form: str, count: int) -> tuple[str, ...]:
    return tuple(form.format(number) for number in range(count))


@pytest.mark.parametrize(
    ("options", "name", "accepted", "refused"),
    [
        (DUCKDB, "threads", (1, 2), (0,)),
        (DUCKDB, "memory_mb", (128,), (127,)),
        ((DuckdbOptions, {"threads": 3}), "memory_mb", (192,), (191,)),
        ((RedisOptions, {"url": "redis://x"}), "max_entries", (1,), (0,)),
        (TOKENS, "max_lifetime_s", (1, WEEK_S), (0, WEEK_S + 1)),
        (PURGE, "most_prefixes", (1,), (0,)),
        (PURGE, "timeout_s", (0.001,), (0.0,)),
        (SQS, "prefix", ("p" * 71,), ("p" * 72,)),
        (SQS, "wait_s", (1, 20), (0, 21)),
        (SQS, "workers", (1,), (0,)),
        (SQS, "timeout_s", (0.001,), (0.0,)),
        ((FfmpegOptions, {}), "threads", (0, 64), (-1, 65)),
        (
            (GoogleTranscoderOptions, GOOGLE[1] | {"mode": "batch"}),
            "priority",
            (1000,),
            (1001,),
        ),
        (GOOGLE, "priority", (0,), (-1,)),
        (GOOGLE, "price_per_minute", (0, 999.9), (-0.1, 1000)),
        (GOOGLE, "deadline_s", (60, WEEK_S), (59, WEEK_S + 1)),
        (GOOGLE, "labels", (numbered("n{}=1", 60),), (numbered("n{}=1", 61),)),
        (MEDIACONVERT, "priority", (-50, 50), (-51, 51)),
        (MEDIACONVERT, "tags", (numbered("{}=1", 40),), (numbered("{}=1", 41),)),
        (MEDIACONVERT, "tags", (("n" * 128 + "=1",),), (("n" * 129 + "=1",),)),
        (MEDIACONVERT, "metadata", (("n=" + "v" * 256,),), (("n=" + "v" * 257,),)),
        (MEDIACONVERT, "tags", (("n=",),), (("=v",),)),
        (TRANSCRIBER, "timeout_s", (0.001,), (0.0,)),
        (TRANSCRIBER, "attempts", (1, 10), (0, 11)),
        (TRANSCRIBER, "daily_limit_s", (0,), (-1,)),
        (TRANSCRIBER, "max_answer_mb", (1, 1000), (0, 1001)),
        ((WhisperOptions, {"model": "base"}), "cpu_threads", (1, 64), (0, 65)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_option_may_be_what_its_bounds_say_and_nothing_beyond(
    options: Options,
    name: str,
    accepted: tuple[object, ...],
    refused: tuple[object, ...],
) -> None:
    kind, needed = options

    for value in accepted:
        assert getattr(kind(**needed | {name: value}), name) == value
    for value in refused:
        with pytest.raises(ValueError, match=name):
            kind(**needed | {name: value})
