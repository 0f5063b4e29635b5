"""The pages of the commands of ``hv``: one page for each command, and an index."""

import re
import shlex
import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import attrs
import click

from hvcore_cli.invocation import Invocation
from hvcore_cli.main import COMMANDS, cli
from tests.support.code_reference.files import NOTE, REFERENCE
from tests.support.code_reference.since import since

FOLDER: Final = REFERENCE / "commands"
EXAMPLES: Final = FOLDER / "examples.toml"
_COMMON: Final = {"data", "config"}
_VARIABLE: Final = re.compile(r"HV_\w+=\S* ")


@attrs.frozen(kw_only=True)
class Command:
    """
    A command that people call.

    Attributes:
        name: The words behind ``hv``.
        options: The options that have a help text, without the common options.
    """

    name: str
    command: click.Command
    options: Sequence[click.Option]

    @property
    def usage(self) -> str:
        """Return the words of a call, as ``--help`` shows them."""
        context = click.Context(self.command, info_name=f"hv {self.name}")
        return " ".join(
            [context.command_path, *self.command.collect_usage_pieces(context)]
        )

    @property
    def help(self) -> str:
        """Return the help of the command as Markdown."""
        text = textwrap.dedent(self.command.help or "").replace("\b\n", "")
        return text.strip()


@cache
def commands() -> Sequence[Command]:
    """Return all commands, groups replaced by their commands."""
    context = click.Context(cli)
    found = []
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        found += _within(name, command)
    return found


def _within(name: str, command: click.Command) -> Iterator[Command]:
    if isinstance(command, click.Group):
        for word, one in sorted(command.commands.items()):
            if not one.hidden:
                yield from _within(f"{name} {word}", one)
    if isinstance(command, click.Group) and not command.invoke_without_command:
        return
    options = [
        one
        for one in command.params
        if isinstance(one, click.Option) and not one.hidden and one.name not in _COMMON
    ]
    yield Command(name=name, command=command, options=options)


@cache
def examples() -> Mapping[str, Sequence[str]]:
    """Return command lines by the names of their commands."""
    found: Mapping[str, Sequence[str]] = tomllib.loads(EXAMPLES.read_text("utf-8"))
    return found


def parsed(line: str) -> str:
    """
    Return the name of the command that a command line calls; nothing is run.

    Raises:
        click.UsageError: The command does not take these words.
    """
    words = shlex.split(_VARIABLE.sub("", line))
    assert words.pop(0) == "hv"
    context = cli.make_context("hv", words, obj=Invocation())
    names = []
    command: click.Command = cli
    while isinstance(command, click.Group) and (rest := _rest(context)):
        name, found, rest = command.resolve_command(context, rest)
        assert name is not None
        assert found is not None
        command = found
        names.append(name)
        try:
            context = command.make_context(name, rest, parent=context)
        except click.BadParameter as error:
            # Of the reader's machine; that it is missed shows that it was understood.
            if "does not exist" not in error.message:
                raise
            break
    return " ".join(names)


def _rest(context: click.Context) -> list[str]:
    return [*context._protected_args, *context.args]


def names() -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of everything that these pages describe."""
    for one in commands():
        yield "commands", one.name
        for option in one.options:
            yield "command_options", f"{one.name} {option.opts[0]}"


def pages() -> Mapping[Path, str]:
    """Return the text of each page, by its file."""
    parts = {"README": [*_index()]}
    for top in COMMANDS:
        parts[top] = [*_page(top, [one for one in commands() if _top(one) == top])]
    return {FOLDER / f"{name}.md": "\n\n".join(p) + "\n" for name, p in parts.items()}


def _top(one: Command) -> str:
    return one.name.partition(" ")[0]


def _page(top: str, found: Sequence[Command]) -> Iterator[str]:
    yield f"# `hv {top}`"
    yield NOTE
    yield (
        f"This page describes the command `hv {top}`: {_lowered(COMMANDS[top][1])} "
        "Its [common options and exit status](README.md) are those of every command."
    )
    for one in found:
        if len(found) > 1 or one.name != top:
            yield f"## `hv {one.name}`"
        yield one.help
        yield f"```\n{one.usage}\n```"
        if one.options:
            yield "\n".join(_options(one))
        lines = "\n".join(f"$ {line}" for line in examples().get(one.name, ()))
        yield f"Example:\n\n```console\n{lines}\n```"
        yield f"Since {since('commands', one.name)}."


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _options(one: Command) -> Iterator[str]:
    yield "| Option | Meaning | Default | Since |"
    yield "|---|---|---|---|"
    for option in one.options:
        version = since("command_options", f"{one.name} {option.opts[0]}")
        texts = [_spelled(option, one.command), option.help or "", _default(option)]
        cells = [text.replace("|", "\\|") for text in texts]
        yield f"| {' | '.join(cells)} | {version} |"


def _spelled(option: click.Option, command: click.Command) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag:
        return names
    if isinstance(option.type, click.Choice):
        choices = ", ".join(f"`{choice}`" for choice in option.type.choices)
        return f"{names} {choices}"
    return f"{names} `{option.make_metavar(click.Context(command))}`"


def _default(option: click.Option) -> str:
    if option.required:
        return "required"
    return f"`{option.default}`" if option.show_default else ""


def _index() -> Iterator[str]:
    yield "# Commands"
    yield NOTE
    yield (
        "This page lists the commands of `hv`, for people who operate the service. Each "
        "command has a page with its usage, its options and an example; `hv COMMAND --help` "
        "says the same."
    )
    rows = [
        f"| [`hv {top}`]({top}.md) | {text} |" for top, (_, text) in COMMANDS.items()
    ]
    yield "\n".join(["| Command | What it does |", "|---|---|", *rows])
    yield "## Common options"
    yield "These options stand before or after the command."
    common = [
        one
        for one in cli.params
        if isinstance(one, click.Option) and one.name in _COMMON
    ]
    rows = [f"| {_spelled(one, cli)} | {one.help} |" for one in common]
    yield "\n".join(["| Option | Meaning |", "|---|---|", *rows])
    yield "## Exit status"
    yield (
        "| Status | Meaning |\n|---|---|\n"
        "| 0 | The command is done. |\n"
        "| 1 | The command failed, or found something: `hv doctor`, `hv fsck`, "
        "`hv conform`, `hv explain`, `hv videos certificate --check`. |\n"
        "| 2 | The usage is wrong: an option or an argument that the command does not take. "
        "Of `hv explain`: nothing is known of the request. |"
    )
    yield (
        "A failure is one sentence on standard error, which says what to do next. With "
        "`--json`, standard output has one JSON document."
    )
