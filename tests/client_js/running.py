"""
Programs in node that have the client.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

from hv_client_js import MODULE

_PROGRAM: Final = """\
import * as hv from %(module)s;
import * as fs from "node:fs";
const given = JSON.parse(process.env.HV_GIVEN);
const caught = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return { ...error, name: error.name, message: error.message };
  }
  throw new Error("nothing was thrown");
};
const tell = (said) => console.log(JSON.stringify(said ?? null));
const told = await (async () => { %(script)s })();
tell(told);
"""


def command_of(script: str, *options: str, module: str = "") -> list[str]:
    """
    Return the command that runs the body of a function.

    It has ``hv`` (the client), ``given``, ``caught(promise)``, which returns what was
    thrown, and ``tell(value)``, which prints a line of JSON; what it returns is told.
    """
    node = shutil.which("node")
    assert node, "node is needed; mend: apt install nodejs"
    names = {"module": json.dumps(module or MODULE.as_uri()), "script": script}
    return [node, *options, "--input-type=module", "-e", _PROGRAM % names]


def environ_of(**given: object) -> dict[str, str]:
    """
    Return the environment of such a program.
    """
    return {**os.environ, "HV_GIVEN": json.dumps(given)}


def run(script: str, *options: str, **given: object) -> Any:  # noqa: ANN401 - JSON data
    """
    Run the body of a function in node; return what it returns.
    """
    done = subprocess.run(
        command_of(script, *options),
        env=environ_of(**given),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def file_with(folder: Path, data: bytes) -> str:
    """
    Write a file for a program; return where it is.
    """
    path = folder / "film.mp4"
    path.write_bytes(data)
    return str(path)
