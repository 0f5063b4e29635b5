"""
Take bodies in, without a server.
"""

import io
from contextlib import AbstractContextManager
from pathlib import Path

import falcon
from falcon.testing import create_environ

from hvcore.incoming.disk_space import DiskReservation, DiskReservations
from hvcore.incoming.room_ledger import RoomLedger
from tests.support.http.world import ORG


def request(body: io.RawIOBase) -> falcon.Request:
    environ = create_environ("/upload/x", method="PUT")
    environ |= {"wsgi.input": body, "wsgi.input_terminated": True}
    return falcon.Request(environ)


def room(folder: Path) -> AbstractContextManager[DiskReservation]:
    reservations = DiskReservations(
        ledger=RoomLedger(folder / "room"), most_of_one_percent=50
    )
    return reservations.reserve(folder, None, client=ORG)


def nothing_is_left(folder: Path) -> bool:
    return [file.name for file in folder.iterdir()] == ["room"]
