"""Load plugins that are single files: named by the operator, or in the data folder."""

import os
import pwd
import re
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Final

from hvcore.registry.faults import (
    FILE_MODULES,
    PluginFault,
    PluginFaultError,
    PluginSource,
)

FOLDER: Final = "plugins"
"""In the data folder."""
_OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
"""A list of rights (ACL) that lets others write sets the bit of the group, too."""

_locks: Final[dict[Path, threading.Lock]] = {}
_complete: Final[dict[Path, ModuleType]] = {}
"""The files that have run to their ends, in this process."""


def module_of(file: Path) -> str:
    """Return the name of the module as which a plugin file is loaded."""
    return FILE_MODULES + re.sub(r"\W", "_", file.stem)


def files_in(data_dir: Path) -> Iterator[Path]:
    """
    Yield the paths of the plugin files in a data folder, in the order of their names; hidden files are left out.

    A folder that cannot be read yields one made-up path; loading that file raises the reason.
    """
    folder = data_dir / FOLDER
    try:
        names = sorted(file.name for file in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        names = ["*.py"]
    for name in names:
        if name.endswith(".py") and not name.startswith("."):
            yield folder / name


def load_file(file: Path, source: PluginSource) -> object:
    """
    Load a plugin file that the operator has named, and return its module.

    Raises:
        PluginFaultError: The file cannot be read.
    """
    return _loaded(file, source, _read(file, source, flags=0))


def load_private_file(file: Path, source: PluginSource) -> object:
    """
    Load a plugin file of the data folder, if nobody but this user can write it; return its module.

    Raises:
        PluginFaultError: Somebody else can write the file, or it cannot be read.
    """
    return _loaded(file, source, _read_private(file, source))


def _loaded(file: Path, source: PluginSource, text: bytes) -> object:
    # Not one for all: a file that hangs holds up no other.
    lock = _locks.setdefault(file, threading.Lock())
    # Who comes second waits, within its time limit, and is told the same if it hangs.
    with lock:
        known = _complete.get(file)
        if known is not None and sys.modules.get(source.package) is known:
            return known
        module = _run(file, source.package, text)
        _complete[file] = module
        return module


def _run(file: Path, name: str, text: bytes) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = str(file)
    # Not by an import: that would take files from __pycache__, whoever wrote them.
    code = compile(text, str(file), "exec", dont_inherit=True)
    # Before it runs: what it defines is looked up there by its own name.
    sys.modules[name] = module
    try:
        exec(code, vars(module))  # noqa: S102 - this is what a plugin is for
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _read(file: Path, source: PluginSource, *, flags: int) -> bytes:
    try:
        number = os.open(file, os.O_RDONLY | os.O_CLOEXEC | flags)
        with os.fdopen(number, "rb") as opened:
            if flags:
                _require_private(os.fstat(number), file, source)
            return opened.read()
    except OSError as exc:
        problem = f"{file} cannot be read: {exc.strerror}"
        fix = "Correct its name, or who may read it"
        raise _refusal(source, problem, fix) from exc


def _read_private(file: Path, source: PluginSource) -> bytes:
    # Whoever may write to a folder may put another file, or folder, in its place.
    for folder in (file.parent.parent, file.parent):
        status = folder.lstat() if folder == file.parent else folder.stat()
        is_data = folder != file.parent
        _require_private(status, folder, source, is_data=is_data)
    if file.is_symlink():
        raise _refusal(
            source,
            f"{file} is a link",
            "Put the file itself there, so that it is known who can change it",
        )
    # Of the file that is read: after a look at the name another could have come.
    return _read(file, source, flags=os.O_NOFOLLOW)


def _require_private(
    status: os.stat_result, path: Path, source: PluginSource, *, is_data: bool = False
) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise _refusal(source, f"{path} is a link", "Make it a folder")
    if status.st_uid != os.geteuid():
        raise _refusal(
            source,
            f"{path} belongs to {_user(status.st_uid)}, and not to "
            f"{_user(os.geteuid())}, as whom this process runs",
            _own_fix(status, path, is_data=is_data),
        )
    if status.st_mode & _OTHERS_MAY_WRITE:
        raise _refusal(
            source,
            f"others than {_user(status.st_uid)} may write to {path}",
            f"Look at what is there, then run: chmod go-w {path}",
        )


def _own_fix(status: os.stat_result, path: Path, *, is_data: bool) -> str:
    # The service, which is not this user, would lose what is given to this user.
    if is_data or os.geteuid() == 0:
        return f"Run hv as {_user(status.st_uid)}"
    return f"Look at what is there, then run: chown {_user(os.geteuid())} {path}"


def _refusal(source: PluginSource, problem: str, fix: str) -> PluginFaultError:
    return PluginFaultError(
        PluginFault(
            source=source,
            problem=f"it is not loaded: {problem}",
            location=None,
            fix=f"{fix}; or {source.leave_out}.",
        )
    )


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        # In a container, a user id may have no name.
        return str(number)
