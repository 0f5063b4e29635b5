"""Copy the database to another one, and back up and restore the whole service."""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, Self

import attrs

from hvcore import __version__
from hvcore.assembly.tables import TableWiring
from hvcore.errors import ConfigError
from hvcore.persistence.copying.copy import (
    Copied,
    CopiedTable,
    Tell,
    copy,
    copy_id_of,
    refuse_leader,
)
from hvcore.persistence.copying.dump import DumpedTable, DumpSource, write_dump
from hvcore.persistence.copying.found_tables import deleted_since, there_of
from hvcore.persistence.copying.restored_stays import (
    lengthen_stays,
    restorable_videos,
)
from hvcore.persistence.copying.sources import DatabaseSource, snapshot, still
from hvcore.persistence.copying.target import CopyTarget
from hvcore.persistence.copying.values import ColumnKind
from hvcore.persistence.engine import reading
from hvcore.persistence.schema_version import SCHEMA, refuse_other_schema
from hvcore.persistence.unit_of_work import LEADS_FOR
from hvcore.ports.storage import SupportsLocalPath
from hvcore.services.backups.manifest import (
    FORMAT,
    OBJECT_FOLDER,
    OBJECTS,
    SECRET_FILES,
    TABLE_FOLDER,
    BackedUpFile,
    BackedUpTable,
    Manifest,
    read_manifest,
    sha256_of,
    write_manifest,
)
from hvcore.services.backups.object_copies import copy_objects, store_objects
from hvcore.services.backups.object_list import ObjectList
from hvcore.services.backups.sink_copies import (
    copy_sinks,
    listed_copies,
    restore_sinks,
)
from hvcore.services.backups.waiting_counts import WaitingCounts, restore_counts

MISSING_SHOWN: Final = 1000

__all__ = ["Copied", "CopyWiring", "Restored", "read_backup"]


@attrs.frozen(kw_only=True)
class Restored:
    """
    The result of restoring a backup: which of its objects (files of videos) the storage has.

    Attributes:
        missing: The names of the first 1000 objects that the backup lists and the storage lacks.
        missing_count: The number of all listed objects that the storage lacks.
        missing_videos: The ids of the restored videos that lack some of their objects.
        unlisted: The number of objects in the storage that the backup does not list.
        binned: The ids of the videos in the bin, and until when each can be restored; the
            first end first.
    """

    copied: Copied
    missing: Sequence[str]
    missing_count: int
    missing_videos: Sequence[str]
    unlisted: int
    binned: Sequence[tuple[str, datetime]]


class CopyWiring(TableWiring):
    """The services that copy, back up and restore, a part of Services."""

    def copy_to(self, url: str, *, tell: Tell, wait: Callable[[float], None]) -> Copied:
        """
        Copy the service's database to the one at the given URL; continue a copy that was broken off.

        Meanwhile nobody can write to this database. The tables of the service's database must be
        at this version.

        Args:
            wait: Waits for the given seconds, while a sweep may still be at work.

        Raises:
            UnavailableError: One of the databases does not answer.
            ConfigError: The service runs, or the other database cannot be used.
        """
        with self._beside(url) as other:
            if other.engine.url == self.engine.url:
                raise ConfigError("Both are the same database; name another one.")
            refuse_leader(
                self.engine,
                self.clock,
                wait=wait,
                longest_s=LEADS_FOR.total_seconds(),
            )
            target = CopyTarget(other.engine, copy_id_of(self.engine))
            with still(self.engine) as connection:
                refuse_other_schema(connection)
                return copy(
                    DatabaseSource(connection),
                    target,
                    make_tables=other.migrate,
                    tell=tell,
                )

    def back_up(
        self, folder: Path, *, with_objects: bool, outside: Sequence[str], tell: Tell
    ) -> Manifest:
        """
        Write a backup into an empty folder, also while the service runs.

        The backup has, as of one moment, the database's rows, the counts of served segments that
        wait in this machine's spool, and the counts of the analytics sinks that keep their data
        on this machine.

        It lists every object that was stored before that moment, unless a video was deleted
        meanwhile; such videos are named.

        Args:
            with_objects: Whether the backup also has the storage's objects (the files of the
                videos).
            outside: The settings that hold keys which are not in the data folder.

        Raises:
            UnavailableError: The database or the storage does not answer, or another process
                is bringing counts to the sinks and does not end.
            ConfigError: The storage's objects are not files of this machine, or a plugin's table
                cannot be copied.
            OSError: A file cannot be written, for example because the disk is full.
        """
        storage = self.storage
        if with_objects and not isinstance(storage, SupportsLocalPath):
            raise ConfigError(
                "The objects are not files of this machine. Leave --objects out, and "
                "back the store up by its own means, such as versioning."
            )
        with ObjectList() as objects:
            tell("Listing objects; many take minutes.")
            objects.add_all_of(storage)
            # Before the rows' own moment, so that no deletion after that is unknown.
            moment = self.clock.now()
            with (
                WaitingCounts(self.spool_dir) as waiting,
                snapshot(self.engine) as connection,
            ):
                with waiting.taken():
                    # The first question: it is the moment of the rows.
                    refuse_other_schema(connection)
                    copy_sinks(self._sinks, folder)
                counts = waiting.write(folder)
                source = DatabaseSource(connection)
                tables = write_dump(source, folder / TABLE_FOLDER, tell)
            tell("Listing objects again, for those that came meanwhile.")
            objects.add_all_of(storage)
            with reading(self.engine) as connection:
                deleted = deleted_since(connection, moment)
            objects.write(folder / OBJECTS)
            gone = 0
            if with_objects and isinstance(storage, SupportsLocalPath):
                tell("Copying objects.")
                gone = copy_objects(storage, objects, folder / OBJECT_FOLDER)
            count, size_bytes = objects.totals()
        manifest = Manifest(
            format=FORMAT,
            id=secrets.token_hex(10),
            version=__version__,
            schema_version=SCHEMA,
            created_at=moment.isoformat(),
            tables=[_listed(table) for table in tables],
            secrets=_copy_secrets(self.settings.data_dir, folder),
            object_list=BackedUpFile(file=OBJECTS, sha256=sha256_of(folder / OBJECTS)),
            objects=count,
            objects_bytes=size_bytes,
            has_objects=with_objects,
            gone_objects=gone,
            deleted_meanwhile=deleted,
            outside=outside,
            counts=counts,
            state=listed_copies(folder),
        )
        write_manifest(manifest, folder)
        return manifest

    def restore(
        self,
        folder: Path,
        manifest: Manifest,
        *,
        was_filled: bool,
        filled: Callable[[], None],
        tell: Tell,
    ) -> Restored:
        """
        Fill an empty database from a backup, and compare the backup's list of objects with the storage; continue a restore that was broken off.

        Videos that were in the bin at the moment of the backup stay there for the rest of their
        time there.

        Args:
            was_filled: Whether an earlier, broken-off run has called ``filled``.
            filled: Called before services may start on the database.

        Raises:
            UnavailableError: The database or the storage does not answer.
            ConfigError: The database is not empty, or the backup is damaged.
        """
        source = DumpSource(folder, [_dumped(table) for table in manifest.tables])
        target = CopyTarget(self.engine, manifest.id)
        # Then services may have started on it since.
        is_done = was_filled and not self.why_unusable()
        if not is_done:
            # First: until all is there, no service starts on this database.
            target.claim(source)
        with ObjectList() as objects:
            objects.read(folder / manifest.object_list.file)
            if manifest.has_objects:
                tell("Storing objects; many take minutes.")
                store_objects(self.storage, objects, folder / OBJECT_FOLDER)
            tell("Looking for the objects in the storage; many take minutes.")
            objects.find_in(self.storage)
            missing = [one.path for one in objects.missing()]
            unlisted = objects.unlisted()
        copied = _listed_tables(manifest)
        if not is_done:
            restore_sinks(manifest.state, folder, self._sinks, tell)
            restore_counts(manifest.counts, folder, self.spool_dir)
            # Last: services may start on it from then on.
            copied = copy(
                source,
                target,
                make_tables=self.migrate,
                tell=tell,
                filled=filled,
                ends=partial(
                    lengthen_stays,
                    taken_at=datetime.fromisoformat(manifest.created_at),
                    now=self._database_now(),
                ),
            )
        now = self._database_now()
        with reading(self.engine) as connection:
            lacking = dict.fromkeys(filter(None, map(_video_of, missing)))
            missing_videos = there_of(connection, lacking)
            binned = restorable_videos(connection, now)
        return Restored(
            copied=copied,
            missing=missing[:MISSING_SHOWN],
            missing_count=len(missing),
            missing_videos=missing_videos,
            unlisted=unlisted,
            binned=binned,
        )

    def _database_now(self) -> datetime:
        with self.uow.read() as work:
            return work.now()

    def _beside(self, url: str) -> Self:
        database = attrs.evolve(self.settings.database, url=url)
        settings = attrs.evolve(self.settings, database=database)
        return type(self)(attrs.evolve(self.recipe, settings=settings))


def read_backup(folder: Path) -> Manifest:
    """
    Read the manifest of a backup, and check the backup's files; return the manifest.

    Raises:
        ConfigError: The folder is no backup, or the backup is damaged or of another version.
    """
    return read_manifest(folder, schema_version=SCHEMA)


def _copy_secrets(data_dir: Path, folder: Path) -> Sequence[BackedUpFile]:
    copied = []
    for name in SECRET_FILES:
        if (data_dir / name).is_file():
            target = folder / name
            target.touch(mode=0o600)
            target.write_bytes((data_dir / name).read_bytes())
            copied.append(BackedUpFile(file=name, sha256=sha256_of(target)))
    return copied


def _listed(table: DumpedTable) -> BackedUpTable:
    return BackedUpTable(
        name=table.name,
        file=table.file,
        columns={name: kind.value for name, kind in table.columns.items()},
        rows=table.rows,
        sha256=table.sha256,
    )


def _dumped(table: BackedUpTable) -> DumpedTable:
    return DumpedTable(
        name=table.name,
        file=table.file,
        columns={name: ColumnKind(kind) for name, kind in table.columns.items()},
        rows=table.rows,
        sha256=table.sha256,
    )


def _listed_tables(manifest: Manifest) -> Copied:
    tables = [
        CopiedTable(name=table.name, rows=table.rows, digest="")
        for table in manifest.tables
    ]
    return Copied(tables=tables, left_out=())


def _video_of(path: str) -> str | None:
    # "media/VIDEO/…"
    kind, _, rest = path.partition("/")
    return rest.split("/", 1)[0] if kind == "media" else None
