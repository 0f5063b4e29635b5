"""``hv plugins``: list the backends of plugins, check a plugin, and write a new one."""

from pathlib import Path

import click

from hvcore.registry import Registry, load_plugins
from hvcore_cli.commands.plugins.check import run_kit
from hvcore_cli.commands.plugins.listing import list_plugins
from hvcore_cli.commands.plugins.new import write_plugin
from hvcore_cli.invocation import CliError, HvGroup, Invocation, pass_invocation
from hvcore_cli.output import json_option


@click.group(cls=HvGroup, invoke_without_command=True)
@json_option
@click.pass_context
def plugins(context: click.Context, *, as_json: bool) -> None:
    """
    Show the backends on offer, their options, what they can do and what fails.

    The command builds the backends that the settings choose, but asks no server and
    no database.
    """
    if context.invoked_subcommand is None:
        invocation = context.ensure_object(Invocation)
        invocation.abandons_threads = True
        list_plugins(invocation.load().settings, as_json=as_json)


@plugins.command()
@click.argument("kind")
@click.argument("name")
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="The folder in which the plugin's folder is made; by default the current "
    "folder.",
)
@pass_invocation
def new(invocation: Invocation, kind: str, name: str, into: Path) -> None:
    """
    Write the beginning of a plugin: a small backend that works, and its tests.

    KIND is analytics, auth, cache_invalidation, limits, queue, sign_in, storage, transcoder or transcriber.
    NAME is the name of the backend, in lower-case letters and digits.
    """
    del invocation
    folder = write_plugin(kind, name, into)
    click.echo(
        f"{folder} is written; its README.md says what is where. Next:\n"
        f"  cd {folder}\n"
        '  pip install -e ".[test]"\n'
        "  pytest"
    )


@plugins.command()
@click.argument("name")
@pass_invocation
def check(invocation: Invocation, name: str) -> None:
    """
    Run the kit of an installed plugin, and list the promises that are not kept.

    NAME is the name of the kit, which is often that of the distribution or the backend.
    """

    def registry() -> Registry:
        invocation.abandons_threads = True
        return load_plugins(invocation.load().settings)

    report = run_kit(name, registry)
    click.echo(
        f"{name}: {report.kept} promises kept, {len(report.declared)} declared not to "
        f"be, {len(report.broken)} broken, {len(report.not_offered)} not offered."
    )
    for line in report.not_offered:
        click.echo(f"  not offered  {line}")
    for line in report.declared:
        click.echo(f"  declared     {line}")
    for line in report.broken:
        click.echo(f"  broken       {line}")
    if report.broken:
        raise CliError("Correct the backend, or declare it in the kit's deviations.")
