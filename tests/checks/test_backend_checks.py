"""
A host says so whose clock is not the database's, or whose disk is nearly full.
"""

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import attrs
import pytest

from hvcore.assembly import Services, build
from hvcore.clock import SystemClock
from hvcore.errors import UnavailableError
from hvcore.services.health import check_clock
from hvcore.settings import load
from hvcore_checks.backend_checks import LITTLE_SPACE_BYTES, disk
from hvcore_checks.backend_checks import clock as clock_of_doctor
from tests.services.conftest import make_world
from tests.support.servers import PostgresqlServer

MIB = 2**20


@attrs.define
class ShiftedClock(SystemClock):
    """
    A clock that goes as it should, and is off.
    """

    by: timedelta = timedelta()

    def now(self) -> datetime:
        return super().now() + self.by


@pytest.fixture
def clock() -> ShiftedClock:
    return ShiftedClock()


@pytest.fixture
def services(
    postgresql: PostgresqlServer, clock: ShiftedClock, tmp_path: Path
) -> Iterator[Services]:
    environ = {"HV_DATABASE__URL": postgresql.new_database()}
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    with build(settings, overrides={"clock": clock}, rings=False) as made:
        yield made


@pytest.mark.services
@pytest.mark.parametrize(("minutes", "side"), [(5, "ahead of"), (-5, "behind")])
def test_a_clock_that_is_off_is_told_wherever_somebody_looks(
    services: Services, clock: ShiftedClock, minutes: int, side: str
) -> None:
    clock.by = timedelta(minutes=minutes)

    with pytest.raises(UnavailableError, match="NTP") as told:
        check_clock(services.uow)
    (finding,) = clock_of_doctor(services)
    measured_s = services.uow.clock_ahead_s()

    assert side in told.value.detail
    assert side in finding.found
    assert finding.state == "warning"
    assert measured_s == pytest.approx(minutes * 60, abs=30)


@pytest.mark.services
def test_clocks_that_agree_are_well(services: Services) -> None:
    check_clock(services.uow)
    assert [f.state for f in clock_of_doctor(services)] == ["ok"]


@pytest.mark.parametrize(
    ("free_bytes", "states"),
    [
        (512 * MIB, ["broken"]),
        (512 * MIB + 1, ["warning"]),
        (LITTLE_SPACE_BYTES - 1, ["warning"]),
        (LITTLE_SPACE_BYTES, ["ok"]),
    ],
)
def test_a_disk_is_broken_where_uploads_are_refused_and_is_told_of_before(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    free_bytes: int,
    states: list[str],
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(total=2**34, free=free_bytes)
    with make_world(tmp_path, {}) as world:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)

        assert [finding.state for finding in disk(world.services)] == states
