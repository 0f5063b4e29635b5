"""
What a stranger has named does nothing to the terminal it is shown on.
"""

import json
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from hvcore_cli.output import print_json, put, say, show
from hvcore_cli.printable import printable, printable_json

HOSTILE = {
    "ESC": "a\x1b[2Jb",
    "CSI": "a\x9b2Jb",
    "OSC": "a\x1b]0;title\x07b",
    "BEL": "a\x07b",
    "override": "cod\u202egpj.exe",
    "isolate": "a\u2066b",
    "line ends": "a\nb\r\nc",
    "separators": "a\u2028b\u2029c",
    "DEL and NUL": "a\x7f\x00b",
    "tags": "a\U000e0041b",
    "half of a pair": "a\ud83db",
}
UNSEEN = set("\x1b\x9b\x07\u202e\u2066\r\u2028\u2029\x7f\x00\U000e0041\ud83d")


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_control_characters_are_shown_and_not_obeyed(name: str) -> None:
    shown = printable(name)

    assert not UNSEEN & set(shown)
    assert "\n" not in shown
    assert "\\" in shown


@pytest.mark.parametrize(
    "name", ["Straße 日本語　映画", "👩‍👩‍👧 home", "किताब", "שלום", "a\u00a0b", ""]
)
def test_what_people_write_stays_as_it_is(name: str) -> None:
    assert printable(name) == name


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_json_document_means_the_same_without_control_characters(name: str) -> None:
    document = printable_json(json.dumps({name: [name]}, ensure_ascii=False, indent=2))

    assert not UNSEEN & set(document)
    assert json.loads(document) == {name: [name]}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_no_way_to_print_lets_them_through(name: str) -> None:
    @click.command
    def every_way() -> None:
        put(name)
        say(name)
        print_json({"name": name})
        show([{"name": name}], {"name": "NAME"}, name="videos", as_json=False)
        show([{"name": [name]}], {"name": "NAME"}, name="videos", as_json=True)

    result = CliRunner().invoke(every_way)

    assert result.exception is None
    assert not UNSEEN & set(result.output)


def test_a_log_is_safe_to_read_on_a_terminal() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WRITES_A_LOG], check=True, capture_output=True, text=True
    )

    assert "Traceback" in done.stderr
    assert not UNSEEN & set(done.stderr)


WRITES_A_LOG = r"""
import logging
from hvcore_cli.logs.process_logs import configure
configure()
try:
    raise ValueError("\x1b]0;x\x07")
except ValueError:
    logging.getLogger("hv").exception("failed: %s", "\x9b2J\u202e")
"""
