"""
``hv openapi``: the OpenAPI document.
"""

import importlib

import click

from hv_cli.commands import CliError, HvCommand, Invocation, pass_invocation
from hv_cli.output import print_json


@click.command(cls=HvCommand)
@pass_invocation
def openapi(invocation: Invocation) -> None:
    """
    Print the OpenAPI document of every route.
    """
    try:
        module = importlib.import_module("hv_api.openapi")
    except ModuleNotFoundError as exc:
        raise CliError("This version has no OpenAPI document yet.") from exc
    print_json(module.document(invocation.load().settings))
