"""
Each organization has a daily limit of sound of its own.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.engine import Engine

from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.plugin_api import (
    SoundFile,
    TranscriptionOrder,
    UnavailableError,
    UnusableSoundError,
)
from hvcore.testing.transcriber import tones, write_sound
from hvcore_transcriber_http.backend import HttpTranscriber, make_transcriber
from hvcore_transcriber_http.options import HttpTranscriberOptions
from tests.conftest import SettableClock

URL = "http://127.0.0.1:1"


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(datetime(2026, 1, 2, 23, 0, tzinfo=UTC))


def made(sqlite: Engine, clock: SettableClock, **limits: int) -> HttpTranscriber:
    options = HttpTranscriberOptions(url=URL, **limits)
    return make_transcriber(options, clock=clock, database=PluginDatabase(sqlite))


def reserve(transcriber: HttpTranscriber, sound: SoundFile, org_id: str) -> None:
    transcriber.reserve(TranscriptionOrder(sound=sound, org_id=org_id))


def test_an_organization_does_not_use_up_the_day_of_others(
    sqlite: Engine, sound: SoundFile, clock: SettableClock
) -> None:
    transcriber = made(sqlite, clock, organization_daily_limit_s=2)
    for _ in range(2):
        reserve(transcriber, sound, "org_busy")

    with pytest.raises(UnavailableError, match="org_busy is transcribed") as raised:
        reserve(transcriber, sound, "org_busy")

    assert raised.value.retry_after_s == 3_601
    reserve(transcriber, sound, "org_other")
    clock.move(timedelta(hours=2))
    reserve(transcriber, sound, "org_busy")


def test_sound_that_the_limit_of_all_refuses_does_not_count_for_its_organization(
    sqlite: Engine, sound: SoundFile, clock: SettableClock
) -> None:
    few = made(sqlite, clock, organization_daily_limit_s=2, daily_limit_s=1)
    reserve(few, sound, "org_a")
    for _ in range(3):
        with pytest.raises(UnavailableError, match="the daily limit is reached"):
            reserve(few, sound, "org_a")

    more = made(sqlite, clock, organization_daily_limit_s=2, daily_limit_s=9)
    reserve(more, sound, "org_a")

    with pytest.raises(UnavailableError, match="its daily limit"):
        reserve(more, sound, "org_a")


def test_sound_that_is_given_back_after_midnight_counted_the_day_before(
    sqlite: Engine, sound: SoundFile, clock: SettableClock
) -> None:
    transcriber = made(sqlite, clock, organization_daily_limit_s=2)
    before = TranscriptionOrder(sound=sound, org_id="org_a")
    transcriber.reserve(before)
    clock.move(timedelta(hours=2))
    for _ in range(2):
        reserve(transcriber, sound, "org_a")

    transcriber.release(before)

    with pytest.raises(UnavailableError, match="its daily limit"):
        reserve(transcriber, sound, "org_a")
    clock.move(timedelta(hours=-2))
    for _ in range(2):
        reserve(transcriber, sound, "org_a")


def test_a_sound_above_the_limit_of_an_organization_is_refused_for_good(
    sqlite: Engine, tmp_path: Path, clock: SettableClock
) -> None:
    long = write_sound(tmp_path / "long.wav", tones(3_000))

    with pytest.raises(UnusableSoundError, match="longer than"):
        reserve(made(sqlite, clock, organization_daily_limit_s=2), long, "org_a")
