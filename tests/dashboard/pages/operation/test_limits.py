"""
Limits of organizations, as a form shows and reads them.
"""

import pytest

from hvcore.domain.access.quotas import QuotaLimits
from hvcore.errors import InvalidParametersError
from hvcore_dashboard.pages.operation.limits import (
    LIMIT_FIELDS,
    WEIGHT,
    limit_texts,
    read_limits,
    stored_limits,
)

GIB = 1024**3


def test_a_form_shows_limits_as_people_write_them() -> None:
    limits = QuotaLimits(concurrent_encodes=3, stored_bytes=500 * GIB, weight=2.5)

    texts = limit_texts(limits)

    assert texts.pop(WEIGHT) == "2.5"
    assert texts.pop("concurrent_encodes") == "3"
    assert texts.pop("stored_bytes") == "500 GB"
    assert set(texts.values()) == {""}
    assert len(texts) == len(LIMIT_FIELDS) - 2


def test_a_form_is_read_as_it_is_shown() -> None:
    texts = {
        "concurrent_encodes": "3",
        "encoded_minutes_per_month": None,
        "stored_bytes": "2tb",
        "delivered_bytes_per_month": "1000",
        "caption_minutes_per_month": "",
        WEIGHT: "0.5",
    }

    assert read_limits(texts) == {
        "concurrent_encodes": 3,
        "encoded_minutes_per_month": None,
        "stored_bytes": 2048 * GIB,
        "delivered_bytes_per_month": 1000,
        "caption_minutes_per_month": None,
        WEIGHT: 0.5,
    }


def test_every_field_that_is_no_limit_is_named_with_what_to_write() -> None:
    texts = {
        "concurrent_encodes": "1e3",
        "stored_bytes": "5 EB",
        "delivered_bytes_per_month": "9" * 19,
        WEIGHT: "",
    }

    with pytest.raises(InvalidParametersError) as refused:
        read_limits(texts)

    assert [(one.location, one.value) for one in refused.value.errors] == [
        (f"body.{name}", text) for name, text in texts.items()
    ]
    messages = [one.message for one in refused.value.errors]
    assert "whole number" in messages[0]
    assert messages[1] == messages[2]
    assert "500 GB" in messages[1]
    assert "normally 1" in messages[3]


def test_a_limit_that_was_not_changed_is_recognized() -> None:
    texts = {
        "concurrent_encodes": "007",
        "stored_bytes": "1024mb",
        "delivered_bytes_per_month": "much",
        "caption_minutes_per_month": "",
        WEIGHT: "2.50",
    }

    assert stored_limits(texts) == {
        "concurrent_encodes": "7",
        "stored_bytes": "1 GB",
        "delivered_bytes_per_month": "much",
        "caption_minutes_per_month": "",
        WEIGHT: "2.5",
    }
