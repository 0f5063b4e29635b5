"""``hv openapi``: print the OpenAPI document that describes the API."""

import click

from hvcore.assembly import build
from hvcore_api.app import describe
from hvcore_api.plugin_routes import groups_with
from hvcore_cli.invocation import HvCommand, Invocation, pass_invocation
from hvcore_cli.output import print_json


@click.command(cls=HvCommand)
@pass_invocation
def openapi(invocation: Invocation) -> None:
    """
    Print the description of every route (OpenAPI 3.1, JSON).

    The service answers with the same description; it need not run for this command.
    """
    settings = invocation.load().settings
    with build(settings, rings=False) as services:
        document = describe(
            groups_with(services.registry),
            settings.public.api_url,
            services.access.schemes,
        )
    print_json(document)
