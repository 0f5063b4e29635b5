"""
``hv migrate``: bring the database to this version.
"""

import click

from hv_cli.commands import HvCommand, Invocation, pass_invocation
from hv_cli.output import say


@click.command(cls=HvCommand)
@pass_invocation
def migrate(invocation: Invocation) -> None:
    """
    Bring the database up to date and count its videos again; safe to repeat.
    """
    with invocation.unmigrated_services() as services:
        for tables, bring_up in services.migrations():
            say(f"Bringing {tables} up to date; large tables may take minutes.")
            bring_up()
        say("Counting the videos anew; many may take minutes.")
        # Of an older version, processes that were still running kept none.
        services.recount()
        if not services.mend_search():
            say("Names have no index, so searching takes longer; see hv doctor.")
    say("The database is up to date.")
