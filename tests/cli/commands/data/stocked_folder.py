"""
Fill a data folder with rows and objects, read it again, and damage backups of it.
"""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import sqlalchemy as sa

from hvcore.persistence.engine import make_engine
from hvcore.persistence.tables import leaders
from tests.support.databases.filled_database import contents, filled_database

OBJECTS: Mapping[str, bytes] = {
    "media/vid_a/job_a/master.m3u8": b"#EXTM3U",
    "media/vid_a/job_a/video/1.m4s": b"moof",
    "media/vid_a/captions/en-cap_aa1.vtt": b"WEBVTT",
    "media/vid_a/captions/en-cap_aa1.words.json": b"{}",
    "uploads/org_a/dev/up_a": b"source",
}


def cut_off_end(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def change_a_row(path: Path) -> None:
    rows = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(rows.replace(b"name 0", b"name 9")))


def stock_folder(data: Path) -> None:
    store_objects(data, OBJECTS)
    (data / "hvcore.sqlite3").write_bytes(filled_database().file)
    (data / "first-keys.json").write_text('{"orgID": "org_local"}')


def store_objects(data: Path, objects: Mapping[str, bytes]) -> None:
    for path, content in objects.items():
        file = data / "storage" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def stored_rows(data: Path) -> Mapping[str, list[str]]:
    engine = make_engine(f"sqlite:///{data}/hvcore.sqlite3")
    with engine.begin() as connection:
        # Of what was made since.
        connection.execute(sa.delete(leaders).where(leaders.c.name == "backup"))
    found = contents(engine)
    engine.dispose()
    return found


def object_path(line: bytes) -> str:
    return str(json.loads(line)["path"])


def unpacked_lines(path: Path) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).splitlines()


def backup_rows(backup: Path) -> Mapping[str, list[bytes]]:
    return {
        file.name: sorted(unpacked_lines(file))
        for file in (backup / "tables").iterdir()
    }
