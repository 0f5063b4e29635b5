"""``hv config``: show the settings in force."""

from collections.abc import Iterator, Mapping

import attrs
import click

from hvcore.settings import Loaded, is_secret
from hvcore_cli.invocation import HvGroup, Invocation, pass_invocation
from hvcore_cli.output import json_option, show

MASK = "********"
DEFAULT = "default"


@click.group(cls=HvGroup)
def config() -> None:
    """Show the settings in force."""


@config.command("show")
@json_option
@pass_invocation
def show_config(invocation: Invocation, *, as_json: bool) -> None:
    """Show every setting with its value and its source."""
    records = [
        {"setting": name, "value": value, "origin": origin}
        for name, value, origin in settings_in_force(invocation.load())
    ]
    columns = {"setting": "SETTING", "value": "VALUE", "origin": "FROM"}
    show(records, columns, name="settings", as_json=as_json)


def settings_in_force(loaded: Loaded) -> Iterator[tuple[str, object, str]]:
    """Yield name, value and origin (such as a file or a variable) of each setting; secrets are masked."""
    for section in attrs.fields(type(loaded.settings)):
        values = getattr(loaded.settings, section.name)
        if not attrs.has(type(values)):
            continue
        for field in attrs.fields(type(values)):
            name = f"{section.name}.{field.name}"
            value = getattr(values, field.name)
            yield from _flat(name, value, loaded.origins)


def _flat(
    name: str, value: object, origins: Mapping[str, str]
) -> Iterator[tuple[str, object, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}", inner, origins)
        return
    if isinstance(value, tuple):
        value = list(value)
    shown = MASK if value and is_secret(name) else value
    yield name, shown, origins.get(name, DEFAULT)
