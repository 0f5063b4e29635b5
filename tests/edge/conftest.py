"""
The services of one machine, and the folder of its edge.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.assembly import Services, build
from tests.support.databases.migrated import lay_database
from tests.support.http.fixtures import settings_of


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    settings = settings_of(tmp_path)
    lay_database(settings)
    with build(settings, rings=False) as made:
        made.migrate()
        yield made


@pytest.fixture
def folder(services: Services) -> Path:
    services.edge_folder.mkdir()
    return services.edge_folder
