"""
Options that the transcoders of several clouds have in common, at their ends.
"""

import re

import attrs
import pytest

from hvcore_cloud_ladders import cloud_options as checks


@attrs.frozen(kw_only=True)
class CloudOptions:
    """
    The common options.
    """

    endpoint: str = attrs.field(default="", validator=checks.check_endpoint)
    price_per_minute: float = attrs.field(default=0.0, validator=checks.check_price)
    daily_limit: float = attrs.field(default=0.0, validator=checks.check_daily_limit)
    currency: str = attrs.field(default="USD", validator=checks.check_currency)
    deadline_s: int = attrs.field(default=60, validator=checks.check_deadline_s)


@pytest.mark.parametrize(
    "options",
    [
        {"endpoint": ""},
        {"endpoint": "http://host"},
        {"endpoint": "https://host:8443/"},
        {"price_per_minute": 0},
        {"price_per_minute": 999.99},
        {"daily_limit": 0},
        {"daily_limit": 999_999_999},
        {"currency": "X"},
        {"currency": "X" * 12},
        {"deadline_s": 60},
        {"deadline_s": 604_800},
    ],
)
def test_an_option_of_a_cloud_may_be_at_its_ends(options: dict[str, str]) -> None:
    made = attrs.asdict(CloudOptions(**options))  # type: ignore[arg-type] # of every type

    assert options.items() <= made.items()


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("endpoint", "host", "an address such as https://host, not 'host'"),
        (
            "endpoint",
            "https://host/a",
            "an address such as https://host, not 'https://host/a'",
        ),
        ("endpoint", "ftp://host", "an address such as https://host, not 'ftp://host'"),
        ("price_per_minute", -0.01, "from 0 to 1000, not -0.01"),
        ("price_per_minute", 1000, "from 0 to 1000, not 1000"),
        ("daily_limit", -0.01, "0 or more, not -0.01"),
        ("daily_limit", 1_000_000_000, "0 or more, not 1000000000"),
        ("currency", "", "a name such as USD, not ''"),
        ("currency", "X" * 13, "a name such as USD, not 'XXXXXXXXXXXXX'"),
        ("currency", "U S", "a name such as USD, not 'U S'"),
        ("deadline_s", 59, "from 60 to 604800, not 59"),
        ("deadline_s", 604_801, "from 60 to 604800, not 604801"),
    ],
)
def test_an_option_of_a_cloud_beyond_its_ends_says_what_is_allowed(
    option: str, value: object, why: str
) -> None:
    told = f"^{re.escape(f'{option} must be {why}')}$"

    with pytest.raises(ValueError, match=told):
        CloudOptions(**{option: value})  # type: ignore[arg-type] # of every type
