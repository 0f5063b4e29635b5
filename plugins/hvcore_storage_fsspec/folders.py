"""Make, walk and remove folders while other processes change them."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def make_folder(folder: Path, *, inside: Path | None = None) -> None:
    """
    Make a folder and its parents, so that they outlive a power cut.

    Args:
        inside: A folder that must be there and is never made.

    Raises:
        FileNotFoundError: The folder ``inside`` is gone.
    """
    if folder.is_dir():
        return
    if folder == inside:
        raise FileNotFoundError(folder)
    make_folder(folder.parent, inside=inside)
    try:
        folder.mkdir()
    except FileExistsError:
        return
    except FileNotFoundError:
        # Somebody removed the parent, which was empty.
        make_folder(folder, inside=inside)
        return
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Flush the entries of a folder to the disk, unless the folder was removed meanwhile."""
    try:
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return
    try:
        os.fsync(number)
    finally:
        os.close(number)


def walk_files(top: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the file at a path or all files below it; files that vanish meanwhile are left out."""
    if top.is_file():
        with suppress(FileNotFoundError):
            yield top, top.stat()
        return
    for folder, _, names in os.walk(top, onerror=_unless_absent):
        for name in names:
            file = Path(folder, name)
            with suppress(FileNotFoundError):
                yield file, file.stat()


def remove_tree(top: Path) -> int:
    """
    Remove the file at a path or all files below it; return their number.

    A file that cannot be removed does not stop the others from being removed.

    Raises:
        OSError: A file could not be removed; this is the first such error.
    """
    if top.is_file():
        return _remove_file(top)
    removed, failures = 0, list[OSError]()
    for folder, _, names in os.walk(top, topdown=False, onerror=failures.append):
        for name in names:
            try:
                removed += _remove_file(Path(folder, name))
            except OSError as exc:
                failures.append(exc)
        # Not empty if somebody has written meanwhile; the next call sees it.
        with suppress(OSError):
            Path(folder).rmdir()
    for failure in failures:
        _unless_absent(failure)
    return removed


def remove_empty(folder: Path, *, up_to: Path) -> None:
    """Remove a folder and its parents below ``up_to``, as far as they are empty."""
    while folder != up_to:
        try:
            folder.rmdir()
        except FileNotFoundError:
            pass
        except OSError:
            return
        folder = folder.parent


def _remove_file(file: Path) -> int:
    try:
        file.unlink()
    except FileNotFoundError:
        return 0
    return 1


def _unless_absent(error: OSError) -> None:
    # A folder that cannot be read is not an empty one.
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise error
