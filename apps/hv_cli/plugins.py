"""
``hv plugins``: what was found, and what of it is active.
"""

import click

from hv_cli.commands import HvCommand, Invocation, pass_invocation
from hv_cli.output import json_option, show
from hvcore.assembly.offered_backends import OfferedBackend, offered_backends
from hvcore.registry import load_plugins


@click.command(cls=HvCommand)
@json_option
@pass_invocation
def plugins(invocation: Invocation, *, as_json: bool) -> None:
    """
    Show the backends on offer; asks no server and no database.
    """
    settings = invocation.load().settings
    columns = {
        "kind": "KIND",
        "name": "NAME",
        "active": "ACTIVE",
        "plugin": "PLUGIN",
        "distribution": "DISTRIBUTION",
        "missing": "MISSING",
    }
    found = offered_backends(load_plugins(settings), settings)
    records = [_record(one) for one in found]
    show(records, columns, name="plugins", as_json=as_json)


def _record(offered: OfferedBackend) -> dict[str, object]:
    return {
        "kind": offered.kind,
        "name": offered.name,
        "active": offered.is_active,
        "plugin": offered.plugin,
        "distribution": offered.distribution,
        "missing": offered.missing,
    }
