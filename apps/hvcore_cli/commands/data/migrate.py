"""``hv migrate``: bring the database to this version, or to another server."""

import time

import click

from hvcore.errors import ConfigError
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.invocation import HvCommand, Invocation, pass_invocation
from hvcore_cli.output import say


@click.command(cls=HvCommand)
@click.option(
    "--to",
    "url",
    metavar="URL",
    help="Copy everything to another, empty database, such as "
    "postgresql://hv@db/hv, while the service is stopped. If the copy is "
    "interrupted, run the command again to continue.",
)
@click.option(
    "--contract",
    "contracts",
    is_flag=True,
    help="Also remove what only older versions need. Use this option after the "
    "last process of an older version has ended on all machines.",
)
@pass_invocation
def migrate(invocation: Invocation, url: str | None, *, contracts: bool) -> None:
    """
    Migrate the database and count its videos again; safe to repeat.

    Processes of older versions can go on running, unless --contract is given.
    """
    if url is not None and contracts:
        raise click.UsageError("--to takes no --contract; run it before.")
    if url is not None:
        _copy(invocation, url)
        return
    with invocation.unmigrated_services() as services:
        if contracts:
            # What they tell is in a table that an expand has made.
            services.migrate()
            services.refuse_older_processes()
        for tables, bring_up in services.migrations(contracts=contracts):
            say(f"Bringing {tables} up to date; large tables may take minutes.")
            bring_up()
        say("Counting the videos anew; many may take minutes.")
        # Of an older version, processes that were still running kept none.
        services.recount()
        if not services.repair_search():
            say(
                "Names or what is said have no index, so searching takes longer; see hv doctor."
            )
        awaits_contract = services.awaits_contract()
    say("The database is up to date.")
    if awaits_contract:
        say(
            "Once the last process of an older version has ended on all machines, run: "
            "hv migrate --contract"
        )


def _copy(invocation: Invocation, url: str) -> None:
    folder = DataFolder(invocation.data)
    folder.make()
    # hv up has the same lock, and does not start meanwhile.
    with folder.locked(), invocation.services() as services:
        try:
            copied = services.copy_to(url, tell=say, wait=_wait)
        except ConfigError as exc:
            # Of the URL as of a setting.
            raise ConfigError(str(exc).replace("database.url: ", "--to: ")) from exc
    rows = sum(table.rows for table in copied.tables)
    for name in copied.left_out:
        say(f"Not copied, because no plugin that is chosen has this table: {name}")
    say(
        f"All {rows} rows of {len(copied.tables)} tables are copied, and the same on "
        "both sides. The old database is as it was. Now set the new one for all "
        "processes, and start them:\n"
        "  HV_DATABASE__URL=postgresql://…  (what was given to --to)"
    )


def _wait(seconds: float) -> None:
    say(f"A sweep worked here just now; waiting {seconds:.0f} s to see that it ended.")
    time.sleep(seconds)
