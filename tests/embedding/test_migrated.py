"""
Calls before the tables are there say what to run.
"""

import inspect
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from hvcore.embedding import (
    EmbeddedEnvironment,
    NotMigratedError,
    embed,
)
from tests.embedding.conftest import ENVIRON, Host, hosts, sqlite_of_a_host
from tests.embedding.test_web import ask

NEED_NO_TABLES = {
    *("migrate", "is_migrated", "close", "beside", "wsgi_app"),
    # There is nothing to remove.
    "uninstall",
    # It has a test of its own below.
    "in_transaction",
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "environment": {"org_id": "shop"},
    "run_worker": {},
    "run_sweep": {},
    "list": {},
    "grant_upload": {"file_name": "a.mp4"},
    "upload": {"source": BytesIO(b"film"), "file_name": "a.mp4"},
    "create_from_url": {"url": "https://films.example.com/a.mp4"},
    "update": {"video_id": "vid_1", "name": "Film"},
    "find_external": {"external_id": "1"},
}
OF_A_VIDEO = {"video_id": "vid_1"}
"""The arguments of all other calls."""


def public_methods(of: type) -> list[str]:
    return [
        name
        for name, member in inspect.getmembers(of)
        if not name.startswith("_") and inspect.isfunction(member)
    ]


def says_what_to_run(of: object) -> None:
    """
    Check each method of an object, also those that are added some day.
    """
    for name in sorted(set(public_methods(type(of))) - NEED_NO_TABLES):
        with pytest.raises(NotMigratedError, match=r"run hv\.migrate\(\)") as raised:
            getattr(of, name)(**ARGUMENTS.get(name, OF_A_VIDEO))
        # Nothing of SQLAlchemy stands above it.
        assert raised.value.__cause__ is None


def test_each_call_before_migration_says_what_to_run(empty_host: Host) -> None:
    says_what_to_run(empty_host.hv)


def test_each_call_of_an_environment_without_tables_says_what_to_run(
    empty_host: Host, tmp_path: Path
) -> None:
    (tmp_path / "migrated").mkdir()
    path = tmp_path / "migrated" / "shop.db"
    path.write_bytes(sqlite_of_a_host())
    (found,) = [
        host.shop
        for host in hosts(f"sqlite:///{path}", path.parent, makes_tables=False)
    ]
    environment = EmbeddedEnvironment(
        org_id=found.org_id,
        name=found.name,
        process=empty_host.hv._process,
        environment=found._environment,
    )

    says_what_to_run(environment)
    with pytest.raises(NotMigratedError):
        environment.captions.list("vid_1")
    with pytest.raises(NotMigratedError):
        environment.posters.address("vid_1")
    with pytest.raises(NotMigratedError):
        environment.analytics.usage()
    with empty_host.engine.begin() as connection:
        with pytest.raises(NotMigratedError, match=r"run hv\.migrate\(\)"):
            environment.in_transaction(connection)
        # The transaction goes on.
        connection.exec_driver_sql("SELECT 1")


def test_an_app_without_tables_says_that_it_cannot_serve(tmp_path: Path) -> None:
    with embed(tmp_path, environ=ENVIRON) as hv:
        assert ask(hv.wsgi_app, "/api/health/ready").status == 503
        hv.migrate()
        assert hv.environment("shop").name == "main"
