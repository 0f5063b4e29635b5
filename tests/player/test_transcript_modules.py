"""
The modules of the transcript that need no page: they read captions and find words.
"""

import json
import shutil
import string
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from hvcore_player.assets import STATIC

FOLDER: Final = STATIC / "transcript"
MOST_S: Final = 10
"""A file of 2 MB takes 0.1 s; what looks at runs of blanks again and again takes minutes."""


Answer = Callable[..., Any]


@pytest.fixture
def answer_of(tmp_path: Path) -> Answer:
    """
    Returns the value of a JavaScript expression about a given value.
    """
    node = shutil.which("node")
    assert node, "Debian has it as nodejs"
    shutil.copytree(FOLDER, tmp_path / "transcript")
    (tmp_path / "package.json").write_text('{"type": "module"}')

    def answer(expression: str, given: object, *, most_s: float = 60) -> Any:  # noqa: ANN401 - as the expression says
        program = tmp_path / "program.js"
        program.write_text(
            'import { readFileSync } from "node:fs";\n'
            'import { Search } from "./transcript/search.js";\n'
            'import { cuesOf } from "./transcript/webvtt.js";\n'
            'const given = JSON.parse(readFileSync(0, "utf-8"));\n'
            f"console.log(JSON.stringify({expression}));\n"
        )
        done = subprocess.run(
            [node, program],
            input=json.dumps(given),
            capture_output=True,
            text=True,
            check=False,
            timeout=most_s,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return answer


def test_every_sign_of_a_keyboard_can_be_searched(answer_of: Answer) -> None:
    signs = [
        *string.punctuation,
        *"\u2013\u2014\u2019¿ß€",
        "well-known",
        "a-z]",
        "[^-]",
        "\\-",
    ]

    found = answer_of(
        "given.map((sign) => new Search([`before ${sign} after`, 'other'])"
        ".find(sign).map(({ parts }) => parts))",
        signs,
    )

    at = len("before ")
    assert found == [[[{"cue": 0, "from": at, "to": at + len(sign)}]] for sign in signs]


def test_long_runs_of_blanks_do_not_hold_up_a_page(answer_of: Answer) -> None:
    line = f"a{' ' * 1_998}b"
    cue = f"00:01.000 --> 00:02.000\n{line}\n- {line}\n{line}\n\n"
    file = f"WEBVTT\n\n{cue * 350}"

    texts = answer_of("cuesOf(given).map(({ text }) => text)", file, most_s=MOST_S)

    assert texts == ["a b\n- a b a b"] * 350
