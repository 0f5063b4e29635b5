"""
The embedded server, where the app cannot be built.
"""

import subprocess
import sys

CODE = """
import socket
from hvcore_server.serving import serve
from hvcore.errors import ConfigError

def make_app():
    raise ConfigError("the setting x is of no use")

sock = socket.create_server(("127.0.0.1", 0))
serve(
    make_app,
    name="it",
    listener=sock.fileno(),
    workers=1,
    threads=1,
    takes_files=False,
)
"""


def test_an_app_that_cannot_be_built_ends_the_server_with_1() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )

    assert done.returncode == 1
    assert "the setting x is of no use" in done.stderr
    assert "Traceback" not in done.stderr
