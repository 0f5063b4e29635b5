"""
Find the command of ``hv`` that was called, run it, and report errors without a traceback.

Command modules are imported when their command is called: ``hv --help`` is
quick, and one process of the service loads nothing of another.
"""

import importlib
import io
import os
import re
import sys
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NoReturn

import click

from hvcore_cli.added_commands import added_commands, make_command
from hvcore_cli.invocation import DEFAULT_DATA, Invocation, common_options
from hvcore_cli.loading import no_garbage_collected
from hvcore_cli.printable import printable
from hvcore_cli.standard_streams import (
    OutputError,
    prepare_streams,
    why_output_fails,
)

# Addresses may be among the words of a command, with what gives access to a video.
_SECRET: Final = re.compile(
    r"(?:[?#&;]|%3f|token|(?<=ek_)|(?<=shr_)|(?<=hv_live_)|(?<=hv_test_)).*",
    re.IGNORECASE | re.DOTALL,
)
# The password of a database's address may have any sign in it.
_LOGIN: Final = re.compile(r"(?<=://).*@", re.DOTALL)

COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "up": ("hvcore_cli.processes.up:up", "Run the whole service on this machine."),
    "demo": (
        "hvcore_cli.commands.videos.demo:demo",
        "Upload a clip to a service of its own and play it.",
    ),
    "api": ("hvcore_cli.processes.alone:api", "Run the API process alone."),
    "delivery": (
        "hvcore_cli.processes.alone:delivery",
        "Run the delivery, player and upload process alone.",
    ),
    "worker": ("hvcore_cli.processes.alone:worker", "Run one worker alone."),
    "sweep": ("hvcore_cli.processes.alone:sweep", "Run the sweep alone."),
    "metrics": (
        "hvcore_cli.processes.metrics.command:metrics",
        "Serve the metrics of this machine alone.",
    ),
    "notify": (
        "hvcore_cli.processes.alone:notify",
        "Run the process that reads notifications of the object store alone.",
    ),
    "upload": (
        "hvcore_cli.commands.videos.upload:upload",
        "Upload a video through the API.",
    ),
    "videos": (
        "hvcore_cli.commands.videos.videos:videos",
        "List, show, change, delete and retry videos.",
    ),
    "captions": (
        "hvcore_cli.commands.videos.captions:captions",
        "List captions, have them made by machine, and read what is said.",
    ),
    "analytics": (
        "hvcore_cli.commands.analytics:analytics",
        "Show views and watched time, by video and by day.",
    ),
    "conform": (
        "hvcore_cli.commands.videos.conform:conform",
        "Check a published video against the HLS and CMAF standards.",
    ),
    "explain": (
        "hvcore_cli.commands.videos.explain:explain",
        "Name the rule that refused a playback, or would refuse it now.",
    ),
    "tasks": (
        "hvcore_cli.commands.tasks:tasks",
        "Show tasks that are due, running or failed, and why.",
    ),
    "orgs": (
        "hvcore_cli.commands.access.tenants:orgs",
        "Create and list organizations.",
    ),
    "envs": (
        "hvcore_cli.commands.access.tenants:envs",
        "Create and list environments.",
    ),
    "keys": (
        "hvcore_cli.commands.access.keys:keys",
        "Create, list, revoke and rotate API keys.",
    ),
    "signing-keys": (
        "hvcore_cli.commands.access.signing_keys:signing_keys",
        "Make, list and revoke keys that sign playback tokens offline.",
    ),
    "webhooks": (
        "hvcore_cli.commands.webhooks:webhooks",
        "Add, list and remove webhooks; list and repeat deliveries.",
    ),
    "dashboard": (
        "hvcore_cli.commands.access.dashboard:dashboard",
        "Print addresses that sign in to the dashboard.",
    ),
    "members": (
        "hvcore_cli.commands.access.members:members",
        "List and remove members of an organization, change their roles.",
    ),
    "sessions": (
        "hvcore_cli.commands.access.sessions:sessions",
        "Show who is signed in to the dashboard, and sign people out.",
    ),
    "audit": (
        "hvcore_cli.commands.access.audit:audit",
        "Show changes of keys, tenants and videos, and who made them.",
    ),
    "migrate": (
        "hvcore_cli.commands.data.migrate:migrate",
        "Bring the database up to date, or to another server.",
    ),
    "backup": (
        "hvcore_cli.commands.data.backup:backup",
        "Write the database, the keys and the list of objects into a folder.",
    ),
    "restore": (
        "hvcore_cli.commands.data.restore:restore",
        "Fill an empty data folder and database from a backup.",
    ),
    "edge": (
        "hvcore_cli.processes.edge:edge",
        "Put nginx in front of delivery, and count what it serves.",
    ),
    "systemd": (
        "hvcore_cli.commands.installation.systemd:systemd",
        "Write systemd units for every process of the service.",
    ),
    "doctor": (
        "hvcore_cli.commands.installation.doctor:doctor",
        "Check the installation, and say how to fix each problem.",
    ),
    "fsck": (
        "hvcore_cli.commands.data.fsck:fsck",
        "Compare the database with the storage, and repair what is lost.",
    ),
    "plugins": (
        "hvcore_cli.commands.plugins.plugins:plugins",
        "Show the plugins that were found.",
    ),
    "config": (
        "hvcore_cli.commands.installation.config:config",
        "Show the settings in force.",
    ),
    "openapi": (
        "hvcore_cli.commands.installation.openapi:openapi",
        "Print the description of the API.",
    ),
}
HIDDEN: Final = {
    "prepare": "hvcore_cli.processes.first_start:prepare",
    "flush": "hvcore_cli.processes.alone:flush",
}


class LazyGroup(click.Group):
    """The commands of ``hv``, each imported only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order in which the help shows them."""
        return [*COMMANDS, *added_commands(ctx.find_object(Invocation))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name, imported or made by a plugin; None if there is none."""
        place = COMMANDS.get(cmd_name, (HIDDEN.get(cmd_name),))[0]
        if place is None:
            return make_command(ctx, cmd_name)
        module, _, name = place.partition(":")
        if module not in sys.modules:
            with no_garbage_collected():
                importlib.import_module(module)
        command = getattr(sys.modules[module], name)
        assert isinstance(command, click.Command)  # noqa: S101 - for the type checker
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the help's list of commands without importing their modules."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])
        added = added_commands(ctx.find_object(Invocation))
        if added:
            with formatter.section("Commands of plugins"):
                formatter.write_dl(list(added.items()))


def _print_version(
    context: click.Context, _parameter: click.Parameter, wanted: object
) -> None:
    if wanted and not context.resilient_parsing:
        from hvcore import __version__  # noqa: PLC0415 - only when it is asked for

        click.echo(f"hv {__version__}")
        context.exit()


@click.group(
    cls=LazyGroup,
    params=common_options(from_environment=True),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.option("--supervisor", type=int, hidden=True)
@click.option("--child-niceness", type=int, hidden=True)
def cli(supervisor: int | None, child_niceness: int | None) -> None:
    """
    Host videos: upload, transcode, play.

    Every setting can stand in the settings file or in the environment as
    HV_SECTION__NAME.
    """
    if supervisor is not None:
        from hvcore.processes.child_launcher import die_with_parent  # noqa: PLC0415 - see above

        die_with_parent(supervisor)
    if child_niceness is not None:
        from hvcore.processes.child_process import have_children_nice  # noqa: PLC0415 - see above

        have_children_nice(child_niceness)


def main() -> None:
    """Run ``hv`` with the arguments of this process, and end the process."""
    prepare_streams()
    run_to_end(sys.argv[1:])


def run_to_end(arguments: list[str]) -> NoReturn:
    """Run ``hv``, and end this process with its exit status."""
    invocation = Invocation()
    status = run(arguments, invocation)
    if invocation.abandons_threads:
        # The interpreter would wait for what a plugin has started and not ended.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def run(arguments: list[str], invocation: Invocation | None = None) -> int:
    """
    Run ``hv`` and return its exit status: 0 done, 1 failed, 2 wrong usage.

    Args:
        invocation: The object in which the command notes whether the process may end with
            threads that still run.
    """
    # Sources, segments and the database are the service's alone.
    os.umask(0o077)
    invocation = invocation or Invocation()
    try:
        status = cli.main(arguments, "hv", standalone_mode=False, obj=invocation)
        sys.stdout.flush()
    except click.ClickException as error:
        # Of a video, say, whose name a stranger has chosen.
        shown = io.StringIO()
        error.show(shown)
        click.echo(printable(shown.getvalue(), keeps="\n"), nl=False, err=True)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("hv: stopped.", err=True)
        return 1
    except Exception as error:  # noqa: BLE001 - the command line's edge
        return _failed(error, arguments, invocation)
    return status if isinstance(status, int) else 0


def _failed(error: Exception, arguments: list[str], invocation: Invocation) -> int:
    if isinstance(error, OutputError):
        if why := why_output_fails(error):
            click.echo(f"Error: Standard output cannot be written: {why}.", err=True)
        return 1
    if isinstance(error, UnicodeError) and (unread := _unreadable(arguments)):
        click.echo(
            f"Error: {printable(unread)} has bytes that are no text in this locale's "
            f"encoding ({sys.getfilesystemencoding()}); give a text that is.",
            err=True,
        )
        return 1
    from hvcore.errors import HvcoreError  # noqa: PLC0415 - only failures need it
    from hvcore.extras import extra_of_module, missing_module  # noqa: PLC0415 - see below
    from hvcore.registry import fault_of  # noqa: PLC0415 - see above
    from hvcore_cli.extras_of_words import needs  # noqa: PLC0415 - see below

    if isinstance(error, ModuleNotFoundError) and extra_of_module(error.name):
        text = f"{missing_module(error.name)} ({needs(arguments)})"
        click.echo(f"Error: {printable(text)}", err=True)
    elif isinstance(error, HvcoreError):
        click.echo(f"Error: {printable(str(error))}", err=True)
    elif fault := fault_of(error):
        where = _note(error, invocation.data, "Where it happened")
        click.echo(f"Error: {printable(str(fault))}\n{where}", err=True)
    else:
        where = _note(error, invocation.data, "This is a bug in hv. Where it happened")
        text = printable(str(error).strip().split("\n")[0])
        click.echo(f"Error: {type(error).__name__}: {text}\n{where}", err=True)
    if os.environ.get("HV_DEBUG"):
        traceback.print_exception(error)
    return 1


def _unreadable(arguments: list[str]) -> str:
    # What could not be decoded is in halves of pairs.
    halves = re.compile("[\ud800-\udfff]")
    return next((word for word in arguments if halves.search(word)), "")


def _note(error: Exception, data: Path, said: str) -> str:
    folder = data if data.is_dir() else DEFAULT_DATA
    log = folder / "logs" / "hv.log"
    from hvcore_cli.logs.process_logs import MAX_LOG_BYTES, rotate  # noqa: PLC0415 - see above

    try:
        log.parent.mkdir(exist_ok=True)
        if log.exists() and log.stat().st_size > MAX_LOG_BYTES:
            rotate(log)
        with log.open("a", encoding="utf-8") as file:
            words = [_SECRET.sub("…", _LOGIN.sub("…@", word)) for word in sys.argv]
            file.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {words}\n")
            traceback.print_exception(error, file=file)
    except OSError:
        return f"{said} is shown with HV_DEBUG=1."
    return f"{said} is in {log}."
