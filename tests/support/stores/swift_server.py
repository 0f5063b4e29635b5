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
from swift.container.server import ContainerController

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

    apps = {
        "account": AccountController,
        "container": ContainerController,
        "object": ObjectController,
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
