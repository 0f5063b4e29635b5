"""
``hv plugins``: what was found, and what of it is active.
"""

from importlib.metadata import PackageNotFoundError, requires, version

import click

from hv_cli.commands import HvCommand, Invocation, pass_invocation
from hv_cli.output import json_option, show
from hvcore.registry import Offer, load_plugins
from hvcore.settings import Settings


@click.command(cls=HvCommand)
@json_option
@pass_invocation
def plugins(invocation: Invocation, *, as_json: bool) -> None:
    """
    Show the backends on offer; asks no server and no database.
    """
    settings = invocation.load().settings
    found = sorted(
        load_plugins(settings).offers, key=lambda o: (o.kind, o.backend.name)
    )
    columns = {
        "kind": "KIND",
        "name": "NAME",
        "active": "ACTIVE",
        "plugin": "PLUGIN",
        "distribution": "DISTRIBUTION",
        "missing": "MISSING",
    }
    records = [_record(offer, settings) for offer in found]
    show(records, columns, name="plugins", as_json=as_json)


def _record(offer: Offer, settings: Settings) -> dict[str, object]:
    return {
        "kind": offer.kind,
        "name": offer.backend.name,
        "active": offer.backend.name in _chosen(offer.kind, settings),
        "plugin": offer.plugin,
        "distribution": offer.distribution,
        "missing": _missing(offer.backend.extra),
    }


def _chosen(kind: str, settings: Settings) -> tuple[str, ...]:
    chosen = {
        "storage": (settings.storage.backend,),
        "transcoder": (settings.transcoder.backend,),
        "queue": (settings.queue.backend,),
        "auth": settings.auth.providers,
        "limits": (settings.limits.store,) if settings.limits.enabled else (),
        "analytics": settings.analytics.sinks,
        "edge": settings.edge.purgers,
    }
    return chosen[kind]


def _missing(extra: str | None) -> str | None:
    """
    Name the extra that must be installed first, if it is not there.
    """
    if extra is None:
        return None
    marker = f'extra == "{extra}"'
    wanted = [line for line in requires("hvcore") or () if marker in line]
    for line in wanted:
        name = line.split(";")[0].split("[")[0].rstrip(" <>=!~.,0123456789")
        try:
            version(name)
        except PackageNotFoundError:
            return f"pip install 'hvcore[{extra}]'"
    return None
