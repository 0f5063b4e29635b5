"""
Options that cannot work are refused before anything is submitted.
"""

from typing import Any

import pytest

from hvcore_transcoder_google.options import GoogleTranscoderOptions, label_pairs

PLACE = {"project": "our-videos", "location": "europe-west1"}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"project": "123456789012"},
        {"project": "example.com:our-videos"},
        {"location": "northamerica-northeast1"},
        {"writes_to": "gs://our_bucket/videos"},
        {"mode": "batch", "priority": 5},
        {"daily_limit": 10.0, "price_per_minute": 0.015, "currency": "EUR"},
        {"labels": ("team=video", "empty=")},
        {"endpoint": "http://127.0.0.1:8600"},
        {"credentials": '{"type": "service_account"}'},
    ],
)
def test_what_can_work_is_taken(more: dict[str, Any]) -> None:
    made = GoogleTranscoderOptions(**{**PLACE, **more})

    assert made.parent == f"projects/{made.project}/locations/{made.location}"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"project": "Our Videos"}, "project must be"),
        ({"location": "Europe"}, "location must be"),
        ({"credentials": "/etc/key.json"}, "credentials must be"),
        ({"credentials": "[1]"}, "credentials must be"),
        ({"endpoint": "example.com"}, "endpoint must be"),
        ({"writes_to": "s3://bucket"}, "writes_to must be"),
        ({"mode": "fast"}, "interactive or batch"),
        ({"priority": 3}, "set mode to batch"),
        ({"mode": "batch", "priority": -1}, "priority must be"),
        ({"daily_limit": 10.0}, "needs price_per_minute"),
        ({"daily_limit": -1.0}, "daily_limit must be"),
        ({"price_per_minute": -1.0}, "price_per_minute must be"),
        ({"currency": "U$"}, "currency must be"),
        ({"labels": ("Team=video",)}, "labels must be"),
        ({"labels": ("team",)}, "labels must be"),
        ({"labels": ("hvcore_key=1",)}, "labels must be"),
        ({"labels": tuple(f"n{n}=1" for n in range(61))}, "at most 60"),
        ({"deadline_s": 5}, "deadline_s must be"),
    ],
)
def test_what_cannot_work_is_refused_with_what_is_allowed(
    more: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        GoogleTranscoderOptions(**{**PLACE, **more})


def test_labels_are_pairs() -> None:
    assert label_pairs(("team=video", "empty=")) == {"team": "video", "empty": ""}
