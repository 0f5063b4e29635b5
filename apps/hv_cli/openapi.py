"""
``hv openapi``: the description of the API.
"""

import click

from hv_api.app import describe
from hv_cli.commands import HvCommand, Invocation, pass_invocation
from hv_cli.output import print_json


@click.command(cls=HvCommand)
@pass_invocation
def openapi(invocation: Invocation) -> None:
    """
    Print the description of every route (OpenAPI 3.1, JSON).

    It is the one that the service answers with; no service need run.
    """
    settings = invocation.load().settings
    document = describe(settings.public.api_url)
    print_json(document)
