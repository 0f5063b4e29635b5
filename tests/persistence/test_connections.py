"""
Connections to a database server, as many as threads.
"""

from contextlib import ExitStack
from pathlib import Path

import pytest

from hv_cli.processes import API_THREADS, DELIVERY_THREADS
from hv_server.serving import DEFAULT_SHARES, most_threads
from hvcore.assembly import build
from hvcore.errors import UnavailableError
from hvcore.persistence import engine as engine_module
from hvcore.persistence.engine import writing
from hvcore.settings import load
from tests.servers import PostgresqlServer

pytestmark = pytest.mark.services


@pytest.mark.parametrize("threads", [API_THREADS, DELIVERY_THREADS])
def test_no_thread_of_a_server_waits_for_anothers_connection(
    postgresql: PostgresqlServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    threads: int,
) -> None:
    monkeypatch.setattr(engine_module, "POOL_TIMEOUT_S", 0)
    url = postgresql.new_database()
    environ = {"HV_DATABASE__URL": url}
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    most = most_threads(threads, DEFAULT_SHARES)
    try:
        with build(settings, connections=most) as services, ExitStack() as all_threads:
            for _ in range(most):
                all_threads.enter_context(writing(services.engine))
            with (
                pytest.raises(UnavailableError, match="Too many requests"),
                writing(services.engine),
            ):
                pass
    finally:
        postgresql.drop_database(url)
