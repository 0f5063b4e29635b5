"""
What a repair removes is there for a week, and goes with the video that it is of.
"""

import os
from datetime import UTC, datetime
from io import BytesIO

from hvcore.ports.storage import Storage
from hvcore.services.repair.damages import Scope
from hvcore.services.repair.quarantine import Quarantine
from hvcore.testing.fakes import MemoryStorage
from tests.services.repair.planting import PLANTS, Site, repair
from tests.support.fakes import SettableClock


def paths(storage: Storage, prefix: str) -> list[str]:
    return sorted(info.path for info in storage.walk(prefix))


REMOVING = {
    *("folder-without-video", "old-job", "old-attempt", "unused-file"),
    "leftover-upload",
}


def test_a_file_that_a_repair_removes_is_kept_for_a_week(site: Site) -> None:
    site.ready()
    for kind, plant in PLANTS.values():
        if kind in REMOVING:
            plant(site)
    site.settle()
    site.world.clock.move(days=8)
    before = site.everything()
    services = site.world.services

    repair(site.world)

    gone = {
        path: data for path, data in before.items() if path not in site.everything()
    }
    assert len(gone) >= len(REMOVING)
    kept = paths(services.storage, "quarantine")
    assert kept == sorted(f"quarantine/{path}" for path in gone)
    for path, data in gone.items():
        assert site.read(f"quarantine/{path}") == data
    # The dates of files are the machine's, not the test's.
    now_s = site.world.clock.now().timestamp()
    for path in gone:
        file = services.storage.local_path(f"quarantine/{path}")
        os.utime(file, (now_s, now_s))
    site.world.clock.move(days=6)
    assert services.quarantine.expire() == 0
    site.world.clock.move(days=1)
    assert services.quarantine.expire() == len(kept)
    assert paths(services.storage, "quarantine") == []


def test_quarantined_files_go_with_their_video(site: Site) -> None:
    video = site.ready()
    site.put(f"media/{video.id}/job_old/0.m4s", b"old")
    site.settle()
    site.world.clock.move(days=8)
    repair(site.world, Scope(video_id=video.id))
    services = site.world.services
    assert paths(services.storage, "quarantine") == [
        f"quarantine/media/{video.id}/job_old/0.m4s"
    ]

    services.deletion.delete(site.world.caller, "org_a", video.id, None)
    site.settle()

    assert paths(services.storage, "quarantine") == []


def test_a_file_in_use_again_is_not_replaced_from_quarantine() -> None:
    storage = MemoryStorage()
    quarantine = Quarantine(storage=storage, clock=SettableClock(datetime.now(UTC)))
    for name in ("a", "b"):
        storage.write(f"media/vid/{name}", BytesIO(b"old"), content_type="video/mp4")
    assert quarantine.take("media/vid") == 2
    storage.write("media/vid/a", BytesIO(b"new"), content_type="video/mp4")

    assert quarantine.bring_back(None) == 1

    with storage.open("media/vid/a") as a, storage.open("media/vid/b") as b:
        assert (a.read(), b.read()) == (b"new", b"old")
    assert paths(storage, "quarantine") == ["quarantine/media/vid/a"]
