"""``hv restore``: restore a backup into an empty data folder and an empty database."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

import click

from hvcore.assembly.copies import Restored, read_backup
from hvcore.failpoints import failpoint
from hvcore.files.atomic_files import replace_file
from hvcore.services.backups.archive import unpack
from hvcore.services.backups.manifest import Manifest
from hvcore_cli.commands.data.restore_mark import RestoreMark
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.invocation import HvCommand, Invocation, pass_invocation
from hvcore_cli.output import print_json, say, timestamp, told_disk

_SHOWN: Final = 20


@click.command(cls=HvCommand)
@click.argument("source", type=click.Path(path_type=Path, exists=True))
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@pass_invocation
def restore(invocation: Invocation, source: Path, *, as_json: bool) -> None:
    """
    Fill an empty data folder and an empty database from a backup.

    The command also names the objects of the backup that the storage lacks. If it is
    interrupted, run it again.
    """
    with (
        told_disk(invocation.data),
        opened_backup(source, beside=invocation.data.absolute()) as folder,
    ):
        say("Checking the backup.")
        manifest = read_backup(folder)
        restored = _restored(invocation, folder, manifest)
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
                "binnedVideos": [video_id for video_id, _ in restored.binned],
            }
        )
    _tell_of_restored(manifest, restored)


def _restored(invocation: Invocation, folder: Path, manifest: Manifest) -> Restored:
    data = DataFolder(invocation.data)
    # Before anything else: until it is gone again, no command works on this folder.
    mark = RestoreMark.of(data.path, manifest.id)
    failpoint("restore.marked")
    data.make()
    with data.locked():
        for secret in manifest.secrets:
            text = (folder / secret.file).read_text(encoding="utf-8")
            replace_file(data.path / secret.file, text)
        invocation.is_restore = True
        with invocation.unmigrated_services() as services:
            restored = services.restore(
                folder,
                manifest,
                was_filled=mark.was_filled(),
                filled=mark.note_filled,
                tell=say,
            )
        mark.remove()
    return restored


@contextmanager
def opened_backup(source: Path, *, beside: Path) -> Iterator[Path]:
    """
    Within the ``with`` block, give the folder of a backup; a backup file is unpacked into one.

    Args:
        beside: A path next to which the file is unpacked; the folder of the backup itself
            may be read-only.

    Raises:
        ConfigError: The path is not a backup.
        OSError: The file cannot be unpacked, for example because the disk is full.
    """
    if source.is_dir():
        yield source
        return
    beside.parent.mkdir(parents=True, exist_ok=True)
    # Not where temporary files are: that disk may be small.
    name = tempfile.mkdtemp(prefix=f".{beside.name}.", dir=beside.parent)
    try:
        unpack(source, Path(name))
        yield Path(name)
    finally:
        shutil.rmtree(name, ignore_errors=True)


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
    _tell_of_bin(restored.binned)
    if restored.unlisted:
        say(f"The storage has {restored.unlisted} objects that the backup lacks.")
    if manifest.outside:
        say(f"Set as they were where it was made: {', '.join(manifest.outside)}.")
    say(f"All is as it was at {manifest.created_at}. Start the service, such as hv up.")


def _tell_of_bin(binned: Sequence[tuple[str, datetime]]) -> None:
    if not binned:
        return
    say(
        f"{len(binned)} videos were in the bin at the moment of the backup. From "
        f"{timestamp(binned[0][1])} on their files are removed, also those of videos that have "
        "been restored from the bin since. Look at them with hv videos deleted, and "
        "restore what is to stay with hv videos restore:"
    )
    for video_id, _ in binned[:_SHOWN]:
        say(f"  {video_id}")
    if len(binned) > _SHOWN:
        say("  … and more; --json names all.")
