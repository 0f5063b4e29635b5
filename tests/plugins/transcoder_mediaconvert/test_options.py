"""
Options that make no sense are refused with what to do; secrets are not shown.
"""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from hvcore.errors import ConfigError
from hvcore.settings import structure_options
from hvcore_transcoder_mediaconvert.options import MediaConvertOptions, pairs
from hvcore_transcoder_mediaconvert.plugin import hvcore_transcoders

NEEDED: Final = {
    "role": "arn:aws:iam::123456789012:role/Transcode",
    "region": "eu-central-1",
}


def made(**of: str) -> MediaConvertOptions:
    found: Mapping[str, Any] = {**NEEDED, **of}
    options = structure_options(found, MediaConvertOptions, path="transcoder.options")
    assert isinstance(options, MediaConvertOptions)
    return options


def test_role_and_region_are_enough() -> None:
    options = made()

    assert (options.price_class, options.daily_limit) == ("on-demand", 0)


@pytest.mark.parametrize("name", NEEDED)
def test_what_is_missing_is_named(name: str) -> None:
    found = {key: value for key, value in NEEDED.items() if key != name}

    with pytest.raises(ConfigError, match=name.upper()):
        structure_options(found, MediaConvertOptions, path="transcoder.options")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"role": "Transcode"}, "ARN of an IAM role"),
        ({"region": "Frankfurt"}, "eu-central-1"),
        ({"endpoint": "127.0.0.1:8500"}, "https://host"),
        ({"access_key": "AKIA"}, "secret_key belong together"),
        ({"writes_to": "/videos"}, "s3://bucket/videos"),
        ({"price_class": "cheap"}, "on-demand or reserved"),
        ({"price_class": "reserved"}, "needs queue"),
        (
            {"price_class": "reserved", "queue": "q", "acceleration": "ENABLED"},
            "not possible in a reserved queue",
        ),
        (
            {"price_class": "reserved", "queue": "q", "daily_limit": "5"},
            "for on-demand queues",
        ),
        ({"daily_limit": "5"}, "needs price_per_minute"),
        ({"daily_limit": "-5"}, "0 or more"),
        ({"price_per_minute": "-1"}, "from 0 to 1000"),
        ({"currency": "US dollars"}, "such as USD"),
        ({"acceleration": "FAST"}, "DISABLED, PREFERRED, ENABLED"),
        ({"priority": "51"}, "-50 to 50"),
        ({"tags": "team"}, "team=video"),
        ({"tags": "aws:team=video"}, "aws:"),
        ({"metadata": "hvcore-key=mine"}, "hvcore-key"),
        ({"deadline_s": "1"}, "60 to 604800"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        made(**wrong)


def test_the_secret_is_not_shown() -> None:
    options = made(access_key="AKIALOCAL", secret_key="a-secret")

    assert "a-secret" not in repr(options)
    with pytest.raises(ConfigError, match="secret_key") as refused:
        made(access_key="AKIALOCAL", secret_key="a-secret\nb")
    assert "a-secret" not in str(refused.value)


def test_pairs_may_have_equals_signs_in_their_values() -> None:
    options = made(tags="team=video, formula=a=b")

    assert dict(pairs(options.tags)) == {"team": "video", "formula": "a=b"}


def test_the_backend_is_offered_with_its_extra() -> None:
    (offered,) = hvcore_transcoders()

    assert (offered.name, offered.extra) == ("mediaconvert", "mediaconvert")
