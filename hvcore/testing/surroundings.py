"""
Set the time zone and locale in which kits run every test: nine hours ahead of UTC, in Turkish.

So tests find backends that take local time for UTC, and backends whose C library writes
numbers with a comma, also on machines that run at UTC in English.
"""

import locale
import os
import platform
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final

ZONE: Final = "<+09>-9"
"""The time zone nine hours ahead of UTC, in the POSIX form that needs no time zone data."""
LOCALE: Final = "tr_TR.UTF-8"
"""A locale in which a small I has no upper case in ASCII, and the decimal point is a comma."""
_PARTS: Final = ("LC_COLLATE", "LC_CTYPE", "LC_NUMERIC", "LC_TIME")
_COMPILE_LIMIT_S: Final = 60.0


@contextmanager
def far_away(folder: Path) -> Iterator[None]:
    """
    Set a time zone nine hours ahead of UTC for a block, and a Turkish locale where possible.

    Args:
        folder: The folder in which the locale is made if the machine's temporary folder
            cannot keep it for all processes.
    """
    names = ("TZ", "LC_ALL", "LOCPATH")
    before = {name: os.environ.get(name) for name in names}
    locale_before = locale.setlocale(locale.LC_ALL)
    try:
        os.environ["TZ"] = ZONE
        time.tzset()
        _set_locale(folder)
        # Errors of the system go on to be in words that most authors can read.
        locale.setlocale(locale.LC_MESSAGES, "C")
        yield
    finally:
        # LOCPATH first: it says where the other locale is.
        for name in reversed(names):
            _restore(name, before[name])
        time.tzset()
        locale.setlocale(locale.LC_ALL, locale_before)


def _set_locale(folder: Path) -> None:
    with suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, LOCALE)
        os.environ["LC_ALL"] = LOCALE
        return
    made = _made(folder)
    if made is None:
        return
    os.environ["LOCPATH"] = str(made)
    try:
        locale.setlocale(locale.LC_ALL, LOCALE)
        os.environ["LC_ALL"] = LOCALE
    except locale.Error:
        del os.environ["LOCPATH"]


@cache
def _made(folder: Path) -> Path | None:
    """
    Return a folder with the locale, made with the tools of GNU systems; None without these.

    To make it takes a second, or many on a busy machine, so that it is kept for all
    processes.
    """
    program = shutil.which("localedef")
    if program is None:
        return None
    # Other versions of the C library may not read it.
    name = f"hvcore-locales-{os.getuid()}-{'-'.join(platform.libc_ver())}"
    kept = Path(tempfile.gettempdir()) / name
    for place in (kept, folder):
        with suppress(OSError):
            place.mkdir(mode=0o700, exist_ok=True)
            if _is_own(place) and (_is_whole(place) or _make(program, place)):
                return place
    return None


def _is_own(folder: Path) -> bool:
    """Return whether nobody else can put files into a folder."""
    found = folder.lstat()
    return (
        stat.S_ISDIR(found.st_mode)
        and found.st_uid == os.getuid()
        and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    )


def _is_whole(folder: Path) -> bool:
    # Programs that tidy temporary folders may have removed some.
    return all((folder / LOCALE / name).is_file() for name in _PARTS)


def _make(program: str, folder: Path) -> bool:
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        made = Path(temporary) / LOCALE
        options = ["-i", "tr_TR", "-f", "UTF-8", "--no-archive", str(made)]
        done = subprocess.run(  # noqa: S603 - the system's own
            [program, *options],
            capture_output=True,
            check=False,
            timeout=_COMPILE_LIMIT_S,
        )
        if done.returncode != 0:
            return False
        # Another process may have been first.
        if not _is_whole(folder):
            with suppress(OSError):
                (folder / LOCALE).rename(Path(temporary) / "former")
            with suppress(OSError):
                made.rename(folder / LOCALE)
    return _is_whole(folder)


def _restore(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
