"""``hv backup``: write a backup of the whole service into a folder or a file."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import attrs
import click

from hvcore.services.backups.kept_backups import KeptBackups
from hvcore.services.backups.manifest import MANIFEST, Manifest
from hvcore.services.backups.new_backup import is_file, new_backup
from hvcore.services.backups.verification import verify_backup
from hvcore_cli.commands.data.restore import opened_backup
from hvcore_cli.invocation import CliError, HvCommand, Invocation, pass_invocation
from hvcore_cli.output import print_json, say, told_disk

_KEY_SETTINGS: Final = (
    *("playback.signing_key", "playback.retired_keys", "uploads.signing_key"),
    "sign_in.secret",
)


@click.command(cls=HvCommand)
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "--objects",
    is_flag=True,
    help="Also link or copy the objects, if they are files of this machine.",
)
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    metavar="COUNT",
    help="Make a backup in the folder TARGET, check it, and keep only the newest "
    "COUNT backups that this option made there.",
)
@click.option(
    "--verify",
    "verifies",
    is_flag=True,
    help="Only check the backup TARGET: read all of it, and change nothing. If "
    "TARGET is a folder of --keep, check its newest backup.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the contents of the backup as JSON."
)
@pass_invocation
def backup(  # noqa: PLR0913 - one for each option
    invocation: Invocation,
    target: Path,
    *,
    objects: bool,
    keep: int | None,
    verifies: bool,
    as_json: bool,
) -> None:
    """
    Write the database, waiting counts, keys and the list of objects into TARGET.

    TARGET is a new folder, or a file if its name ends with .tar. The service may run
    meanwhile. A backup contains the keys: keep it as safe as the data folder.
    """
    if verifies and (objects or keep):
        raise click.UsageError("--verify takes no --objects and no --keep.")
    if keep and is_file(target):
        raise click.UsageError("With --keep, TARGET is a folder of backups.")
    kept, place = KeptBackups(target), target
    if keep:
        place = kept.next_path(datetime.now(UTC))
    with told_disk(target):
        if verifies:
            place, manifest = _verified(target)
        else:
            manifest = _made(invocation, place, with_objects=objects)
        if keep:
            # Before others go, of which this is to take the place.
            _verified(place)
            for path in kept.keep(keep, now=datetime.now(UTC)):
                say(f"Removed, because {keep} newer ones are there: {path}")
    if as_json:
        print_json(_described(manifest))
    _tell_of(manifest, place)
    if verifies:
        say(f"{place} is whole, and of {manifest.created_at}.")


def _made(invocation: Invocation, target: Path, *, with_objects: bool) -> Manifest:
    loaded = invocation.load()
    outside = [name for name in _KEY_SETTINGS if name in loaded.origins]
    with new_backup(target) as folder, invocation.services() as services:
        manifest = services.back_up(
            folder, with_objects=with_objects, outside=outside, tell=say
        )
    # Once it is at its place.
    with invocation.services() as services:
        services.note_backup(manifest.id, datetime.fromisoformat(manifest.created_at))
    return manifest


def _verified(target: Path) -> tuple[Path, Manifest]:
    if not target.exists():
        raise CliError(f"There is no {target}.")
    if target.is_dir() and not (target / MANIFEST).exists():
        target = next((one.path for one in KeptBackups(target).whole()), target)
    with opened_backup(target, beside=target.absolute()) as folder:
        return target, verify_backup(folder, tell=say)


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
