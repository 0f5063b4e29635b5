"""
What the service depends on, each on a host of its own: PostgreSQL, Valkey, a store, names.
"""

import sys
from pathlib import Path
from typing import Final

import attrs

from tests.hosts.network import Host
from tests.hosts.programs import Programs
from tests.support.servers import (
    NOTHING_LASTS,
    postgresql_binaries,
    redis_binary,
    wait_until,
)
from tests.support.stores.object_store import SWIFT_KEY, SWIFT_SECRET, swift_client

NOBODY: Final = 65534
STORE_PORT: Final = 7070
STARTS_WITHIN_S: Final = 60
ANY: Final = "0.0.0.0"  # noqa: S104 - of a host in a network of its own


@attrs.frozen(kw_only=True)
class Servers:
    """
    The hosts of what the service depends on.

    Attributes:
        store: The gateway to the objects.
    """

    database: Host
    valkey: Host
    store: Host
    objects: Host
    resolver: Host

    def start(self, programs: Programs, names: dict[str, str]) -> None:
        """
        Start all of them; they are kept running from then on.

        Args:
            names: What the name server knows: addresses by name.
        """
        self._start_database(programs)
        words = [redis_binary(), "--port", "6379", "--bind", ANY, "--save", ""]
        words += ["--protected-mode", "no", "--appendonly", "no"]
        programs.start("valkey", self.valkey, [*words, "--dir", self.valkey.disk])
        swift = [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "tests.support.stores.swift_server",
        ]
        swift += [str(self.objects.disk), ANY, str(STORE_PORT)]
        programs.start("objects", self.objects, swift)
        behind = f"{self.objects.address}:{STORE_PORT}"
        words = [sys.executable, "-m", "tests.hosts.gateway", str(STORE_PORT), behind]
        programs.start("store", self.store, words)
        known = [f"{name}={address}" for name, address in names.items()]
        words = [sys.executable, "-m", "tests.hosts.name_server", *known]
        programs.start("resolver", self.resolver, words)

    def _start_database(self, programs: Programs) -> None:
        binaries, data = postgresql_binaries(), self.database.disk / "data"
        made = [binaries / "initdb", f"--pgdata={data}", "--username=hv"]
        made += ["--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        self.database.run(*made, uid=NOBODY)
        rule = f"echo host all all all trust >> {data}/pg_hba.conf"
        self.database.run("sh", "-c", rule)
        words = [
            binaries / "postgres",
            f"-D{data}",
            f"-k{data}",
            "-clisten_addresses=*",
        ]
        words += ["-cmax_connections=400", *NOTHING_LASTS, "-cmin_wal_size=32MB"]
        words += ["-cmax_wal_size=64MB"]
        programs.start("database", self.database, words, uid=NOBODY)
        asked = [
            binaries / "psql",
            "-h",
            str(data),
            "-U",
            "hv",
            "-d",
            "postgres",
            "-qc",
        ]

        def is_made() -> bool:
            try:
                self.database.run(*asked, "CREATE DATABASE hv")
            except AssertionError as error:
                return "already exists" in str(error)
            return True

        wait_until(is_made, timeout_s=STARTS_WITHIN_S)

    def make_bucket(self) -> None:
        """
        Wait for the store, and make the bucket of the compose file.
        """
        endpoint = f"http://{self.objects.address}:{STORE_PORT}"

        def is_there() -> bool:
            return self.objects.disk_file(Path("port")).exists()

        wait_until(is_there, timeout_s=STARTS_WITHIN_S)
        swift_client(endpoint).create_bucket(Bucket="videos")

    @staticmethod
    def write_secrets(secrets: Path) -> None:
        """
        Write the store's key, as whoever runs it tells deployers.
        """
        for name, text in {
            "store-key": SWIFT_KEY,
            "store-secret": SWIFT_SECRET,
        }.items():
            (secrets / name).chmod(0o600)
            (secrets / name).write_text(text)
