"""
The sample shops of docs/examples: orders and the films that may be sent for them.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs
import pytest
import sqlalchemy as sa

from tests.support.servers import PostgresqlServer, wait_until

FOLDER: Final = Path(__file__).parents[3] / "docs" / "examples"
TABLES: Final = {"django_shop": "django_shop_order", "fastapi_shop": "orders"}
HALVES: Final = """
SELECT video_id FROM {orders} WHERE video_id NOT IN (SELECT id FROM {videos})
UNION ALL SELECT id FROM {videos} WHERE id NOT IN (SELECT video_id FROM {orders})
UNION ALL SELECT id FROM {videos} WHERE id NOT IN (SELECT video_id FROM {grants})
"""
LONG = [pytest.mark.long, pytest.mark.timeout(1200)]


@attrs.frozen(kw_only=True)
class Place:
    """
    A database for a shop, and the environment that names it.
    """

    url: str
    environ: Mapping[str, str]

    @property
    def is_server(self) -> bool:
        return self.url.startswith("postgresql")

    def run(self, *command: str) -> str:
        root = FOLDER.parents[1]
        paths = (
            FOLDER,
            root,
            *(root / name for name in ("plugins", "contrib", "apps")),
        )
        kept = {name: value for name, value in os.environ.items() if name[:3] != "HV_"}
        ran = subprocess.run(
            [sys.executable, *command],
            env={
                **kept,
                **self.environ,
                "DJANGO_SECRET_KEY": "a secret of the test",
                "HV_LIMITS__ENABLED": "false",
                "PYTHONPATH": os.pathsep.join(map(str, paths)),
            },
            check=False,
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr[-3000:]
        return ran.stdout


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.services)]
)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/shop.sqlite3"
        environ = {"SHOP_FOLDER": str(tmp_path), "SHOP_DATABASE_URL": url}
        yield Place(url=url, environ=environ)
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    url = server.new_database()
    found = sa.make_url(url)
    yield Place(
        url=url,
        environ={
            "SHOP_FOLDER": str(tmp_path),
            "SHOP_DATABASE_URL": url,
            "PGDATABASE": str(found.database),
            "PGHOST": str(found.query["host"]),
            "PGUSER": str(found.username),
        },
    )
    server.drop_database(url)


@pytest.mark.cases(3)
@pytest.mark.parametrize("shop", ["django_shop", "fastapi_shop"])
@pytest.mark.parametrize("kills", [2, pytest.param(200, marks=LONG)])
def test_no_kill_of_a_shop_leaves_half_of_an_order_and_its_film(
    place: Place, shop: str, kills: int
) -> None:
    sold = int(place.run("-m", "tests.embedding.shops.shop_sellers", shop, str(kills)))

    begin = "hv." if place.is_server else "hv_"
    halves = HALVES.format(
        orders=TABLES[shop], videos=f"{begin}videos", grants=f"{begin}grants"
    )
    engine = sa.create_engine(place.url)
    with engine.connect() as connection:
        if place.is_server:
            wait_until(lambda: _is_alone(connection))
        assert connection.execute(sa.text(halves)).all() == []
        counted = sa.select(sa.func.count()).select_from(sa.table(TABLES[shop]))
        orders = connection.execute(counted).scalar_one()
    engine.dispose()
    # What was told of is there, and at most one more of each seller.
    assert sold >= kills
    assert sold <= orders <= sold + kills


def _is_alone(connection: sa.Connection) -> bool:
    """
    Tell whether the server has ended all sessions of killed processes.
    """
    others = sa.text(
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    number: int = connection.execute(others).scalar_one()
    connection.rollback()
    return number == 0


@pytest.mark.services
@pytest.mark.cases(1)
def test_the_shop_in_django_passes_its_own_tests(place: Place) -> None:
    place.run("-m", "django", "test", "django_shop", "--settings=django_shop.settings")
