"""The steps that ``hv up`` takes before its processes start."""

from collections.abc import Mapping
from contextlib import suppress

import click

from hvcore.assembly import Services
from hvcore.assembly.backend_choice.backend_trials import check_backends, check_storage
from hvcore.domain.access.keys import KeyType
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.errors import ConflictError
from hvcore.processes.names import host_prefix
from hvcore.services.access.keys import KeyWanted
from hvcore_cli.data_folder import DataFolder, write_private
from hvcore_cli.extension_checks import check_extensions
from hvcore_cli.invocation import HvCommand, Invocation, pass_invocation
from hvcore_cli.logs import process_logs
from hvcore_cli.processes.alone import tell_of_faults
from hvcore_cli.processes.queue_server import refuse_lonely_queue

ORG = "org_local"
ENVIRONMENTS = {
    "live": EnvironmentKind.PRODUCTION,
    "dev": EnvironmentKind.DEVELOPMENT,
}


@click.command(cls=HvCommand, hidden=True)
@pass_invocation
def prepare(invocation: Invocation) -> None:
    """Migrate the database, make the first API keys, and free tasks held by dead workers."""
    process_logs.configure(invocation.load().settings.log.format)
    # A plugin that hangs keeps nobody from reading why.
    invocation.abandons_threads = True
    folder = DataFolder(invocation.data)
    # Here once, and not in each process that needs one of them.
    settings = invocation.load().settings
    check_backends(settings)
    check_storage(settings)
    with invocation.unmigrated_services() as services:
        tell_of_faults(services.registry)
        check_extensions(services.registry)
        refuse_lonely_queue(services)
        # A file is this machine's alone, and hv up ends all processes before.
        is_file = services.engine.dialect.name == "sqlite"
        services.migrate(contracts=is_file)
        if not folder.first_keys_file.exists():
            write_private(folder.first_keys_file, _first_keys(services))
        # hv up has the folder's lock, so every worker that was here is dead.
        with services.uow.write() as work:
            work.tasks.free_host(host_prefix(services.settings.data_dir))
            work.commit()


def _first_keys(services: Services) -> Mapping[str, object]:
    """Make the first organization, its environments, and a key for each."""
    document: dict[str, object] = {"orgID": ORG}
    # It is there if the keys' file was removed, or an earlier start was cut off.
    with suppress(ConflictError):
        services.tenants.create_organization(ORG)
    for name, kind in ENVIRONMENTS.items():
        with suppress(ConflictError):
            services.tenants.create_environment(ORG, name, kind)
        created = services.keys.create(
            KeyWanted(
                type=KeyType.ENVIRONMENT, org_id=ORG, env=name, name=f"first {name} key"
            )
        )
        document[name] = {
            "apiKey": created.value,
            "keyID": created.key.id,
            "orgID": ORG,
            "envID": name,
        }
    return document
