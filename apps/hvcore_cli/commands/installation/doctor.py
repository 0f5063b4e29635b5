"""``hv doctor``: check what an installation needs, and say how to fix it."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import click

from hvcore.assembly import build
from hvcore.domain.health_findings import BROKEN, HealthFinding
from hvcore.errors import HvcoreError
from hvcore.settings import Settings
from hvcore_checks.checks import asked, examine, limited
from hvcore_checks.storage_probe import probe_storage
from hvcore_cli.commands.installation.ports_check import ports
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.invocation import HvCommand, Invocation, pass_invocation
from hvcore_cli.output import json_option, say, show

PROBE_SILENT_S: Final = 15.0
"""Requests to a store that is far away have limits of their own."""


@click.command(cls=HvCommand)
@click.argument("part", type=click.Choice(["storage"]), required=False)
@click.option(
    "--port",
    type=click.IntRange(1, 65_534),
    default=8080,
    show_default=True,
    help="The port of the API; delivery has the next one.",
)
@json_option
@pass_invocation
def doctor(
    invocation: Invocation, *, part: str | None, port: int, as_json: bool
) -> None:
    """
    Check the installation; exit with 1 if something is broken.

    With "storage": find out what the storage can do, and what to set for it. This
    writes small objects below doctor/ and removes them.
    """
    invocation.abandons_threads = True
    findings = list(_examine(invocation, port, part))
    columns = {"state": "STATE", "check": "CHECK", "found": "FOUND", "fix": "FIX"}
    records = [finding.as_record() for finding in findings]
    show(records, columns, name="checks", as_json=as_json)
    if any(finding.state == BROKEN for finding in findings):
        say("Something is broken; its line says how to fix it.")
        click.get_current_context().exit(1)


def _examine(
    invocation: Invocation, port: int, part: str | None
) -> Iterator[HealthFinding]:
    try:
        settings = invocation.load().settings
    except HvcoreError as exc:
        yield HealthFinding(
            state=BROKEN,
            check="settings",
            found=str(exc),
            fix="Correct the settings; hv config show tells where each comes from.",
        )
        return
    if part is not None:
        yield from limited(part, partial(_probe, settings), silent_s=PROBE_SILENT_S)
        return
    yield from examine(settings)
    yield from asked("ports", lambda: ports(DataFolder(invocation.data), port))


def _probe(settings: Settings) -> Sequence[HealthFinding]:
    with build(settings, rings=False) as services:
        return list(probe_storage(services))
