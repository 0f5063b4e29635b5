"""
Which of several processes of pytest runs a file: the one that has what the file needs.

Fixtures of a session are made by each process anew: a whole service and its videos,
stores, clips. So files that share one go to the same process while it has other work
to leave to the rest, and to any in the end, where one would go on alone.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

HOMES: Final = {
    # What stands first counts. Azurite, and the store that speaks S3 to fsspec.
    "tests/e2e/uploads/test_azure.py": 1,
    "tests/checks/test_storage_probe.py": 1,
    "tests/plugins/storage_fsspec/": 1,
    "tests/services/processing/test_stored_copies.py": 1,
    "tests/services/uploads/": 1,
    # A service with its videos, for all but those that start one of their own.
    "tests/e2e/": 0,
    # A service that strangers keep busy.
    "tests/hostile/test_f1_": 3,
    "tests/hostile/test_f2_": 3,
    # Servers of MediaConvert with their stores, and clips.
    "tests/plugins/mediaconvert_local/": 2,
    "tests/plugins/transcoder_mediaconvert/": 2,
    "tests/plugins/transcoder_google/": 2,
    # Clips.
    "tests/plugins/transcoder_ffmpeg/": 3,
}
"""The process, from 0, of files whose path begins so."""
_ROOT: Final = Path(__file__).parents[3]
_OWN_SERVICE: Final = re.compile(r"\blive_service\(")


@cache
def home_of(path: str) -> int | None:
    """
    Return the process that has what a file needs; None if each is as good.

    Args:
        path: As it begins the ids of the file's tests.
    """
    for begin, home in HOMES.items():
        if path.startswith(begin):
            if begin == "tests/e2e/" and _OWN_SERVICE.search(
                (_ROOT / path).read_text("utf-8")
            ):
                return None
            return home
    return None


def next_file(waiting: Iterable[str], process: int, processes: int) -> str:
    """
    Choose what a process runs next: the first file that belongs nowhere else.

    Args:
        waiting: The files that are left, at least one.
    """
    files = list(waiting)
    for path in files:
        home = home_of(path)
        if home is None or home % processes == process % processes:
            return path
    return files[0]


class HomeScheduling(LoadFileScheduling):
    """
    Gives files to processes as ``--dist loadfile`` does, each near to what it needs.
    """

    def _assign_work_unit(self, node: WorkerController) -> None:
        # One that replaces a crashed one has the next number.
        number = int(node.gateway.id.removeprefix("gw"))
        path = next_file(self.workqueue, number, self.numnodes)
        self.workqueue.move_to_end(path, last=False)
        super()._assign_work_unit(node)
