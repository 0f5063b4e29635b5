"""Check whether the files of a backup are complete, so that it can be restored."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

from hvcore.errors import ConfigError
from hvcore.services.backups.manifest import (
    OBJECT_FOLDER,
    BackedUpTable,
    Manifest,
    read_manifest,
)
from hvcore.services.backups.object_list import ObjectList


def verify_backup(folder: Path, *, tell: Callable[[str], None]) -> Manifest:
    """
    Read every file of a backup of any version, count its rows and objects; return its manifest.

    Raises:
        ConfigError: The folder is no backup, or damaged; the text says where.
        OSError: The backup cannot be read.
    """
    tell("Reading the files of the backup.")
    manifest = read_manifest(folder, schema_version=None)
    for table in manifest.tables:
        _check_rows(folder, table)
    with ObjectList() as objects:
        objects.read(folder / manifest.object_list.file)
        if objects.totals() != (manifest.objects, manifest.objects_bytes):
            raise _damaged(folder / manifest.object_list.file)
        if manifest.has_objects:
            tell("Looking for the objects of the backup; many take minutes.")
            _check_objects(folder / OBJECT_FOLDER, objects, manifest.gone_objects)
    return manifest


def _check_rows(folder: Path, table: BackedUpTable) -> None:
    rows = 0
    try:
        with gzip.open(folder / table.file, "rt", encoding="utf-8") as file:
            for line in file:
                rows += len(json.loads(line)) == len(table.columns)
    except (EOFError, ValueError, TypeError, gzip.BadGzipFile) as exc:
        raise _damaged(folder / table.file) from exc
    if rows != table.rows:
        raise _damaged(folder / table.file)


def _check_objects(folder: Path, objects: ObjectList, gone: int) -> None:
    missing = 0
    for one in objects:
        try:
            size_bytes = (folder / one.path).stat().st_size
        except FileNotFoundError:
            missing += 1
            continue
        # Listed before it was replaced, maybe by a shorter one; it is never half there.
        if size_bytes == 0 < one.size_bytes:
            raise _damaged(folder / one.path)
    if missing > gone:
        raise ConfigError(
            f"{folder} lacks {missing} objects, and {gone} were gone when it was made; "
            "use another backup."
        )


def _damaged(path: Path) -> ConfigError:
    return ConfigError(f"{path} is damaged; use another backup.")
