"""
The least and the most that a setting may be.
"""

from pathlib import Path

import pytest

from hvcore.errors import ConfigError
from hvcore.settings import load
from hvcore.settings.tree import LONGEST_TIMEOUT_S, SHORTEST_TIMEOUT_S

YEAR_S = 366 * 24 * 3600


def is_taken(folder: Path, name: str, value: object) -> bool:
    """
    Tell whether a setting may have a value.
    """
    try:
        load(config_path=None, environ={f"HV_{name}": f"{value}"}, data_dir=folder)
    except ConfigError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("ANALYTICS__MINUTES_RETENTION_DAYS", 1, 3660),
        ("DASHBOARD__BIN_HOURS", 0, 23),
        ("DASHBOARD__SESSION_IDLE_S", 1, YEAR_S),
        ("DASHBOARD__SESSION_TOTAL_S", 1, YEAR_S),
        ("DATABASE__TIMEOUT_S", SHORTEST_TIMEOUT_S, LONGEST_TIMEOUT_S),
        ("LIMITS__API_PER_HOUR", 1, 1_000_000_000),
        ("METRICS__LISTEN", 1, 65_535),
        ("SERVER__SHUTDOWN_DELAY_S", 0, 300),
        ("SHARES__ENCODERS_PERCENT", 1, 100),
        ("SHARES__ENCODERS_RESERVED", 0, 1_000_000),
        ("SHARES__THREADS_OF_ONE", 1, 1_000_000),
        ("SIGN_IN__ASKED_EVERY_S", 1, 300),
        ("SIGN_IN__ATTEMPTS_PER_MINUTE", 1, 1_000_000),
        ("TRANSCRIBER__MIN_CONFIDENCE", 0, 1),
    ],
)
def test_a_number_may_be_the_least_and_the_most_and_nothing_beyond(
    tmp_path: Path, name: str, least: float, most: float
) -> None:
    given = [least - 1, least, most, most + 1]

    taken = [is_taken(tmp_path, name, value) for value in given]

    assert taken == [False, True, True, False]


@pytest.mark.parametrize("name", ["SQS_URL", "SNS_URL", "PUBSUB_KEYS_URL"])
def test_an_address_of_messages_is_whole_and_has_no_password(
    tmp_path: Path, name: str
) -> None:
    good = ["https://a", "http://a:1/b", "https://[::1]/"]
    bad = ["https://", "https://:1", "https://a:0", "https://a:x", "https://a/#b"]
    bad += [
        "https://u@a",
        "https://u:p@a",
        "ftp://a",
        "a",
        "//a",
        "https:a",
        "https://a?b",
        "https://ä",
    ]

    assert [one for one in bad if is_taken(tmp_path, f"NOTIFY__{name}", one)] == []
    assert all(is_taken(tmp_path, f"NOTIFY__{name}", one) for one in good)


@pytest.mark.parametrize("name", ["NOTIFY__TOKEN", "SIGN_IN__SECRET"])
def test_a_secret_has_32_characters_or_more(tmp_path: Path, name: str) -> None:
    assert is_taken(tmp_path, name, "s" * 32)
    assert not is_taken(tmp_path, name, "s" * 31)
