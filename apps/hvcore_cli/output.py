"""Print the results of commands, as a table for people or as one JSON document for programs."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import click

from hvcore_cli.invocation import CliError
from hvcore_cli.printable import printable, printable_json
from hvcore_cli.standard_streams import can_be_printed

Record = Mapping[str, object]

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as one JSON document."
)


def show(
    records: Sequence[Record], columns: Mapping[str, str], *, name: str, as_json: bool
) -> None:
    """
    Print records as a table, or as JSON.

    Args:
        records: The records, with the member names of the JSON document.
        columns: The heading of each column of the table, by member name.
        name: The name of the list in the JSON document.
    """
    if as_json:
        print_json({name: list(records)})
        return
    from rich.console import Console  # noqa: PLC0415 - JSON needs none of it
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in columns.values():
        table.add_column(heading, overflow="fold")
    for record in records:
        cells = [printable(_cell(record.get(key))) for key in columns]
        table.add_row(*map(Text, cells))
    console = Console(soft_wrap=False)
    if console.is_terminal:
        console.print(table)
        return
    # A pipe has no width; a guess would break ids in two.
    console = Console(width=1000)
    with console.capture() as printed:
        console.print(table)
    # Blanks up to the end of the longest line have every line wrapped in the end.
    for line in printed.get().splitlines():
        click.echo(line.rstrip())


def print_json(document: object) -> None:
    """Print one JSON document on standard output."""
    text = printable_json(json.dumps(document, indent=2, ensure_ascii=False))
    if not can_be_printed(text):
        text = json.dumps(document, indent=2)
    click.echo(text)


def put(text: str) -> None:
    """Print a text on standard output, with control characters as escapes."""
    click.echo(printable(text, keeps="\n"))


def say(text: str) -> None:
    """Print a message for the user on standard error, with control characters as escapes."""
    click.echo(printable(text, keeps="\n"), err=True)


def timestamp(moment: datetime | None) -> str | None:
    """Return a time in UTC as text in the API's format, with milliseconds; None for None."""
    if moment is None:
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_cell(item)}" for name, item in value.items())
    return str(value)


@contextmanager
def told_disk(path: Path) -> Iterator[None]:
    """
    Within the ``with`` block, turn errors of files and disks into messages for the user.

    Args:
        path: The path that the message names if the error names none.

    Raises:
        CliError: A file cannot be read or written.
    """
    try:
        yield
    except OSError as exc:
        raise CliError(
            f"{exc.filename or path} cannot be read or written: {exc.strerror or exc}. "
            "Fix that, and run the command again."
        ) from exc
