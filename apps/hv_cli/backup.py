"""
``hv backup`` and ``hv restore``: the whole service in a folder or a file, and back.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs
import click

from hv_cli.commands import CliError, HvCommand, Invocation, pass_invocation
from hv_cli.data_folder import DataFolder
from hv_cli.output import print_json, say
from hvcore.assembly.copies import Restored, read_backup
from hvcore.services.backups.archive import pack, unpack
from hvcore.services.backups.manifest import Manifest

_UNFINISHED: Final = "restore-unfinished"
"""In a data folder: the backup that is being restored there."""
_KEY_SETTINGS: Final = (
    *("playback.signing_key", "playback.retired_keys", "uploads.signing_key"),
    "sign_in.secret",
)
_SHOWN: Final = 20


@click.command(cls=HvCommand)
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "--objects",
    is_flag=True,
    help="Also link or copy the objects, if they are files of this machine.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what is in it as JSON.")
@pass_invocation
def backup(
    invocation: Invocation, target: Path, *, objects: bool, as_json: bool
) -> None:
    """
    Write the database, waiting counts, keys and the list of objects into TARGET.

    It is a new folder, or a file if its name ends with .tar. The service may go on
    meanwhile. Whoever has a backup has the keys: keep it as safe as the data folder.
    """
    is_file = target.suffix == ".tar"
    if target.exists() and (is_file or not target.is_dir() or any(target.iterdir())):
        raise CliError(f"{target} is there already; name another one.")
    loaded = invocation.load()
    outside = [name for name in _KEY_SETTINGS if name in loaded.origins]
    with _told_disk(target), invocation.services() as services:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not is_file:
            target.mkdir(mode=0o700, exist_ok=True)
            target.chmod(0o700)
        with _folder_for(target, is_file=is_file) as folder:
            manifest = services.back_up(
                folder, with_objects=objects, outside=outside, tell=say
            )
            if is_file:
                pack(folder, target)
    if as_json:
        print_json(_described(manifest))
    _tell_of(manifest, target)


@click.command(cls=HvCommand)
@click.argument("source", type=click.Path(path_type=Path, exists=True))
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@pass_invocation
def restore(invocation: Invocation, source: Path, *, as_json: bool) -> None:
    """
    Fill an empty data folder and an empty database from a backup.

    Says which of its objects the storage lacks. Run it again if it was cut off.
    """
    with (
        _told_disk(invocation.data),
        _opened(source, invocation.data.absolute()) as folder,
    ):
        say("Checking the backup.")
        manifest = read_backup(folder)
        data = DataFolder(invocation.data)
        mark = data.path / _UNFINISHED
        if not _may_fill(data.path, mark, manifest.id):
            raise CliError(
                f"The data folder {data.path} is not empty. Name another one with "
                "--data, or move its content away."
            )
        data.make()
        with data.locked():
            mark.write_text(manifest.id)
            for secret in manifest.secrets:
                target = data.path / secret.file
                target.touch(mode=0o600)
                target.write_bytes((folder / secret.file).read_bytes())
            with invocation.unmigrated_services() as services:
                restored = services.restore(folder, manifest, tell=say)
            mark.unlink()
    if as_json:
        print_json(
            {
                "backupID": manifest.id,
                "createdAt": manifest.created_at,
                "rows": sum(table.rows for table in restored.copied.tables),
                "missingObjects": restored.missing_count,
                "missing": list(restored.missing),
                "missingVideos": list(restored.missing_videos),
                "unlistedObjects": restored.unlisted,
            }
        )
    _tell_of_restored(manifest, restored)


def _may_fill(path: Path, mark: Path, backup_id: str) -> bool:
    if not path.exists() or not any(path.iterdir()):
        return True
    return mark.is_file() and mark.read_text() == backup_id


@contextmanager
def _folder_for(target: Path, *, is_file: bool) -> Iterator[Path]:
    if not is_file:
        try:
            yield target
        except BaseException:
            # So that the same name can be given again.
            shutil.rmtree(target, ignore_errors=True)
            raise
        return
    # Beside the file: the disk for temporary files may be small.
    name = tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        yield Path(name)
    finally:
        shutil.rmtree(name, ignore_errors=True)


@contextmanager
def _opened(source: Path, data: Path) -> Iterator[Path]:
    if source.is_dir():
        yield source
        return
    data.parent.mkdir(parents=True, exist_ok=True)
    # Beside the data folder: where the backup is, may be read-only.
    with _folder_for(data, is_file=True) as folder:
        unpack(source, folder)
        yield folder


@contextmanager
def _told_disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise CliError(
            f"{exc.filename or path} cannot be read or written: {exc.strerror or exc}. "
            "Mend that, and run the command again."
        ) from exc


def _described(manifest: Manifest) -> dict[str, object]:
    document = attrs.asdict(manifest)
    return {
        "backupID": manifest.id,
        "createdAt": manifest.created_at,
        "version": manifest.version,
        "tables": {table["name"]: table["rows"] for table in document["tables"]},
        "objects": manifest.objects,
        "objectsBytes": manifest.objects_bytes,
        "hasObjects": manifest.has_objects,
        "goneObjects": manifest.gone_objects,
        "deletedMeanwhile": list(manifest.deleted_meanwhile),
        "spoolFiles": len(manifest.counts),
        "secrets": [secret.file for secret in manifest.secrets],
        "keysInSettings": list(manifest.outside),
    }


def _tell_of(manifest: Manifest, target: Path) -> None:
    rows = sum(table.rows for table in manifest.tables)
    say(
        f"{target} has {rows} rows of {len(manifest.tables)} tables, and a list of "
        f"{manifest.objects} objects with {manifest.objects_bytes} bytes."
    )
    if not manifest.has_objects:
        say("The objects themselves are not in it: they stay in the storage.")
    if manifest.gone_objects:
        say(f"{manifest.gone_objects} objects were deleted before they were copied.")
    if manifest.deleted_meanwhile:
        say(
            f"{len(manifest.deleted_meanwhile)} videos were deleted meanwhile; a "
            "restore would list them, maybe without their files."
        )
    say(
        "It contains the signing keys and all secrets of the database: whoever has it "
        "can sign in your name."
    )
    if manifest.outside:
        say(
            f"Not in it, because the settings have them: {', '.join(manifest.outside)}."
            " Keep these keys elsewhere; without them, addresses and secrets end."
        )


def _tell_of_restored(manifest: Manifest, restored: Restored) -> None:
    for name in restored.copied.left_out:
        say(f"Left out, because no plugin that is chosen has this table: {name}")
    if restored.missing_count:
        say(
            f"The storage lacks {restored.missing_count} of {manifest.objects} objects. "
            "If that is most of them, the settings may name another storage."
        )
    if restored.missing_videos:
        say(
            f"{len(restored.missing_videos)} videos lack files, probably because they "
            "were deleted since the backup. Bring the files back, or delete the videos "
            "with hv videos delete:"
        )
        for name in restored.missing_videos[:_SHOWN]:
            say(f"  {name}")
        if len(restored.missing_videos) > _SHOWN:
            say("  … and more; --json names all.")
    if restored.unlisted:
        say(f"The storage has {restored.unlisted} objects that the backup lacks.")
    if manifest.outside:
        say(f"Set as they were where it was made: {', '.join(manifest.outside)}.")
    say(f"All is as it was at {manifest.created_at}. Start the service, such as hv up.")
