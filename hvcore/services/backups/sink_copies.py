"""Copy the state that analytics sinks keep on this machine into backups, and restore it."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hvcore.ports.analytics import AnalyticsSink, SupportsBackup
from hvcore.services.backups.manifest import STATE_FOLDER, BackedUpFile, sha256_of


def copy_sinks(sinks: Mapping[str, AnalyticsSink], folder: Path) -> None:
    """
    Have each analytics sink that can copy itself write its state into a backup's folder.

    No process may write counts to the sinks meanwhile.

    Raises:
        UnavailableError: A sink does not answer.
        OSError: The disk is full, or the like.
    """
    for name, sink in sinks.items():
        if isinstance(sink, SupportsBackup):
            target = folder / STATE_FOLDER / name
            target.mkdir(mode=0o700, parents=True)
            sink.back_up(target)


def listed_copies(folder: Path) -> Sequence[BackedUpFile]:
    """
    Return the files that ``copy_sinks`` has written into a backup's folder.

    Raises:
        ConfigError: A file cannot be read.
    """
    found = []
    for parent, _, names in os.walk(folder / STATE_FOLDER):
        for name in names:
            path = Path(parent, name)
            place = path.relative_to(folder).as_posix()
            found.append(BackedUpFile(file=place, sha256=sha256_of(path)))
    return found


def restore_sinks(
    files: Sequence[BackedUpFile],
    folder: Path,
    sinks: Mapping[str, AnalyticsSink],
    tell: Callable[[str], None],
) -> None:
    """
    Restore the state of analytics sinks from a backup.

    Sinks of the backup that are not in ``analytics.sinks`` are left out and reported.

    Args:
        tell: Called with a line about each sink that is left out.

    Raises:
        ConfigError: A sink has counts already.
        UnavailableError: A sink does not answer.
        OSError: The disk is full, or the like.
    """
    able = {
        name: sink for name, sink in sinks.items() if isinstance(sink, SupportsBackup)
    }
    for name in sorted({one.file.split("/")[1] for one in files}):
        if name in able:
            able[name].restore(folder / STATE_FOLDER / name)
        else:
            tell(f"Left out, because it is not in analytics.sinks: counts of {name}")
