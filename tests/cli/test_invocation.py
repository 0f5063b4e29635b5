"""
Words that many commands take: lengths of time, and who runs them.
"""

import os
import pwd

import click
import pytest

from hvcore_cli.invocation import LONGEST_DURATION_S, duration_option, os_user

LONGEST_WEEKS = LONGEST_DURATION_S // 604_800


def length_s(text: str) -> float | None:
    command = click.Command("keys")
    return duration_option(click.Context(command), click.Option(["--overlap"]), text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1),
        ("30m", 1800),
        ("24h", 86_400),
        ("90d", 90 * 86_400),
        ("2w", 14 * 86_400),
        (f"{LONGEST_DURATION_S}s", LONGEST_DURATION_S),
        (f"{1:018d}d", 86_400),
    ],
)
def test_a_length_of_time_is_a_whole_number_and_its_unit(
    text: str, seconds: int
) -> None:
    assert length_s(text) == seconds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((text, "no") for text in ("", "h", "0d", "12", "-1h", "1.5h", "1y", "²h")),
        (f"{1:019d}d", "not a length of time"),
        (f"{LONGEST_DURATION_S + 1}s", "a century"),
        (f"{LONGEST_WEEKS + 1}w", "a century"),
    ],
)
def test_a_length_of_time_that_is_none_or_ends_after_a_century_is_refused(
    text: str, said: str
) -> None:
    with pytest.raises(click.BadParameter, match=said):
        length_s(text)


def test_the_user_behind_sudo_is_named_only_where_sudo_has_made_root(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SUDO_USER", "olga")

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    behind_sudo = os_user()
    monkeypatch.setenv("SUDO_USER", "")
    root = os_user()
    monkeypatch.setenv("SUDO_USER", "olga")
    monkeypatch.setattr(os, "geteuid", lambda: 4_200_000_000)
    nameless = os_user()

    assert behind_sudo == "olga"
    assert root == pwd.getpwuid(0).pw_name
    assert nameless == "4200000000"
