"""
A repair that is killed is begun again, as often as it takes.
"""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.fakes import SettableClock
from tests.services.conftest import make_world
from tests.services.repair.planting import PLANTS, Site, names

pytestmark = pytest.mark.services

KILLED_AFTER = (2, 9)
"""Lines that the command has printed."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with make_world(tmp_path, {}, clock=SettableClock(datetime.now(UTC))) as world:
        yield Site(world=world)


def command(site: Site) -> list[str]:
    data = str(site.world.services.settings.data_dir)
    words = ["fsck", "--repair", "--give-up", "--org", "org_a", "--grace", "1s"]
    return [sys.executable, "-m", "hv_cli", "--data", data, *words]


def killed(site: Site, *, after_lines: int) -> None:
    with subprocess.Popen(command(site), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(after_lines):
            assert process.stdout.readline()
        process.kill()


def test_a_repair_that_is_killed_is_finished_by_the_next_one(site: Site) -> None:
    whole = site.ready()
    for _, plant in PLANTS.values():
        plant(site)
    site.settle()
    kept = {path: data for path, data in site.everything().items() if whole.id in path}

    for lines in KILLED_AFTER:
        killed(site, after_lines=lines)
        # What a killed one has ordered is in hand, and not ordered again.
        site.settle()
    done = subprocess.run(command(site), capture_output=True, text=True, check=False)
    site.settle()

    assert done.returncode == 0, done.stderr
    site.world.clock.move(days=8)
    left = [kind for kind, _ in names(site.world) if kind != "folder-without-video"]
    # What nobody knows whose it is, is no organization's; see the folder above.
    assert [kind for kind in left if kind != "leftover-upload"] == []
    after = site.everything()
    assert {path: after[path] for path in kept} == kept
