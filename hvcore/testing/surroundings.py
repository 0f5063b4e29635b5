"""
Set the time zone and locale in which kits run every test: nine hours ahead of UTC, in Turkish.

So tests find backends that take local time for UTC, and backends whose C library writes
numbers with a comma, also on machines that run at UTC in English.
"""

import locale
import os
import shutil
import subprocess
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
_COMPILE_LIMIT_S: Final = 60.0


@contextmanager
def far_away(folder: Path) -> Iterator[None]:
    """
    Set the time zone, and the locale where the machine has it or can make it.

    Args:
        folder: The folder in which the locale is made, once.
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
    if not _made(folder):
        return
    os.environ["LOCPATH"] = str(folder)
    try:
        locale.setlocale(locale.LC_ALL, LOCALE)
        os.environ["LC_ALL"] = LOCALE
    except locale.Error:
        del os.environ["LOCPATH"]


@cache
def _made(folder: Path) -> bool:
    """Make the locale with the tools of GNU systems, which takes a second."""
    program = shutil.which("localedef")
    if program is None:
        return False
    folder.mkdir(exist_ok=True)
    options = ["-i", "tr_TR", "-f", "UTF-8", "--no-archive", str(folder / LOCALE)]
    done = subprocess.run(  # noqa: S603 - the system's own
        [program, *options],
        capture_output=True,
        check=False,
        timeout=_COMPILE_LIMIT_S,
    )
    return done.returncode == 0


def _restore(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
