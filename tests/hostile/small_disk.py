"""
A delivery process on a disk with little room: ``python -m tests.hostile.small_disk``.

It takes a listening descriptor. The disk is the real one; only what the process is
told of its free space is less, and shrinks by what lies in the data folder. Who sends
nothing is cut off sooner than usual.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import Final, NamedTuple

from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.incoming.disk_space import FREE_RESERVE_BYTES
from hvcore_cli.main import main
from hvcore_server.deadlines import TransferWorker
from tests.support.live import files_below

ROOM_BYTES: Final = MAX_UPLOAD_BYTES + 2 * 10**9
CUT_OFF_AFTER_S: Final = 5.0


class Usage(NamedTuple):
    """
    As shutil has it.
    """

    total: int
    used: int
    free: int


def usage(_path: object) -> Usage:
    """
    Tell how full the disk is.
    """
    used = 0
    for file in files_below(Path(os.environ["HV_DATA"])):
        try:
            used += file.stat().st_size
        except FileNotFoundError:
            continue
    total = ROOM_BYTES + FREE_RESERVE_BYTES
    return Usage(total=total, used=used, free=total - used)


if __name__ == "__main__":
    shutil.disk_usage = usage  # type: ignore[assignment]  # only what is looked at
    TransferWorker.grace_s = CUT_OFF_AFTER_S
    sys.argv = ["hv", "delivery", "--fd", sys.argv[1]]
    main()
