"""
Run ``hv`` in this process, on a data folder of the test's own.
"""

from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from hv_cli.main import run


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
def migrated(hv: Hv) -> Hv:
    """
    The same, with a database that is up to date.
    """
    assert hv("migrate").status == 0
    return hv
