"""
The commands that plugins add to ``hv``.

Plugins are loaded only where somebody asks for a command that is not ours, or for
help: every process of the service is a command, too, and must start soon.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

import click

from hvcore_cli.invocation import Invocation

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from hvcore.registry import Offer, Registry

GROUP: Final = "hvcore"
OURS: Final = "hvcore"
"""The distribution whose plugins add no commands."""
PRIVATE: Final = 0o600
"""The mode of a data folder's secrets.json."""


def added_commands(invocation: Invocation | None) -> Mapping[str, str]:
    """
    Return the commands that plugins add to ``hv``: the summary of each by its name.

    If plugins cannot be loaded, nothing is returned; commands that need plugins report the error.
    """
    if invocation is None or not _may_add(invocation):
        return {}
    from hvcore.errors import HvcoreError  # noqa: PLC0415 - most calls need none of it

    try:
        offers = _load(invocation).of_kind("commands")
    except HvcoreError:
        return {}
    return {one.backend.name: getattr(one.backend, "summary", "") for one in offers}


def make_command(ctx: click.Context, name: str) -> click.Command | None:
    """
    Return the command of this name that a plugin adds; None if no plugin adds it.

    Raises:
        PluginError: The plugin fails.
    """
    invocation = ctx.find_object(Invocation)
    if invocation is None or not _may_add(invocation):
        return None
    offers = {one.backend.name: one for one in _load(invocation).of_kind("commands")}
    offer = offers.get(name)
    if offer is None:
        return None
    services = ctx.with_resource(invocation.unmigrated_services())
    command = services.command(name)
    if not isinstance(command, click.Command):
        raise _failed(offer, f"it makes {type(command).__name__} and no click.Command")
    return _Guarded(offer, command)


def check_names(registry: Registry, taken: Collection[str]) -> None:
    """
    Refuse commands of plugins that have the name of a command of ``hv`` itself.

    Raises:
        PluginError: A plugin adds such a command.
    """
    for offer in registry.of_kind("commands"):
        if offer.backend.name in taken:
            raise _failed(offer, "hv has a command of this name")


class _Guarded(click.Command):
    """A plugin's command whose bugs are told as the plugin's."""

    def __init__(self, offer: Offer, command: click.Command) -> None:
        super().__init__(offer.backend.name, add_help_option=False)
        self._offer = offer
        self._command = command

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: object,
    ) -> click.Context:
        """Parse the arguments with the plugin's command."""
        made = self._command.make_context(info_name, args, parent, **extra)
        made.command = self
        return made

    def invoke(self, ctx: click.Context) -> object:
        """
        Run the plugin's command.

        Raises:
            PluginError: It fails.
        """
        from hvcore.errors import HvcoreError  # noqa: PLC0415 - see added_commands

        ctx.command = self._command
        try:
            return self._command.invoke(ctx)
        except (HvcoreError, click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except BrokenPipeError:
            raise
        except Exception as exc:
            # Whatever a plugin raises: who called the command is told whose it is.
            raise _failed(self._offer, f"{type(exc).__name__}: {exc}") from exc


def _failed(offer: Offer, problem: str) -> Exception:
    from hvcore.registry.added import fault_of_added  # noqa: PLC0415 - see added_commands

    return fault_of_added(offer, problem)


def _load(invocation: Invocation) -> Registry:
    from hvcore.registry import load_plugins  # noqa: PLC0415 - see added_commands

    # Before settings are read, which makes secrets.json.
    has_folder = _is_ours(invocation)
    settings = invocation.load().settings
    return load_plugins(settings, has_folder=has_folder)


def _may_add(invocation: Invocation) -> bool:
    if os.environ.keys() & {"HV_PLUGINS", "HV_EXTRA_PLUGINS"}:
        return True
    # As hvcore.registry.plugin_files, which most calls need not load.
    if _is_ours(invocation) and next(invocation.data.glob("plugins/*.py"), None):
        return True
    from importlib.metadata import entry_points  # noqa: PLC0415 - see added_commands

    found = entry_points(group=GROUP)
    return any(point.dist is None or point.dist.name != OURS for point in found)


def _is_ours(invocation: Invocation) -> bool:
    """
    Return whether the data folder was named, or made by this user's hv.

    To ask for help in a tree that a stranger has packed runs nothing of that tree.
    """
    if invocation.names_data:
        return True
    try:
        status = (invocation.data / "secrets.json").lstat()
    except OSError:
        return False
    is_private = stat.S_IMODE(status.st_mode) == PRIVATE
    return stat.S_ISREG(status.st_mode) and is_private and status.st_uid == os.geteuid()
