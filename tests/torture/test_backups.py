"""
Backups, restores and repairs that are killed and run together destroy nothing good.
"""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Final

import attrs
import pytest
import sqlalchemy as sa

from hvcore.assembly import build
from hvcore.domain.ids import VideoId
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.engine import make_engine
from hvcore.persistence.tables import leaders
from hvcore.services.backups.kept_backups import KeptBackups
from hvcore.services.backups.verification import verify_backup
from hvcore.settings import load
from tests.persistence.samples import fill_tenants, video
from tests.support.databases.filled_database import contents
from tests.support.hv_processes import HV
from tests.torture.campaign import seed_of_this_run

FEW: Final = 4
"""Each kind of round once."""
MANY: Final = 100
VIDEOS: Final = 4
KILLED_WITHIN_S: Final = (0.3, 2.5)
"""From before a command has read its settings to when it has ended."""
POINTS: Final = (
    *("backup.written", "restore.marked", "copy.claimed", "copy.prepared"),
    *("copy.begun", "copy.page", "copy.checked", "copy.finished"),
)


@attrs.define
class Monkey:
    """
    Runs and kills commands on one installation, and looks what is left.
    """

    folder: Path
    seed: int
    rows: Mapping[str, list[str]] = attrs.field(init=False)
    objects: Mapping[str, bytes] = attrs.field(init=False)
    restores: int = 0
    done: list[str] = attrs.field(factory=list)
    _random: random.Random = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311 - to be repeated
        stock(self.data)
        self.rows, self.objects = rows_of(self.data), objects_of(self.data)
        assert self.run("backup", "--keep", "2", str(self.kept)) == [0]

    @property
    def data(self) -> Path:
        return self.folder / "service"

    @property
    def kept(self) -> Path:
        return self.folder / "kept"

    def play(self, rounds: int) -> None:
        """
        Do what operators do, each thing at least once and then at random.
        """
        steps = [self.back_up, self.back_up_twice, self.restore, self.repair_wrongly]
        played = self._random.sample(steps, len(steps))
        played += self._random.choices(steps, [4, 2, 3, 2], k=rounds - len(steps))
        for step in played:
            self.done.append(step.__name__)
            step()
            self.check()

    def back_up(self) -> None:
        self.run("backup", "--keep", "2", str(self.kept), kills=True)

    def back_up_twice(self) -> None:
        target = str(self.folder / "once" / "backup")
        statuses = self.run("backup", target, times=2)
        assert min(statuses) == 0, statuses
        verify_backup(Path(target), tell=lambda _: None)
        shutil.rmtree(self.folder / "once")

    def restore(self) -> None:
        """
        Restore the newest backup, again and again until it has ended.
        """
        self.restores += 1
        data = self.folder / f"restored-{self.restores}"
        source = str(KeptBackups(self.kept).whole()[0].path)
        self.run("restore", source, data=data, kills=True)
        if (data / "restore-unfinished").exists():
            assert self.run("orgs", "list", data=data) == [1]
        if self.run("restore", source, data=data) != [0]:
            # Only if the first one had ended, so that the folder is not empty.
            assert not (data / "restore-unfinished").exists()
        assert rows_of(data) == self.rows
        shutil.rmtree(data)

    def repair_wrongly(self) -> None:
        """
        Repair the storage with an empty database.
        """
        data = self.folder / "wrong"
        assert self.run("migrate", data=data) == [0]
        storage = (self.data / "storage").as_uri()
        words = ("fsck", "--repair", "--grace", "1s")
        assert self.run(*words, data=data, HV_STORAGE__OPTIONS__URL=storage) == [1]
        shutil.rmtree(data)

    def check(self) -> None:
        """
        See that there is a whole backup, and the service as it was.
        """
        newest = KeptBackups(self.kept).whole()[0].path
        verify_backup(newest, tell=lambda _: None)
        shown = [one for one in self.kept.iterdir() if one.name[0] != "."]
        for path in shown:
            verify_backup(path, tell=lambda _: None)
        assert rows_of(self.data) == self.rows
        assert objects_of(self.data) == self.objects

    def run(
        self,
        *words: str,
        data: Path | None = None,
        kills: bool = False,
        times: int = 1,
        **environ: str,
    ) -> Sequence[int]:
        """
        Run a command, maybe several times at once; return the exit statuses.

        Args:
            kills: Whether it may be killed: at a moment or at a failpoint.
        """
        at_point = kills and self._random.random() < 0.5
        if at_point:
            environ["HV_FAILPOINTS"] = f"{self._random.choice(POINTS)}=kill"
        started = [
            subprocess.Popen(
                [*HV, "--data", str(data or self.data), *words],
                env={**os.environ, **environ},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for _ in range(times)
        ]
        if kills and not at_point:
            time.sleep(self._random.uniform(*KILLED_WITHIN_S))
            for process in started:
                process.send_signal(signal.SIGKILL)
        return [process.wait(timeout=120) for process in started]


def stock(data: Path) -> None:
    settings = load(config_path=None, environ={}, data_dir=data).settings
    with build(settings, rings=False) as services:
        services.migrate()
        fill_tenants(services.engine)
        for number in range(VIDEOS):
            video_id = VideoId(f"vid_{number:022}")
            made = video(id=video_id, state=VideoState.DELETED)
            with services.uow.write() as work:
                now = services.clock.now()
                work.videos.add(attrs.evolve(made, deleted_at=now))
                work.commit()
            path = f"media/{video_id}/job_1/0.m4s"
            services.storage.write(path, BytesIO(b"moof"), content_type="video/mp4")
        services.recount()
    for file in (data / "storage" / "media").rglob("*.m4s"):
        os.utime(file, (0, 0))


def rows_of(data: Path) -> Mapping[str, list[str]]:
    engine = make_engine(f"sqlite:///{data}/hvcore.sqlite3")
    with engine.begin() as connection:
        # Of what was made since.
        connection.execute(sa.delete(leaders))
    found = contents(engine)
    engine.dispose()
    return found


def objects_of(data: Path) -> Mapping[str, bytes]:
    top = data / "storage" / "media"
    return {
        file.relative_to(top).as_posix(): file.read_bytes()
        for file in top.rglob("*")
        if file.is_file()
    }


def tormented(folder: Path, rounds: int) -> None:
    monkey = Monkey(folder, seed_of_this_run())
    monkey.play(rounds)
    print(rounds, "rounds:", *monkey.done)  # noqa: T201 - what a long run is for


@pytest.mark.timeout(240)
def test_blows_leave_a_good_backup_and_the_service_as_it_was(tmp_path: Path) -> None:
    tormented(tmp_path, FEW)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_hundred_blows_leave_a_good_backup_and_the_service_as_it_was(
    tmp_path: Path,
) -> None:
    tormented(tmp_path, MANY)
