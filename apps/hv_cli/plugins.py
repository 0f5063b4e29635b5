"""
``hv plugins``: what was found, what of it is active, and what fails.
"""

import click

from hv_cli.commands import HvCommand, Invocation, pass_invocation
from hv_cli.output import json_option
from hv_cli.plugin_listing import list_plugins


@click.command(cls=HvCommand)
@json_option
@pass_invocation
def plugins(invocation: Invocation, *, as_json: bool) -> None:
    """
    Show the backends on offer, their options, what they can do and what fails.

    It builds those that the settings choose; it asks no server and no database.
    """
    invocation.abandons_threads = True
    list_plugins(invocation.load().settings, as_json=as_json)
