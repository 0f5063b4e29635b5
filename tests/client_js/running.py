"""
Programs in node that have the client.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final, Self

from hvcore_client_js import MODULE

_NODE: Final = """\
import * as fs from "node:fs";
import * as readline from "node:readline";
import * as hv from %s;
const caught = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return { ...error, name: error.name, message: error.message };
  }
  throw new Error("nothing was thrown");
};
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\\n`);
const tell = (told) => say({ told });
const Program = Object.getPrototypeOf(async () => {}).constructor;
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { script, given } = JSON.parse(line);
  try {
    const program = new Program("hv", "fs", "given", "caught", "tell", script);
    say({ returned: (await program(hv, fs, given, caught, tell)) ?? null });
  } catch (error) {
    say({ failed: String(error?.stack ?? error) });
  }
}
"""


class Node:
    """
    A node that runs one program after the other: to start one takes longer than most.

    Args:
        options: Its own, such as ``--no-warnings``.
    """

    def __init__(self, *options: str) -> None:
        node = shutil.which("node")
        assert node, "node is needed; fix: apt install nodejs"
        source = _NODE % json.dumps(MODULE.as_uri())
        self._process = subprocess.Popen(
            [node, *options, "--input-type=module", "-e", source],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def start(self, script: str, **given: object) -> None:
        """
        Start the body of an async function.

        It has ``hv`` (the client), ``fs``, ``given``, ``caught(promise)``, which returns
        what was thrown, and ``tell(value)``.
        """
        assert self._process.stdin
        self._process.stdin.write(f"{json.dumps({'script': script, 'given': given})}\n")
        self._process.stdin.flush()

    def hear(self) -> Any:  # noqa: ANN401 - JSON data
        """
        Return what the program tells next, or in the end returns.
        """
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, "node has ended"
        said = json.loads(line)
        assert "failed" not in said, said["failed"]
        return said["told"] if "told" in said else said["returned"]


_running: dict[tuple[str, ...], Node] = {}


def node_with(*options: str) -> Node:
    """
    Return the node that has these options.
    """
    if options not in _running:
        _running[options] = Node(*options).__enter__()
    return _running[options]


def end_all() -> None:
    """
    End every node.
    """
    while _running:
        _running.popitem()[1].__exit__()


def run(script: str, *options: str, **given: object) -> Any:  # noqa: ANN401 - JSON data
    """
    Run the body of an async function; return what it returns.
    """
    node = node_with(*options)
    node.start(script, **given)
    return node.hear()


def file_with(folder: Path, data: bytes) -> str:
    """
    Write a file for a program; return where it is.
    """
    path = folder / "film.mp4"
    path.write_bytes(data)
    return str(path)
