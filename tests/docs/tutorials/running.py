"""
Run a tutorial as its reader does: each file is written, each command is typed.

A tutorial's blocks are read in their order. One with a file name as its caption is written
to that file. A console block is typed into the terminal that its caption names; the lines
after a command are its output, in which ``…`` stands for anything. Blocks of the class
``not-run`` need what no test has: the test does something else instead. All terminals of a
tutorial are shells in one network of their own, so that its ports are free. What pip would
fetch is installed before, as that network reaches nobody.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Final

import attrs
from uv import find_uv_bin

from tests.support.live import until

ROOT: Final = Path(__file__).parents[3]
PAGES: Final = ROOT / "docs" / "tutorials"
COMMAND_WITHIN_S: Final = 120
_BLOCK: Final = re.compile(
    r"^(`{3,})\{code-block\} (\w+)\n((?::[\w-]+: [^\n]*\n)*)(.*?)^\1$",
    re.MULTILINE | re.DOTALL,
)
_TAB: Final = re.compile(
    r"^:::\{tab-item\} ([^\n]+)\n(.*?)^:::$", re.MULTILINE | re.DOTALL
)
_OPTION: Final = re.compile(r"^:([\w-]+): (.*)$", re.MULTILINE)
ANYTHING: Final = "…"
# Programs that read their input find none, as nobody types meanwhile. All of them end with
# the tests, also where these are killed: the pipe of the tests is at its end then.
_SHELL: Final = (
    "(read -r <&{tests}; kill -TERM 0) {typed}<&- & "
    'while IFS= read -r -d "" line <&{typed}; do '
    'eval "$line" {typed}<&- {tests}<&-; done'
)


@attrs.frozen(kw_only=True)
class Command:
    """
    A command of a terminal.

    Attributes:
        output: Its lines as the page has them.
        goes_on: It is left running.
        fails: It ends with an error.
        is_run: The runner types it; else the test does something instead.
    """

    terminal: str
    text: str
    output: str
    goes_on: bool = False
    fails: bool = False
    is_run: bool = True


@attrs.frozen
class WrittenFile:
    """A file that the reader writes."""

    name: str
    text: str


def with_tabs_of(page: str, choice: str) -> str:
    """Return a page without the tabs whose title does not name a choice, such as ``Flask``."""
    return _TAB.sub(lambda tab: tab[2] if choice in tab[1] else "", page)


def steps_of(page: str) -> Iterator[Command | WrittenFile]:
    """Yield the steps of a page in their order."""
    for _, language, options, content in _BLOCK.findall(page):
        values = dict(_OPTION.findall(options))
        caption = values.get("caption", "")
        if language != "console":
            yield WrittenFile(caption, content)
            continue
        commands = re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]
        for number, command in enumerate(commands, 1):
            text, _, output = command.partition("\n")
            while text.endswith("\\"):
                further, _, output = output.partition("\n")
                text = f"{text}\n{further}"
            ends = values.get("class") if number == len(commands) else None
            yield Command(
                terminal=caption,
                text=text,
                output=output,
                goes_on=ends == "goes-on",
                fails=ends == "fails",
                is_run=values.get("class") != "not-run",
            )


def pattern_of(output: str) -> re.Pattern[str]:
    """Return the expression that whole output matches; the end of lines does not count."""
    lines = [re.escape(line.rstrip()) for line in output.rstrip("\n").split("\n")]
    text = r"[ ]*\n".join(lines).replace(re.escape(ANYTHING), r"(?s:.*?)")
    return re.compile(rf"{text}\s*", re.MULTILINE)


@attrs.define
class Terminal:
    """A shell that reads what is typed."""

    process: subprocess.Popen[bytes]
    keyboard: int
    tests: int
    """The end of a pipe that the tests hold open."""
    screen: Path
    _numbers: Iterator[int] = attrs.field(factory=count)

    def type(self, command: Command) -> None:
        """
        Type a command, and compare its output with that of the page.

        Raises:
            AssertionError: The command failed (or should have), or says something else.
        """
        began = self.screen.stat().st_size
        done = f"<done {next(self._numbers)} "
        marked = "" if command.goes_on else f'\necho "{done}$?>"'
        os.write(self.keyboard, f"{command.text}{marked}\0".encode())
        wanted = pattern_of(command.output)

        def said() -> str:
            return self.screen.read_bytes()[began:].decode("utf-8", "replace")

        def is_over() -> bool:
            return (
                wanted.search(said()) is not None if command.goes_on else done in said()
            )

        try:
            until(is_over, within_s=COMMAND_WITHIN_S, what=command.text)
        except TimeoutError as error:
            raise AssertionError(f"{command.text}\n{said()}") from error
        if command.goes_on:
            return
        output, _, status = said().rpartition(done)
        assert status.startswith("0>") is not command.fails, f"{command.text}\n{said()}"
        assert wanted.fullmatch(output), (
            f"{command.text}\nsays\n{output}\nand not\n{command.output}"
        )


@attrs.define(kw_only=True)
class Tutorial:
    """
    A tutorial in progress.

    Attributes:
        folder: Where the screens of the terminals are kept.
        within: The words that run a command where the reader is.
    """

    folder: Path
    environ: Mapping[str, str]
    within: Sequence[str]
    terminals: dict[str, Terminal] = attrs.field(factory=dict)

    def follow(self, page: str, instead: Callable[[str], None] | None = None) -> None:
        """
        Do all steps of a page.

        Args:
            instead: Is called with the text of each command that is not run.
        """
        steps = [*steps_of(page)]
        assert steps
        for step in steps:
            if isinstance(step, WrittenFile):
                self._write(step)
            elif not step.is_run:
                assert instead is not None, f"Nothing is done instead of {step.text}"
                instead(step.text)
            else:
                self._terminal(step.terminal).type(step)

    def _write(self, file: WrittenFile) -> None:
        # In the folder that the reader is in: the one of the newest terminal.
        newest = [*self.terminals.values()][-1].process
        folder = Path(f"/proc/{newest.pid}/cwd").readlink()
        path = Path(f"/proc/{newest.pid}/root{folder / file.name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")

    def _terminal(self, name: str) -> Terminal:
        if name not in self.terminals:
            screen = self.folder / f"{name}.screen"
            (typed, keyboard), (held, tests) = os.pipe(), os.pipe()
            with screen.open("wb") as output:
                process = subprocess.Popen(
                    [
                        *(*self.within, "bash", "-c"),
                        _SHELL.format(typed=typed, tests=held),
                    ],
                    cwd=self.folder,
                    env=dict(self.environ),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=[typed, held],
                    start_new_session=True,
                )
            os.close(typed)
            os.close(held)
            self.terminals[name] = Terminal(process, keyboard, tests, screen)
        return self.terminals[name]

    def close(self) -> None:
        """End the programs of the terminals."""
        for terminal in self.terminals.values():
            os.close(terminal.keyboard)
            os.close(terminal.tests)
            os.killpg(terminal.process.pid, signal.SIGTERM)
        for terminal in self.terminals.values():
            terminal.process.wait(timeout=30)


def make_environment(folder: Path, *packages: str | Path) -> None:
    """Make a Python environment with what ``pip`` would fetch: a tutorial's network reaches nobody."""
    commands: tuple[list[str | Path], ...] = (
        ["venv", "--seed", "--python", sys.executable, folder],
        ["pip", "install", "--python", folder / "bin" / "python", *packages],
    )
    for command in commands:
        subprocess.run([find_uv_bin(), "--quiet", *command], check=True, timeout=300)


@contextmanager
def own_network() -> Iterator[Sequence[str]]:
    """Give the words that run a command in a network of its own, until the block ends."""
    holder = subprocess.Popen(
        ["unshare", "--net", "bash", "-c", "ip link set lo up && echo up && exec cat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"up\n", "tutorials need root and iproute2"
        yield ("nsenter", f"--net=/proc/{holder.pid}/ns/net")
    finally:
        holder.communicate()


@contextmanager
def tutorial(
    folder: Path, environ: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Tutorial]:
    """
    Give a tutorial in a network of its own, which ends with the block.

    Args:
        folder: The reader's home.
        environ: Further variables of the reader's terminals.
    """
    python = Path(sys.base_prefix) / "bin"
    terminals = {
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PATH": f"{python}:{os.environ['PATH']}",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        **environ,
    }
    with own_network() as within, following(folder, terminals, within) as made:
        yield made


@contextmanager
def following(
    folder: Path, environ: Mapping[str, str], within: Sequence[str]
) -> Iterator[Tutorial]:
    """Give a tutorial whose terminals are opened by the words of `within`, until the block ends."""
    made = Tutorial(folder=folder, environ=environ, within=within)
    try:
        yield made
    finally:
        made.close()
