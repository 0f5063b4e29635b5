"""
What the documentation shows is there.
"""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from hvcore_client_js import TYPES
from tests.client_js.running import run

PAGE: Final = Path(__file__).parents[2] / "docs" / "how-to" / "javascript-client.md"
TEXT: Final = PAGE.read_text("utf-8")
PROGRAMS: Final = re.findall(r"^```js\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_every_program_can_be_read() -> None:
    node = shutil.which("node")
    assert node

    assert PROGRAMS
    # Each in a block of its own: several have the same names.
    blocks = [
        re.sub(r"^import .*$", "", program, flags=re.MULTILINE) for program in PROGRAMS
    ]
    subprocess.run(
        [node, "--check", "-"],
        input="".join(f"async () => {{\n{block}}};\n" for block in blocks),
        text=True,
        check=True,
    )


@pytest.mark.parametrize("what", ["imports", "methods"])
def test_what_programs_use_is_there(what: str) -> None:
    programs = "\n".join(PROGRAMS)
    imported = re.findall(r'import \{ (.+) \} from "\S*client.js"', programs)
    wanted, found = {
        "imports": (
            {name for names in imported for name in names.split(", ")},
            run("return Object.keys(hv);"),
        ),
        "methods": (
            set(re.findall(r"client\.(\w+)\(", programs)),
            run("return Object.getOwnPropertyNames(hv.HvClient.prototype);"),
        ),
    }[what]

    assert wanted
    assert wanted - set(found) == set()


def test_every_class_of_errors_is_named() -> None:
    classes = set(run("return Object.keys(hv).filter((name) => /Error$/.test(name));"))

    documented = set(re.findall(r"`(\w+Error)`", TEXT)) - {"TypeError", "RangeError"}

    assert classes == documented
    typed = re.findall(r"declare class (\w+Error) ", TYPES.read_text("utf-8"))
    assert classes == set(typed)
