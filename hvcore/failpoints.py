"""
Failpoints: places in the code where a test makes a process fail.

Failpoints do nothing unless HV_FAILPOINTS is set when the process starts. The variable
lists failpoints and the failure at each::

    HV_FAILPOINTS="part.stored=kill*1;webhook.sent=raise"

``kill`` ends the process as SIGKILL does, ``hang`` stops it as SIGSTOP does, and
``raise`` raises FailpointError. ``*N`` does so N times only: in each process, or,
if HV_FAILPOINTS_DIR names a folder, in all processes that name it.
"""

import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import attrs

POINTS: Final = {
    "task.leased": "a worker has taken a task, and has begun nothing",
    "task.ended": "the work of a task is committed",
    "tasks.rung": "a commit has put its tasks into the queue",
    "attempt.workspace": "the folder of an attempt is made",
    "part.encoded": "the files of a part lie in the workspace",
    "part.submitted": "a service elsewhere has a part, and its handle is not kept",
    "part.remembered": "the handle is kept, and nothing has come of it yet",
    "cancel.confirmed": "a service has ended a part, and that is not written down",
    "part.stored": "they lie in the storage, and nobody knows of them",
    "captions.heard": "the words of a window are known, and not stored",
    "captions.stored": "the files of captions lie in the storage, and nobody knows of them",
    "captions.published": "captions are shown, and the files of others lie there still",
    "repair.stored": "what was gone of a part is put back, and the task has not ended",
    "assemble.written": "the playlists are written, and nothing is published",
    "assemble.published": "the video is ready; other attempts' files lie there still",
    "upload.stored": "sent bytes lie in the storage, and nobody knows of them",
    "upload.taken": "they are known, and the answer is not sent",
    "fetch.stored": "fetched bytes lie in the storage, and nobody knows of them",
    "direct_upload.joined": "directly sent parts are joined, and nothing else is done",
    "direct_upload.copied": "directly sent bytes lie copied, and nobody knows of the copy",
    "video.deleted": "a video is deleted, and its files lie where they were",
    "video.restored": "a video is restored, and delivery on this machine does not know",
    "bin.ended": "a video cannot be restored any more, and all of it lies where it was",
    "bulk.changed": "a video of a bulk change is changed, and that is not committed",
    "bulk.deleted": "a video of a bulk change is deleted, and that is not committed",
    "purge.rows": "its personal data is erased, and its files lie where they were",
    "purge.media": "of a deleted video the renditions are gone, the source is not",
    "subscriber.told": "a plugin has taken an event, and that is not written down",
    "webhook.sent": "an event is delivered, and that is not written down",
    "spool.written": "a segment is written down, and not served yet",
    "answer.sent": "a file is sent, and others that were counted with it are not",
    "backup.written": "all of a backup is written, and not at its place yet",
    "restore.marked": "a data folder is marked, and nothing is restored into it",
    "copy.claimed": "a database is marked as an unfinished copy, and has no tables",
    "copy.prepared": "the tables are made in the database that is copied to",
    "copy.begun": "it is marked as an unfinished copy, and has no rows",
    "copy.page": "some rows are copied, and there may be more",
    "copy.checked": "all rows are copied and compared, and it is marked as unfinished",
    "copy.finished": "services may start on it, and whoever copied does not know",
    "rotation.prepared": "a new signing key is believed, and the old one still signs",
    "flush.applied": "counts are in the database, and their file is still there",
}
"""What has happened at each point, and what has not."""

_ITEM: Final = re.compile(r"([a-z_.]+)=(kill|raise|hang)(?:\*([0-9]+))?")


class FailpointError(Exception):
    """The error that a failpoint with ``raise`` raises."""


@attrs.frozen
class _Order:
    action: str
    times: int | None


def arm(text: str) -> None:
    """
    Set the failpoints that fail in this process from now on, in place of earlier ones.

    Args:
        text: The failpoints and their failures, in the form of HV_FAILPOINTS.

    Raises:
        ValueError: The text names an unknown failpoint or an unknown failure.
    """
    _armed.clear()
    _hits.clear()
    for item in filter(None, (part.strip() for part in text.split(";"))):
        match = _ITEM.fullmatch(item)
        if match is None or match[1] not in POINTS:
            raise ValueError(
                f"{item!r} is not a failpoint; expected POINT=kill, raise or hang, and "
                f"perhaps *TIMES. The points are: {', '.join(POINTS)}."
            )
        times = None if match[3] is None else int(match[3])
        _armed[match[1]] = _Order(match[2], times)


def failpoint(point: str) -> None:
    """
    Fail here, as HV_FAILPOINTS says, if it names the given failpoint; else do nothing.

    Raises:
        FailpointError: HV_FAILPOINTS says ``raise`` for the failpoint.
    """
    if _armed:
        _fail(point)


def _fail(point: str) -> None:
    order = _armed.get(point)
    if order is None or not _is_wanted(point, order.times):
        return
    if order.action == "raise":
        raise FailpointError(point)
    number = signal.SIGKILL if order.action == "kill" else signal.SIGSTOP
    os.kill(os.getpid(), number)


def _is_wanted(point: str, times: int | None) -> bool:
    if times is None:
        return True
    folder = os.environ.get("HV_FAILPOINTS_DIR")
    if not folder:
        _hits[point] += 1
        return _hits[point] <= times
    for number in range(times):
        try:
            Path(folder, f"{point}.{number}").touch(exist_ok=False)
        except FileExistsError:
            continue
        return True
    return False


_armed: Final[dict[str, _Order]] = {}
_hits: Final[Counter[str]] = Counter()


def _arm_by(environ: Mapping[str, str]) -> None:
    try:
        arm(environ.get("HV_FAILPOINTS", ""))
    except ValueError as exc:
        # Every program imports this: a message, and no traceback.
        sys.exit(f"HV_FAILPOINTS: {exc}")


_arm_by(os.environ)
