"""
A data folder with rows and objects, and a backup of it.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore_cli.main import run
from tests.cli.commands.data.stocked_folder import stock_folder
from tests.cli.conftest import Hv
from tests.support.servers import PostgresqlServer


@pytest.fixture
def stocked(hv: Hv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hv:
    """
    A service with rows in every table, and some objects.
    """
    monkeypatch.setenv("HV_QUEUE__BACKEND", "sql")
    stock_folder(tmp_path / "hv-data")
    return hv


@pytest.fixture(scope="module")
def _backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("backup")
    stock_folder(folder / "data")
    words = ["--data", str(folder / "data"), "backup", str(folder / "backup")]
    assert run(words) == 0
    return folder / "backup"


@pytest.fixture
def backup(_backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """
    A backup of such a service.
    """
    monkeypatch.setenv("HV_QUEUE__BACKEND", "sql")
    return Path(shutil.copytree(_backup, tmp_path / "backup"))


@pytest.fixture
def empty_postgresql(postgresql: PostgresqlServer) -> Iterator[str]:
    url = postgresql.new_database()
    yield url
    postgresql.drop_database(url)
