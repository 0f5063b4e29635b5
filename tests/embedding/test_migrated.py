"""
Calls before the tables are there say what to run.
"""

import inspect
from pathlib import Path
from typing import Any

import pytest

from hvcore.embedding import (
    EmbeddedEnvironment,
    EmbeddedService,
    NotMigratedError,
    embed,
)
from tests.embedding.conftest import ENVIRON, Host, hosts, sqlite_of_a_host
from tests.embedding.test_web import ask

NEED_NO_TABLES = {"migrate", "is_migrated", "close", "beside", "wsgi_app"}
ARGUMENTS: dict[str, tuple[Any, ...]] = {"environment": ("shop",)}


def public_methods(of: type) -> list[str]:
    return [
        name
        for name, member in inspect.getmembers(of)
        if not name.startswith("_") and inspect.isfunction(member)
    ]


def test_each_call_of_a_service_before_migration_says_what_to_run(
    empty_host: Host,
) -> None:
    for name in set(public_methods(EmbeddedService)) - NEED_NO_TABLES:
        arguments = ARGUMENTS.get(name, ())
        with pytest.raises(NotMigratedError, match=r"run hv\.migrate\(\)") as raised:
            getattr(empty_host.hv, name)(*arguments)
        # Nothing of SQLAlchemy stands above it.
        assert raised.value.__cause__ is None


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
    names = set(public_methods(EmbeddedEnvironment)) - {"in_transaction"}
    for name in names:
        arguments = ["vid_1"] if name != "grant_upload" else []
        method = getattr(environment, name)
        given = {"file_name": "a.mp4"} if name == "grant_upload" else {}
        with pytest.raises(NotMigratedError, match=r"run hv\.migrate\(\)"):
            method(*arguments, **given)
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
