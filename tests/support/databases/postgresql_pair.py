"""
A PostgreSQL and its standby, which has every commit before anybody is told of it.
"""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, LiteralString

from tests.support.live import free_ports
from tests.support.servers import (
    PostgresqlServer,
    make_cluster,
    postgresql_binaries,
    server_folder,
    wait_until,
)

_SETTINGS: Final = (
    # The data outlives killed processes, which is all that is done to them here.
    "-cfsync=off",
    "-cfull_page_writes=off",
    "-cautovacuum=off",
    "-cshared_buffers=24MB",
    "-cmax_connections=200",
    "-clisten_addresses=127.0.0.1",
    "-cwal_level=replica",
    "-csynchronous_commit=on",
)


class PostgresqlPair:
    """
    Two servers on ports of this machine; at first ``primary`` streams to ``standby``.
    """

    def __init__(self, folder: Path, run_as: int | None) -> None:
        self._folder = folder
        self._run_as = run_as
        first = free_ports()
        self.primary = self._server("one", first)
        self.standby = self._server("two", first + 1)
        self._names = {self.primary: "one", self.standby: "two"}

    def start(self) -> None:
        """
        Start both, and wait until what is committed is at both.
        """
        make_cluster(self._data(self.primary), self._run_as)
        self.primary.start()
        self._make_standby()

    def url(self, database: str) -> str:
        """
        Return the URL of a database, with both hosts.
        """
        hosts = ",".join(f"127.0.0.1:{one.port}" for one in self._names)
        return f"postgresql+psycopg://postgres@{hosts}/{database}"

    def promote(self) -> None:
        """
        Have the standby take writes; from then on it is ``primary``.
        """
        self.standby.ask("SELECT pg_promote(true, 60)")
        self.primary, self.standby = self.standby, self.primary

    def rejoin(self) -> None:
        """
        Have the server that was the primary come back as the standby of the other one.
        """
        self.standby.stop()
        shutil.rmtree(self._data(self.standby))
        self._make_standby()

    def stop(self) -> None:
        """
        End both.
        """
        for one in self._names:
            one.stop()

    def _make_standby(self) -> None:
        # As a copy of this one it would, once promoted, wait for a standby that it lacks.
        self._require_standby("RESET synchronous_standby_names")
        command: list[Path | str] = [
            postgresql_binaries() / "pg_basebackup",
            *("--host=127.0.0.1", f"--port={self.primary.port}", "--username=postgres"),
            *("--write-recovery-conf", "--checkpoint=fast", "--no-sync"),
            f"--pgdata={self._data(self.standby)}",
        ]
        subprocess.run(
            command,
            check=True,
            capture_output=True,
            cwd=self._folder,
            user=self._run_as,
        )
        self.standby.start()
        self._require_standby("SET synchronous_standby_names = '*'")
        wait_until(self._is_synchronous)

    def _require_standby(self, change: LiteralString) -> None:
        self.primary.ask(f"ALTER SYSTEM {change}")
        self.primary.ask("SELECT pg_reload_conf()")

    def _is_synchronous(self) -> bool:
        return self.primary.ask("SELECT sync_state FROM pg_stat_replication") == [
            ("sync",)
        ]

    def _data(self, server: PostgresqlServer) -> Path:
        return self._folder / self._names[server]

    def _server(self, name: str, port: int) -> PostgresqlServer:
        command: list[Path | str] = [
            postgresql_binaries() / "postgres",
            *(f"-D{self._folder / name}", f"-k{self._folder}", f"-p{port}"),
            *_SETTINGS,
        ]
        return PostgresqlServer(self._folder, command, self._run_as, port=port)


@contextmanager
def postgresql_pair() -> Iterator[PostgresqlPair]:
    """
    Run a primary and its standby until the block ends.
    """
    with server_folder() as (folder, run_as):
        pair = PostgresqlPair(folder, run_as)
        try:
            pair.start()
            yield pair
        finally:
            pair.stop()
