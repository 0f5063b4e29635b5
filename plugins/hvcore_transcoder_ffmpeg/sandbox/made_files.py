"""
Check the folder of an attempt after a program has run there.

A hostile source may have taken the program over. Then a file that the program should have
written may be a link to a file that only the worker may read, or a pipe that nobody fills.
"""

import os
from pathlib import Path

from hvcore.plugin_api import TranscodeError


def require_plain_files(folder: Path) -> None:
    """
    Raise TranscodeError if a folder has anything but plain files and folders, at any depth.

    Call the function after the program has ended and before any file is read.

    Raises:
        TranscodeError: The folder has a link, a pipe or the like, which no encoder makes.
    """
    pending = [str(folder)]
    try:
        while pending:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    elif not entry.is_file(follow_symlinks=False):
                        raise _refusal(f"{entry.name!r} is no file")
    except OSError as exc:
        raise _refusal(str(exc)) from exc


def _refusal(log: str) -> TranscodeError:
    return TranscodeError("The encoder has left something that is no video.", log=log)
