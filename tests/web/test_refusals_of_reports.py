"""
Refused reports of playback sessions have a name of their own in the log.
"""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from hvcore.services.playback.sessions import MOST_BEGUN_BY_ONE
from tests.conftest import SettableClock
from tests.support.http.cinema import Cinema
from tests.support.http.fixtures import Template, settings_of
from tests.web.refused_requests import Refused, sent

REPORTS = "/v1/playback-reports"


@pytest.fixture
def cinema(
    _template: Template, tmp_path: Path, clock: SettableClock
) -> Iterator[Cinema]:
    settings = settings_of(tmp_path)
    analytics = attrs.evolve(settings.analytics, playback_sessions=True)
    with _template.open(attrs.evolve(settings, analytics=analytics), clock) as world:
        yield Cinema(api=world)


def test_a_refused_report_is_named(refused: Refused) -> None:
    forged = b'{"session": "a~b", "number": 1}'

    assert refused(REPORTS, body=forged) == (401, "playback_report")
    assert refused(REPORTS, body=b"{") == (400, "playback_report")
    assert refused(REPORTS, body=b"x" * 2_000) == (413, "playback_report")


def test_one_beginning_too_many_is_named(cinema: Cinema, refused: Refused) -> None:
    path = f"/v1/playback-sessions/{cinema.playable(is_public=True)}"
    for _ in range(MOST_BEGUN_BY_ONE):
        assert sent(cinema, path, method="POST").status_code == 201

    assert refused(path, method="POST") == (429, "playback_report")


def test_a_session_of_a_private_video_is_refused_as_its_files(
    cinema: Cinema, refused: Refused
) -> None:
    path = f"/v1/playback-sessions/{cinema.video}"

    assert refused(path, method="POST") == (401, "token_missing")
