"""
What ffmpeg can do on this machine: found out once, for all data folders of tests.

A service tries its programs at the first start on a data folder, which takes a second
of a processor. Trials have tests of their own (``plugins/transcoder_ffmpeg``).
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.npm_packages import CACHE

KNOWN = CACHE / "capabilities.json"
"""Of other programs than today's, a service believes nothing in it."""


@contextmanager
def tried_ffmpeg(data: Path) -> Iterator[None]:
    """
    Let a service on a data folder know what is known; learn from it afterwards.
    """
    own = data / "state" / "ffmpeg" / KNOWN.name
    if KNOWN.exists() and not own.exists():
        for folder in (data, own.parents[1], own.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copy(KNOWN, own)
    yield
    with suppress(FileNotFoundError):
        if not KNOWN.exists() or own.read_bytes() != KNOWN.read_bytes():
            CACHE.mkdir(parents=True, exist_ok=True)
            # Several processes of tests end at once.
            whole = KNOWN.with_suffix(f".{os.getpid()}")
            shutil.copy(own, whole)
            whole.replace(KNOWN)
