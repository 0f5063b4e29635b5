"""
Broken plugins in files of their own.
"""

import importlib
from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Protocol

import attrs
import pytest

from hvcore.settings import Settings, load
from tests.plugin_faults.broken_plugins import BrokenPlugin
from tests.support.databases.migrated import lay_database

OTHERS = (
    *(
        "tests.plugin_faults.quiet",
        "hvcore_storage_fsspec.plugin",
        "hvcore_ratelimit.plugin",
    ),
    *(
        "hvcore_auth_apikey.plugin",
        "hvcore_analytics_sql.plugin",
        "hvcore_sign_in_link.plugin",
    ),
)
QUIET = {"HV_QUEUE__BACKEND": "quiet", "HV_TRANSCODER__BACKEND": "quiet"}


@attrs.frozen
class Planted:
    """
    A broken plugin in a file, and the settings that choose its backend.
    """

    settings: Settings
    broken: BrokenPlugin
    file: Path
    environ: Mapping[str, str]

    def assert_told(self, texts: Iterable[str], *, fix: bool = True) -> None:
        """
        One of the texts says all that must be said.
        """
        words = [*self.broken.said, *([self.broken.fix] if fix else [])]
        if self.broken.line is not None:
            words.append(f"{self.file}:{self.broken.line}")
        texts = list(texts)
        assert any(all(word in text for word in words) for text in texts), (
            words,
            texts,
        )


class Plant(Protocol):
    def __call__(self, broken: BrokenPlugin, *, is_chosen: bool = True) -> Planted: ...


_numbers = count()


@pytest.fixture(name="plant")
def make_plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plant:
    """
    Write a broken plugin, each time with another name: what hangs keeps its lock.
    """
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(broken: BrokenPlugin, *, is_chosen: bool = True) -> Planted:
        name = f"acme_broken_{next(_numbers)}"
        file = tmp_path / f"{name}.py"
        file.write_text(broken.code.replace("MODULE", name), encoding="utf-8")
        importlib.invalidate_caches()
        environ = {
            **QUIET,
            "HV_PLUGINS": ",".join((name, *OTHERS)),
            **(broken.environ if is_chosen else {}),
        }
        data = tmp_path / "hv-data"
        settings = load(config_path=None, environ=environ, data_dir=data).settings
        lay_database(settings)
        return Planted(settings, broken, file, environ)

    return write
