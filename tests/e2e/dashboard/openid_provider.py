"""
A real OpenID provider in a process of its own.
"""

import base64
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import attrs

from tests.support.live import request
from tests.support.npm_packages import npm_packages

PACKAGE: Final = "oidc-provider@9.13.3"
PROGRAM: Final = ("nightly-upload", "a secret of the program")
"""A client with no person, and its secret."""


@attrs.define(kw_only=True)
class RunningProvider:
    """
    The provider at work.
    """

    process: subprocess.Popen[str]
    issuer: str

    def tell(self, **changes: object) -> dict[str, Any]:
        """
        Change something; return how often a session was refreshed.
        """
        assert self.process.stdin
        self.process.stdin.write(f"{json.dumps(changes)}\n")
        self.process.stdin.flush()
        return self.hears()

    def hears(self) -> dict[str, Any]:
        """
        Return what it says next.
        """
        assert self.process.stdout
        said: dict[str, Any] = json.loads(self.process.stdout.readline())
        return said

    def access_token(self, audience: str) -> str:
        """
        Return a token of the program's for an API.
        """
        form = {
            "grant_type": "client_credentials",
            "resource": audience,
            "scope": "read",
        }
        basic = base64.b64encode(":".join(map(_encoded, PROGRAM)).encode()).decode()
        answer = request(
            "POST",
            f"{self.issuer}/token",
            data=urlencode(form).encode(),
            headers={
                "Authorization": f"Basic {basic}",
                "Content-Type": "application/x-www-form-urlencoded",
            },
        )
        assert answer.status == 200, answer.data
        return str(answer.json["access_token"])


@contextmanager
def running_provider() -> Iterator[RunningProvider]:
    """
    Install the provider, and run it until the block ends.
    """
    script = Path(__file__).with_name("oidc_provider.mjs")
    package = npm_packages(PACKAGE) / "oidc-provider"
    with subprocess.Popen(
        ["node", str(script), str(package)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        running = RunningProvider(process=process, issuer="")
        running.issuer = running.hears()["issuer"]
        client_id, secret = PROGRAM
        running.tell(
            program={
                "client_id": client_id,
                "client_secret": secret,
                "grant_types": ["client_credentials"],
                "redirect_uris": [],
                "response_types": [],
            }
        )
        yield running
        process.kill()


def _encoded(text: str) -> str:
    return urlencode({"": text})[1:]
