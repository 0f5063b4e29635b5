"""
Commands that plugins add to hv, and faults of what they add.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Final

import click
import pytest

from hvcore.plugin_api import (
    BuildContext,
    CommandBackend,
    NoOptions,
    PluginRoute,
    RoutesBackend,
    hookimpl,
)
from hvcore_cli.invocation import DEFAULT_DATA
from tests.cli.conftest import Hv
from tests.docs import extension

OURS: Final = (
    "hvcore_analytics_sql.plugin,hvcore_auth_apikey.plugin,hvcore_ratelimit.plugin,"
    "hvcore_sign_in_link.plugin,hvcore_storage_fsspec.plugin,hvcore_queue_rq.plugin,"
    "hvcore_transcoder_ffmpeg.plugin"
)

HELLO: Final = """\
import click
from hvcore.plugin_api import CommandBackend, hookimpl

def build(options, context):
    return click.Command("hello", callback=lambda: click.echo("hello"))

@hookimpl
def hvcore_commands():
    yield CommandBackend(name="hello", factory=build, summary="Say hello.")
"""


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[str]:
    """
    The plugin of the page for authors.
    """
    with extension.importable(tmp_path / "plugin") as name:
        yield f"{OURS},{name}"


def test_a_command_of_a_plugin_runs(migrated: Hv, notes: str) -> None:
    done = migrated("notes", HV_PLUGINS=notes)

    assert (done.status, done.stdout) == (0, "0\n"), done.stderr


def test_it_is_listed_with_its_summary(hv: Hv, notes: str) -> None:
    done = hv("--help", HV_PLUGINS=notes)

    assert "Commands of plugins:\n  notes  Count notes.\n" in done.stdout


def test_a_command_of_a_file_in_the_plugins_folder_runs_and_is_listed(
    migrated: Hv, tmp_path: Path
) -> None:
    plugins = tmp_path / DEFAULT_DATA / "plugins"
    plugins.mkdir(mode=0o700)
    (plugins / "hello.py").write_text(HELLO)
    (plugins / "hello.py").chmod(0o600)

    said, listed = migrated("hello"), migrated("--help")
    (plugins / "hello.py").chmod(0o666)
    refused, checked = migrated("hello"), migrated("doctor")

    assert (said.status, said.stdout) == (0, "hello\n"), said.stderr
    assert "Commands of plugins:\n  hello  Say hello.\n" in listed.stdout
    assert "No such command 'hello'" in refused.stderr
    assert f"run: chmod go-w {plugins}/hello.py" in checked.stdout


@pytest.mark.parametrize("environ", [{}, {"HV_PLUGINS": OURS}])
def test_help_in_a_strangers_folder_runs_no_plugin_that_lies_there(
    hv: Hv, tmp_path: Path, environ: Mapping[str, str]
) -> None:
    plugins = tmp_path / DEFAULT_DATA / "plugins"
    plugins.mkdir(parents=True, mode=0o700)
    ran = tmp_path / "ran"
    file = plugins / "hello.py"
    file.write_text(f"open({str(ran)!r}, 'w').close()\n{HELLO}")
    file.chmod(0o600)
    for folder in (plugins, plugins.parent):
        folder.chmod(0o700)
    done = hv("--help", **environ)

    assert done.status == 0
    assert "hello" not in done.stdout
    assert not ran.exists()
    named = hv("--data", str(plugins.parent), "--help", **environ)
    assert "hello  Say hello." in named.stdout


def test_it_explains_itself(hv: Hv, notes: str) -> None:
    done = hv("notes", "--help", HV_PLUGINS=notes)

    assert "Say how many notes there are." in done.stdout


def test_its_options_come_from_the_settings(
    migrated: Hv, notes: str, tmp_path: Path
) -> None:
    file = tmp_path / "elsewhere.sqlite3"

    migrated("notes", HV_PLUGINS=notes, HV_PLUGIN__OPTIONS__NOTES__FILE=str(file))

    assert file.exists()


def test_a_plugin_that_is_left_out_adds_nothing(hv: Hv, notes: str) -> None:
    environ = {"HV_PLUGINS": notes, "HV_PLUGIN__DISABLED": extension.NAME}

    assert hv("notes", **environ).status == 2
    assert "notes" not in hv("--help", **environ).stdout


def test_its_routes_are_described(hv: Hv, notes: str) -> None:
    done = hv("openapi", HV_PLUGINS=notes)

    assert "/v1/api/{orgID}/videos/{videoID}/notes" in json.loads(done.stdout)["paths"]


def test_what_is_added_is_listed_as_active(hv: Hv, notes: str) -> None:
    done = hv("plugins", "--json", HV_PLUGINS=notes)

    added = [
        one["kind"]
        for one in json.loads(done.stdout)["plugins"]
        if one["name"] == "notes" and one["active"]
    ]
    assert added == ["commands", "events", "middleware", "routes"]


class Shop:
    """
    A plugin made on the spot.
    """

    def __init__(self, command: str = "shop", path: str = "/v1/shop") -> None:
        self.command, self.path = command, path

    @hookimpl
    def hvcore_commands(self) -> Iterator[CommandBackend]:
        yield CommandBackend(name=self.command, factory=build_command, summary="Sell.")

    @hookimpl
    def hvcore_routes(self) -> Iterator[RoutesBackend[None]]:
        route = PluginRoute[None](
            "GET", self.path, lambda _state, _call: {}, permission=None, summary="Sell."
        )
        yield RoutesBackend(
            name="shop", factory=lambda _options, _context: None, routes=[route]
        )


def build_command(options: NoOptions, context: BuildContext) -> click.Command:
    del options, context

    @click.command()
    @click.option("--price", type=int, default=0)
    def shop(price: int) -> None:
        if price < 0:
            raise click.UsageError("Nothing is that cheap.")
        raise RuntimeError(f"sold out at {price}")

    return shop


def install(monkeypatch: pytest.MonkeyPatch, plugin: Shop) -> str:
    module = ModuleType("acme_shop")
    vars(module).update(
        hvcore_commands=plugin.hvcore_commands, hvcore_routes=plugin.hvcore_routes
    )
    monkeypatch.setitem(sys.modules, "acme_shop", module)
    return f"{OURS},acme_shop"


def test_a_bug_of_a_command_is_told_as_the_plugins(
    hv: Hv, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugins = install(monkeypatch, Shop())

    done = hv("shop", "--price", "7", HV_PLUGINS=plugins)
    wrong = hv("shop", "--price", "-1", HV_PLUGINS=plugins)

    assert done.status == 1
    assert "Plugin acme_shop" in done.stderr
    assert "RuntimeError: sold out at 7" in done.stderr
    assert "bug in hv" not in done.stderr
    assert (wrong.status, "that cheap" in wrong.stderr) == (2, True)


@pytest.mark.parametrize(
    ("plugin", "told"),
    [
        (Shop(command="keys"), "hv has a command of this name"),
        (Shop(path="/v1/whoami"), "collides with /v1/whoami of the service"),
    ],
    ids=["a command of ours", "a route of ours"],
)
@pytest.mark.parametrize("command", ["prepare", "api", "delivery"])
def test_nothing_starts_with_what_cannot_be_added(
    migrated: Hv,
    monkeypatch: pytest.MonkeyPatch,
    plugin: Shop,
    told: str,
    command: str,
) -> None:
    done = migrated(command, HV_PLUGINS=install(monkeypatch, plugin))

    assert done.status == 1
    assert "Plugin acme_shop" in done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_help_is_shown_whatever_plugins_do(hv: Hv) -> None:
    done = hv("--help", HV_PLUGINS="no_such_plugin")

    assert done.status == 0
    assert "\n  up " in done.stdout
