"""
``hv backup``: the whole service in a folder or a file.
"""

from pathlib import Path
from typing import Final

import attrs
import click

from hv_cli.commands import HvCommand, Invocation, pass_invocation
from hv_cli.output import print_json, say, told_disk
from hvcore.services.backups.manifest import Manifest
from hvcore.services.backups.new_backup import new_backup

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
    loaded = invocation.load()
    outside = [name for name in _KEY_SETTINGS if name in loaded.origins]
    with (
        told_disk(target),
        new_backup(target) as folder,
        invocation.services() as services,
    ):
        manifest = services.back_up(
            folder, with_objects=objects, outside=outside, tell=say
        )
    if as_json:
        print_json(_described(manifest))
    _tell_of(manifest, target)


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
