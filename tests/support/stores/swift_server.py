"""
OpenStack Swift in one process, with its S3 interface, which checks signatures.

A program of its own, because eventlet changes sockets and threads for all of a process:
``python -m tests.support.stores.swift_server FOLDER [ADDRESS PORT]``. It writes its port into the file
``port`` there.
Everything is in memory and in FOLDER, and is gone with them.
"""

# ruff: noqa: E402, PLC0415 - nothing may be imported before it is patched
import eventlet

eventlet.monkey_patch()

import sys
from pathlib import Path
from typing import Any, Final

from eventlet import wsgi
from swift.account.server import AccountController
from swift.common import utils
from swift.common.ring import RingBuilder
from swift.common.utils import Timestamp
from swift.container.server import ContainerController
from swift.obj.mem_diskfile import DiskFile, InMemoryFileSystem

KEY: Final = "test:tester"
SECRET: Final = "testing"
PIPELINE: Final = "catch_errors gatekeeper s3api tempauth copy dlo slo proxy-server"
PROXY: Final = f"""
[DEFAULT]
[pipeline:main]
pipeline = {PIPELINE}
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
cors_allow_origin = *
# By default half a second, in which one process does not answer a hundred clients.
conn_timeout = 30
node_timeout = 60
error_suppression_limit = 100000
[filter:s3api]
use = egg:swift#s3api
# By default a thousand, which take a minute to store.
max_bucket_listing = 100
cors_preflight_allow_origin = *
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = {SECRET} .admin
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:copy]
use = egg:swift#copy
[filter:dlo]
use = egg:swift#dlo
[filter:slo]
use = egg:swift#slo
"""


class Silence:
    """
    A log that nobody reads.
    """

    def write(self, *_: object) -> None: ...


class DatedFiles(InMemoryFileSystem):
    """
    The objects in memory; a write or a removal that is older than the last change of its object changes nothing.

    Swift's own files keep such an order by tombstones. Without it a removal that overtakes
    a write would leave an object that its bucket does not list.
    """

    def __init__(self) -> None:
        super().__init__()
        self._changed_at: dict[str, Timestamp] = {}

    def get_diskfile(
        self, account: str, container: str, obj: str, **_: object
    ) -> DiskFile:
        return DatedFile(self, account, container, obj)

    def put_object(self, name: str, fp: object, metadata: dict[str, Any]) -> None:
        if self.is_last_change(name, Timestamp(metadata["X-Timestamp"])):
            super().put_object(name, fp, metadata)

    def is_last_change(self, name: str, at: Timestamp) -> bool:
        """Note a change of an object; return False if the object was changed later than ``at``."""
        is_last = at >= self._changed_at.get(name, at)
        if is_last:
            self._changed_at[name] = at
        return is_last


class DatedFile(DiskFile):  # type: ignore[misc] - Swift ships no types
    """
    An object of ``DatedFiles``, of which a removal is noted even if there is no object yet.
    """

    def delete(self, timestamp: Timestamp) -> None:
        if self._filesystem.is_last_change(self._name, Timestamp(timestamp)):
            super().delete(timestamp)


def main(folder: Path, address: str = "127.0.0.1", port: str = "0") -> None:
    (folder / "swift.conf").write_text("[swift-hash]\nswift_hash_path_suffix = x\n")
    utils.set_swift_dir(str(folder))
    devices = folder / "devices"
    (devices / "disk").mkdir(parents=True)
    conf = {
        "swift_dir": str(folder),
        "devices": str(devices),
        "mount_check": "false",
        "fallocate_reserve": "0",
        "log_level": "ERROR",
        # An object server waits for the list of its bucket, by default a second: a busy
        # machine would list an object a while after it was stored, or never.
        "conn_timeout": "30",
        "node_timeout": "60",
        "container_update_timeout": "60",
    }
    # The object server reads what it may not do from the others' rings, too.
    from swift.obj.mem_server import ObjectController

    class DatedObjectController(ObjectController):  # type: ignore[misc] - Swift ships no types
        """The object server with ``DatedFiles``."""

        def setup(self, conf: dict[str, str]) -> None:
            super().setup(conf)
            self._filesystem = DatedFiles()

    apps = {
        "account": AccountController,
        "container": ContainerController,
        "object": DatedObjectController,
    }
    for name, app_class in apps.items():
        listener = eventlet.listen(("127.0.0.1", 0), backlog=512)
        make_ring(folder / f"{name}.ring.gz", listener.getsockname()[1])
        serve(listener, app_class, conf)
    listener = eventlet.listen((address, int(port)), backlog=512)
    (folder / "proxy.conf").write_text(PROXY)
    from swift.common.wsgi import loadapp

    app = loadapp(str(folder / "proxy.conf"), global_conf=conf)
    ready = folder / "port.new"
    ready.write_text(str(listener.getsockname()[1]))
    ready.rename(folder / "port")
    wsgi.server(listener, app, Silence(), debug=False)


def serve(listener: Any, app: Any, conf: dict[str, str]) -> None:  # noqa: ANN401 - Swift ships no types
    eventlet.spawn(wsgi.server, listener, app(conf), Silence(), debug=False)


def make_ring(path: Path, port: int) -> None:
    builder = RingBuilder(1, 1, 0)
    builder.add_dev(
        {
            "region": 1,
            "zone": 1,
            "ip": "127.0.0.1",
            "port": port,
            "device": "disk",
            "weight": 1.0,
        }
    )
    builder.rebalance()
    builder.get_ring().save(str(path))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
