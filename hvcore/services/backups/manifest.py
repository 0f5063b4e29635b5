"""Write and read the manifest of a backup, and check the files that it names."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Final

import attrs
import cattrs

from hvcore.errors import ConfigError

FORMAT: Final = 1
MANIFEST: Final = "backup.json"
OBJECTS: Final = "objects.jsonl.gz"
OBJECT_FOLDER: Final = "objects"
TABLE_FOLDER: Final = "tables"
SPOOL_FOLDER: Final = "spool"
STATE_FOLDER: Final = "state"
SECRET_FILES: Final = ("secrets.json", "first-keys.json")
"""Files of the data folder with secrets; the second one stays until it is removed by hand."""
_TABLE_FILE: Final = re.compile(rf"{TABLE_FOLDER}/\w+\.jsonl\.gz")
_STATE_FILE: Final = re.compile(rf"{STATE_FOLDER}/[\w-]+/[\w-][\w.-]*")
_SPOOL_FILE: Final = re.compile(rf"{SPOOL_FOLDER}/[0-9a-f]{{32}}\.log\.gz")


@attrs.frozen(kw_only=True)
class BackedUpFile:
    """A file of a backup, with its path below the backup's folder and its checksum."""

    file: str
    sha256: str


@attrs.frozen(kw_only=True)
class BackedUpTable(BackedUpFile):
    """
    A file of a backup with the rows of one database table.

    Attributes:
        columns: The type of each column by its name, in the order of the rows' values.
    """

    name: str
    columns: Mapping[str, str]
    rows: int


@attrs.frozen(kw_only=True)
class Manifest:
    """
    The description of a backup's content.

    Attributes:
        format: The version of the backup's file format, FORMAT.
        id: The identifier of the backup, different for each.
        version: The version of hvcore that made the backup.
        schema_version: The version of the database's tables.
        created_at: The moment of which the rows are, in ISO 8601.
        objects_bytes: The size of all listed objects together.
        has_objects: Whether the backup contains the objects themselves, too.
        gone_objects: How many objects were deleted before they could be copied.
        deleted_meanwhile: The ids of videos that the rows have, but that were deleted before
            all objects were listed.
        outside: Settings that hold keys of their own, which the backup does not contain.
        counts: Spool files of the machine that made the backup, as of the same moment.
        state: The state that analytics sinks keep on that machine, as of the same moment.
    """

    format: int
    id: str
    version: str
    schema_version: str
    created_at: str
    tables: Sequence[BackedUpTable]
    secrets: Sequence[BackedUpFile]
    object_list: BackedUpFile
    objects: int
    objects_bytes: int
    has_objects: bool
    gone_objects: int
    deleted_meanwhile: Sequence[str]
    outside: Sequence[str]
    # Older backups have none.
    counts: Sequence[BackedUpFile] = ()
    state: Sequence[BackedUpFile] = ()


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """
    Write the manifest as the last file of a backup: without it, a folder is no backup.

    Raises:
        OSError: The disk is full, or the like.
    """
    temporary = folder / f".{MANIFEST}"
    with temporary.open("x", encoding="utf-8") as file:
        json.dump(attrs.asdict(manifest), file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(folder / MANIFEST)


def read_manifest(folder: Path, *, schema_version: str | None) -> Manifest:
    """
    Read the manifest of a backup, check all files that it names, and return it.

    Args:
        schema_version: The version of this hvcore's tables; None if the backup is not to be
            restored now.

    Raises:
        ConfigError: The folder is no backup, or one of another version, or damaged.
    """
    path = folder / MANIFEST
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise ConfigError(
                f"{folder} was written by a newer hvcore ({document['version']}); "
                "install that version."
            )
        manifest = cattrs.structure(document, Manifest)
    except FileNotFoundError as exc:
        raise ConfigError(
            f"{folder} has no {MANIFEST}: it is no backup, or hv backup has not ended."
        ) from exc
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        cattrs.BaseValidationError,
    ) as exc:
        raise ConfigError(f"{path} is damaged; use another backup.") from exc
    if schema_version not in {None, manifest.schema_version}:
        raise ConfigError(
            f"The backup is of hvcore {manifest.version}, whose tables are others "
            f"({manifest.schema_version}, here {schema_version}). Restore it with that "
            "version, and upgrade afterwards."
        )
    _check_places(manifest, path)
    files: list[BackedUpFile] = [*manifest.tables, *manifest.secrets]
    files += [*manifest.counts, *manifest.state, manifest.object_list]
    for one in files:
        if sha256_of(folder / one.file) != one.sha256:
            raise ConfigError(f"{folder / one.file} is damaged; use another backup.")
    return manifest


def _check_places(manifest: Manifest, path: Path) -> None:
    """Refuse files that are elsewhere: this reads and writes where they say."""
    places = (
        (_TABLE_FILE, manifest.tables),
        (_SPOOL_FILE, manifest.counts),
        (_STATE_FILE, manifest.state),
    )
    are_right = all(
        pattern.fullmatch(one.file) for pattern, files in places for one in files
    )
    secrets = all(secret.file in SECRET_FILES for secret in manifest.secrets)
    if not are_right or not secrets or manifest.object_list.file != OBJECTS:
        raise ConfigError(f"{path} is damaged; use another backup.")


def sha256_of(path: Path) -> str:
    """
    Return the SHA-256 of a file, in hexadecimal.

    Raises:
        ConfigError: The file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read: {exc.strerror}.") from exc
