"""
A repair that is killed is begun again, as often as it takes.
"""

import subprocess
import sys

import pytest

from tests.services.repair.planting import PLANTS, Site, names

pytestmark = pytest.mark.services

PLANTED = (
    "a_segment_is_missing",
    "a_sheet_is_missing",
    "a_playlist_names_other_files",
    "nobody_makes_a_video",
    "captions_of_the_owner_are_missing",
    "files_of_another_job_are_left",
)
KILLED_AFTER_LINES = 5
"""That the command has printed: in the middle of the second or third step."""


def command(site: Site) -> list[str]:
    data = str(site.world.services.settings.data_dir)
    words = ["fsck", "--repair", "--give-up", "--org", "org_a", "--hashes"]
    words += ["--grace", "1s"]
    return [sys.executable, "-m", "hvcore_cli", "--data", data, *words]


def kill_one(site: Site) -> None:
    with subprocess.Popen(command(site), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for _ in range(KILLED_AFTER_LINES):
            assert process.stdout.readline()
        process.kill()


def test_a_repair_that_is_killed_is_finished_by_the_next_one(site: Site) -> None:
    whole = site.ready()
    for name in PLANTED:
        PLANTS[name][1](site)
    site.settle()
    kept = {path: data for path, data in site.everything().items() if whole.id in path}

    kill_one(site)
    # What it has ordered is in hand, and not ordered again.
    site.settle()
    done = subprocess.run(command(site), capture_output=True, text=True, check=False)
    site.settle()

    assert done.returncode == 0, done.stderr
    site.world.clock.move(days=8)
    assert names(site.world) == []
    after = site.everything()
    assert {path: after[path] for path in kept} == kept
