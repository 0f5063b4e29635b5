"""
What ``hv up`` and ``hv demo`` tell people when they are ready.
"""

import asyncio
import json
import shlex
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hvcore_cli.commands.videos.demo import next_steps
from hvcore_cli.invocation import CliError, Invocation
from hvcore_cli.processes.local_service import LocalService
from hvcore_cli.processes.up import describe
from hvcore_web.documentation.site import documentation_url

KEYS = {"live": "hv_live_" + "a" * 32, "dev": "hv_test_" + "b" * 32}
VIDEO = "vid_" + "0" * 22


@pytest.fixture
def sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    with ExitStack() as stack:
        pair = tuple(stack.enter_context(socket.socket()) for _ in range(2))
        for one in pair:
            one.bind(("127.0.0.1", 0))
        yield pair[0], pair[1]


@pytest.fixture
def service(
    tmp_path: Path, sockets: tuple[socket.socket, socket.socket]
) -> LocalService:
    invocation = Invocation()
    invocation.data = tmp_path / "my data"
    made = LocalService(
        invocation, listeners=sockets, workers=None, tell=lambda _: None
    )
    document = {name: {"apiKey": key} for name, key in KEYS.items()}
    made.folder.first_keys_file.write_text(
        json.dumps({"orgID": "org_local", **document})
    )
    return made


@pytest.mark.parametrize("new_keys", [KEYS, {}], ids=["first", "later"])
def test_every_start_says_where_everything_is(
    service: LocalService, new_keys: dict[str, str]
) -> None:
    sign_in = f"{service.addresses.api_url}/dashboard/sign-in/link#code"

    text = describe(service, new_keys, sign_in=sign_in)

    at = service.addresses
    for found in (
        documentation_url(at.api_url),
        f"{at.api_url}/health",
        f"{sign_in} (once, within 10 minutes)",
        at.player_url,
        str(service.folder.first_keys_file),
        f"files in {service.folder.path / 'mail'}",
    ):
        assert found in text
    assert (KEYS["live"] in text) is bool(new_keys)


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"HV_DASHBOARD__ENABLED": "false"}, None),
        ({"HV_SIGN_IN__BACKEND": "oidc"}, "/dashboard"),
    ],
    ids=["no dashboard", "another backend"],
)
def test_a_link_is_made_only_where_people_sign_in_by_links(
    service: LocalService,
    sockets: tuple[socket.socket, socket.socket],
    monkeypatch: pytest.MonkeyPatch,
    environ: dict[str, str],
    path: str | None,
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    invocation = Invocation()
    invocation.data = service.folder.path
    made = LocalService(
        invocation, listeners=sockets, workers=None, tell=lambda _: None
    )

    found = asyncio.run(made.sign_in_address())

    assert found == (f"{made.addresses.api_url}{path}" if path else "")
    assert ("dashboard" in describe(made, {}, sign_in=found)) is (path is not None)
    assert "within 10 minutes" not in describe(made, {}, sign_in=found)


def test_a_link_that_cannot_be_made_says_why(service: LocalService) -> None:
    # Nobody has made the tables.
    with pytest.raises(CliError, match="hv migrate"):
        asyncio.run(service.sign_in_address())


def test_a_mail_server_is_named_without_its_password(
    service: LocalService,
    sockets: tuple[socket.socket, socket.socket],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HV_MAIL__URL", "smtps://hv:secret@mail.example.com:465")
    invocation = Invocation()
    invocation.data = service.folder.path

    named = LocalService(
        invocation, listeners=sockets, workers=None, tell=lambda _: None
    )

    assert named.mails == "smtps://mail.example.com:465"


def test_the_demo_ends_with_its_keys_and_three_commands(service: LocalService) -> None:
    lines = next_steps(service, VIDEO).splitlines()

    commands = [shlex.split(line) for line in lines[lines.index(lines[-4]) + 1 :]]
    assert lines[-4].startswith("Next")
    assert [words[0].rpartition("/")[2] for words in commands] == ["curl", "curl", "hv"]
    for words in commands[:2]:
        assert f"X-Api-Key: {KEYS['live']}" in words
    assert commands[2][-2:] == ["--data", str(service.folder.path)]
    assert all(key in "\n".join(lines) for key in KEYS.values())
    assert str(service.folder.first_keys_file) in "\n".join(lines)
