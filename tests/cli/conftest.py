"""
Run ``hv`` in this process, on a data folder of the test's own.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from hvcore.settings import load
from hvcore_cli.invocation import DEFAULT_DATA
from hvcore_cli.main import run
from tests.support.databases.migrated import lay_database


@attrs.frozen
class Outcome:
    """
    What a command has answered.
    """

    status: int
    stdout: str
    stderr: str


Hv = Callable[..., Outcome]


@pytest.fixture
def hv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Hv:
    """
    Call ``hv`` with words, as a shell does.
    """
    monkeypatch.chdir(tmp_path)

    def call(*words: str, **environ: str) -> Outcome:
        with monkeypatch.context() as patch:
            for name, value in environ.items():
                patch.setenv(name, value)
            status = run(list(words))
        out, err = capfd.readouterr()
        return Outcome(status, out, err)

    return call


@pytest.fixture(scope="session")
def made_folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    Return the folder with data folders of commands, which further tests copy.
    """
    return tmp_path_factory.mktemp("made")


@pytest.fixture
def migrated(hv: Hv, tmp_path: Path, made_folders: Path) -> Hv:
    """
    The same, with a database that is up to date.
    """
    _lay_data_folder(hv, tmp_path / DEFAULT_DATA, made_folders, "migrate")
    return hv


@pytest.fixture
def prepared(hv: Hv, tmp_path: Path, made_folders: Path) -> Hv:
    """
    The same, with the first organization and its keys.
    """
    _lay_data_folder(hv, tmp_path / DEFAULT_DATA, made_folders, "migrate", "prepare")
    return hv


def _lay_data_folder(hv: Hv, data: Path, made: Path, *commands: str) -> None:
    """
    Make a data folder by commands, or copy it where they have made one before.
    """
    kept = made / commands[-1]
    if kept.exists():
        shutil.copytree(kept, data)
        return
    data.mkdir(mode=0o700)
    lay_database(load(config_path=None, environ={}, data_dir=data).settings)
    for command in commands:
        assert hv(command).status == 0
    shutil.copytree(data, kept)
