"""
A backup is verified by its files alone.
"""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from hvcore.errors import ConfigError
from hvcore.services.backups.manifest import (
    FORMAT,
    MANIFEST,
    OBJECT_FOLDER,
    OBJECTS,
    BackedUpFile,
    BackedUpTable,
    Manifest,
    read_manifest,
    sha256_of,
    write_manifest,
)
from hvcore.services.backups.object_list import ListedObject, ObjectList
from hvcore.services.backups.verification import verify_backup

OBJECTS_OF_IT = (
    ListedObject(path="media/vid_a/1.m4s", size_bytes=3),
    ListedObject(path="media/vid_a/2.m4s", size_bytes=0),
    ListedObject(path="uploads/grant_b/file", size_bytes=4),
)
TABLE = "tables/videos.jsonl.gz"


def file_at(folder: Path, name: str) -> BackedUpFile:
    digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    return BackedUpFile(file=name, sha256=digest)


def packed(*rows: object) -> bytes:
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    return gzip.compress(text.encode())


def table_of(folder: Path, rows: int) -> BackedUpTable:
    one = file_at(folder, TABLE)
    return BackedUpTable(
        file=one.file,
        sha256=one.sha256,
        name="videos",
        columns={"id": "text", "n": "integer"},
        rows=rows,
    )


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    with ObjectList() as listed:
        for one in OBJECTS_OF_IT:
            listed.add(one)
        listed.write(tmp_path / OBJECTS)
    for one in OBJECTS_OF_IT:
        path = tmp_path / OBJECT_FOLDER / one.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * one.size_bytes)
    (tmp_path / TABLE).parent.mkdir()
    (tmp_path / TABLE).write_bytes(packed(["a", 1], ["b", 2]))
    write_manifest(made(tmp_path), tmp_path)
    return tmp_path


def made(folder: Path, **changes: Any) -> Manifest:  # noqa: ANN401 - names of fields
    manifest = Manifest(
        format=FORMAT,
        id="backup_1",
        version="1.2.3",
        schema_version="0038",
        created_at="2026-01-02T03:04:05+00:00",
        tables=[table_of(folder, 2)],
        secrets=[],
        object_list=file_at(folder, OBJECTS),
        objects=3,
        objects_bytes=7,
        has_objects=True,
        gone_objects=0,
        deleted_meanwhile=["vid_c"],
        outside=[],
    )
    return attrs.evolve(manifest, **changes)


def rewrite(folder: Path, **changes: Any) -> None:  # noqa: ANN401 - names of fields
    (folder / MANIFEST).unlink()
    write_manifest(made(folder, **changes), folder)


def verified(folder: Path) -> Manifest:
    return verify_backup(folder, tell=lambda _: None)


def test_a_whole_backup_is_verified_and_tells_what_takes_time(backup: Path) -> None:
    told: list[str] = []

    manifest = verify_backup(backup, tell=told.append)

    assert json.dumps(attrs.asdict(manifest)) == json.dumps(attrs.asdict(made(backup)))
    assert told == [
        "Reading the files of the backup.",
        "Looking for the objects of the backup; many take minutes.",
    ]


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (packed(["a", 1]), 2),
        (packed(["a", 1], ["b", 2]), 1),
        (packed(["a", 1], ["b"]), 2),
        (packed(["a", 1], 7), 2),
        (packed(["a", 1], ["b", 2])[:-9], 2),
        (gzip.compress(b"no JSON"), 1),
        (b"no gzip", 1),
    ],
    # The bytes differ from process to process: gzip writes the time.
    ids=["fewer", "more", "short row", "no row", "cut off", "no JSON", "no gzip"],
)
def test_a_table_whose_rows_are_not_those_that_were_counted_is_damaged(
    backup: Path, data: bytes, rows: int
) -> None:
    (backup / TABLE).write_bytes(data)
    rewrite(backup, tables=[table_of(backup, rows)])
    read_manifest(backup, schema_version=None)

    with pytest.raises(ConfigError, match=r"videos\.jsonl\.gz is damaged; use another"):
        verified(backup)


@pytest.mark.parametrize("totals", [(2, 7), (3, 8)])
def test_a_list_with_other_totals_is_damaged(
    backup: Path, totals: tuple[int, int]
) -> None:
    rewrite(backup, objects=totals[0], objects_bytes=totals[1])

    with pytest.raises(ConfigError, match=rf"{OBJECTS} is damaged; use another backup"):
        verified(backup)


def test_an_object_that_has_become_empty_is_damaged(backup: Path) -> None:
    path = backup / OBJECT_FOLDER / OBJECTS_OF_IT[0].path
    path.write_bytes(b"")

    with pytest.raises(ConfigError, match=r"1\.m4s is damaged; use another backup"):
        verified(backup)


def test_as_many_objects_may_lack_as_were_gone_when_the_backup_was_made(
    backup: Path,
) -> None:
    (backup / OBJECT_FOLDER / OBJECTS_OF_IT[0].path).unlink()
    rewrite(backup, gone_objects=1)
    assert verified(backup).gone_objects == 1

    (backup / OBJECT_FOLDER / OBJECTS_OF_IT[2].path).unlink()

    with pytest.raises(
        ConfigError, match="lacks 2 objects, and 1 were gone when it was made"
    ):
        verified(backup)


def test_a_backup_without_its_objects_is_whole_without_them(backup: Path) -> None:
    (backup / OBJECT_FOLDER / OBJECTS_OF_IT[0].path).unlink()
    rewrite(backup, has_objects=False)

    assert not verified(backup).has_objects


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tables": "../videos"}, r"backup\.json is damaged"),
        ({"secrets": "other.json"}, r"backup\.json is damaged"),
        ({"object_list": "other.gz"}, r"backup\.json is damaged"),
        ({"counts": "counts"}, r"backup\.json is damaged"),
        ({"state": "state"}, r"backup\.json is damaged"),
    ],
)
def test_a_backup_that_names_files_elsewhere_is_damaged(
    backup: Path, changes: dict[str, str], says: str
) -> None:
    document = json.loads((backup / MANIFEST).read_text())
    for name, file in changes.items():
        one = {"file": file, "sha256": ""}
        if name == "tables":
            document[name][0]["file"] = file
        else:
            document[name] = one if name == "object_list" else [one]
    (backup / MANIFEST).write_text(json.dumps(document))

    with pytest.raises(ConfigError, match=says):
        verified(backup)


def test_a_file_that_is_not_as_it_was_written_is_damaged_or_lacks(
    backup: Path,
) -> None:
    (backup / TABLE).write_bytes(b"other")
    with pytest.raises(ConfigError, match=r"videos\.jsonl\.gz is damaged"):
        verified(backup)

    (backup / TABLE).unlink()
    with pytest.raises(ConfigError, match="cannot be read: No such file or directory"):
        verified(backup)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "it is no backup, or hv backup has not ended"),
        ("[]", r"backup\.json is damaged"),
        ("{}", r"backup\.json is damaged"),
        ("no JSON", r"backup\.json is damaged"),
        (f'{{"format": {FORMAT}}}', r"backup\.json is damaged"),
        (
            f'{{"format": {FORMAT + 1}, "version": "9.9"}}',
            r"was written by a newer hvcore \(9\.9\); install that version",
        ),
    ],
)
def test_a_folder_that_is_no_backup_of_this_version_says_what_it_is(
    backup: Path, text: str | None, says: str
) -> None:
    (backup / MANIFEST).unlink()
    if text is not None:
        (backup / MANIFEST).write_text(text)

    with pytest.raises(ConfigError, match=says):
        verified(backup)


def test_a_backup_is_restored_with_its_own_tables_alone(backup: Path) -> None:
    assert read_manifest(backup, schema_version="0038").id == "backup_1"
    with pytest.raises(ConfigError, match=r"\(0038, here 0039\)"):
        read_manifest(backup, schema_version="0039")


def test_a_backup_that_is_written_twice_keeps_its_first_end(backup: Path) -> None:
    (backup / f".{MANIFEST}").touch()

    with pytest.raises(FileExistsError):
        write_manifest(made(backup), backup)


def test_the_hash_of_an_unreadable_file_says_why_it_cannot_be_read(
    tmp_path: Path,
) -> None:
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        sha256_of(tmp_path)
