"""
The delivery process with little patience: ``python -m tests.server.file_loop.loop_server``.

It takes a folder with a service's data, a listening descriptor, and the URL of a
database, empty for the folder's own. Nothing flushes what it counts.
"""

import logging
import sys
from pathlib import Path
from typing import Final

from hvcore.assembly import build
from hvcore_delivery.app import make_app
from hvcore_delivery.published import PublishedFileOpener
from hvcore_reference.wsgi import AppWithFiles
from hvcore_server.file_loop.worker import DeliveryWorker
from hvcore_server.serving import SETTINGS, _Server
from tests.server.file_loop.loop_site import site_settings
from tests.support.media_samples import FolderStorage

GRACE_S: Final = 1.0
THREADS: Final = 2
MAX_CONNECTIONS: Final = 40


class QuickDeliveryWorker(DeliveryWorker):
    body_within_s = GRACE_S
    grace_s = GRACE_S
    headers_within_s = GRACE_S


if __name__ == "__main__":
    folder, (descriptor, database) = Path(sys.argv[1]), sys.argv[2:]
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")

    def make() -> AppWithFiles:
        storage = FolderStorage(folder / "storage", {})
        services = build(
            site_settings(folder, database), overrides={"storage": storage}
        )
        return AppWithFiles(make_app(services), PublishedFileOpener.of(services))

    settings = {
        **SETTINGS,
        "bind": f"fd://{descriptor}",
        "threads": THREADS,
        "keepalive": 2,
        "worker_connections": MAX_CONNECTIONS,
        "worker_class": QuickDeliveryWorker,
    }
    _Server(make, settings).run()
