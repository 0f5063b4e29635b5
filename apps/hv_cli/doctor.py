"""
``hv doctor``: check what an installation needs, and say how to mend it.
"""

from collections.abc import Callable, Iterator, Sequence

import click

from hv_cli.commands import HvCommand, Invocation, pass_invocation
from hv_cli.health_checks import BROKEN, CHECKS, HealthFinding, Installation
from hv_cli.output import json_option, say, show
from hvcore.assembly import build
from hvcore.errors import HvcoreError


@click.command(cls=HvCommand)
@click.option("--port", type=click.IntRange(1, 65_534), default=8080, show_default=True)
@json_option
@pass_invocation
def doctor(invocation: Invocation, *, port: int, as_json: bool) -> None:
    """
    Check the installation; exit with 1 if something is broken.
    """
    findings = list(_examine(invocation, port))
    columns = {"state": "STATE", "check": "CHECK", "found": "FOUND", "mend": "MEND"}
    records = [finding.as_record() for finding in findings]
    show(records, columns, name="checks", as_json=as_json)
    if any(finding.state == BROKEN for finding in findings):
        say("Something is broken; its mend stands beside it.")
        click.get_current_context().exit(1)


def _examine(invocation: Invocation, port: int) -> Iterator[HealthFinding]:
    try:
        settings = invocation.load().settings
    except HvcoreError as exc:
        yield HealthFinding(
            state=BROKEN,
            check="settings",
            found=str(exc),
            mend="Correct the settings; hv config show tells where each comes from.",
        )
        return
    with build(settings, rings=False) as services:
        patient = Installation(invocation=invocation, services=services, port=port)
        for name, check in CHECKS.items():
            yield from _asked(name, check, patient)


def _asked(
    name: str,
    check: Callable[[Installation], Sequence[HealthFinding]],
    patient: Installation,
) -> Sequence[HealthFinding]:
    try:
        return check(patient)
    except HvcoreError as exc:
        found, mend = str(exc), "See what it says."
    except Exception as exc:  # noqa: BLE001 - one check's failure is its finding
        found, mend = f"{type(exc).__name__}: {exc}", "Report this as a bug of hv."
    return [HealthFinding(state=BROKEN, check=name, found=found, mend=mend)]
