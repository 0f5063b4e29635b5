"""
Run ``hv`` in this process, on a data folder of the test's own.
"""

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


@pytest.fixture
def migrated(hv: Hv, tmp_path: Path) -> Hv:
    """
    The same, with a database that is up to date.
    """
    data = tmp_path / DEFAULT_DATA
    data.mkdir(mode=0o700)
    lay_database(load(config_path=None, environ={}, data_dir=data).settings)
    assert hv("migrate").status == 0
    return hv
