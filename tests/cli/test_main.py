"""
How hv is called, and how it fails.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hvcore_cli import main
from hvcore_cli.invocation import CliError
from tests.cli.conftest import Hv

HV = [sys.executable, "-m", "hvcore_cli"]


@pytest.mark.parametrize("name", [*main.COMMANDS, *main.HIDDEN])
def test_every_command_explains_itself(hv: Hv, name: str) -> None:
    outcome = hv(name, "--help")

    assert outcome.status == 0
    assert "--data" in outcome.stdout
    assert "--config" in outcome.stdout


def test_help_lists_every_command(hv: Hv) -> None:
    outcome = hv("--help")

    assert outcome.status == 0
    assert all(f"\n  {name} " in outcome.stdout for name in main.COMMANDS)


def test_help_imports_no_command() -> None:
    code = (
        "import sys; from hvcore_cli.main import run; run(['--help']);"
        "print([m for m in sys.modules if m.split('.')[0] in "
        "('hvcore', 'sqlalchemy', 'rich', 'attrs', 'hvcore_worker')], file=sys.stderr)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize(
    "words",
    [
        ["bogus"],
        ["keys", "create", "--type", "bogus"],
        ["envs", "create", "org_a", "live"],
        ["up", "--port", "70000"],
        ["worker", "--lane", "fast"],
        ["keys", "rotate", "key_a", "--overlap", "tomorrow"],
        ["keys", "rotate", "key_a", "--overlap", "4000000d"],
        ["keys", "rotate", "key_a", "--overlap", "9" * 5000 + "d"],
    ],
)
def test_wrong_usage_ends_with_2(hv: Hv, words: list[str]) -> None:
    outcome = hv(*words)

    assert outcome.status == 2
    assert outcome.stdout == ""
    assert "Usage:" in outcome.stderr


def test_the_data_folder_may_stand_before_and_after_the_command(
    hv: Hv, tmp_path: Path
) -> None:
    for words in (
        ["--data", "before", "config", "show"],
        ["config", "--data", "between", "show"],
        ["config", "show", "--data", "after"],
    ):
        assert hv(*words).status == 0
    assert hv("config", "show", HV_DATA="variable").status == 0

    made = {path.name for path in tmp_path.iterdir()}
    assert made == {"before", "between", "after", "variable"}


def test_an_option_is_stronger_than_the_variable(hv: Hv, tmp_path: Path) -> None:
    hv("config", "show", "--data", "option", HV_DATA="variable")

    assert [path.name for path in tmp_path.iterdir()] == ["option"]


def test_an_expected_failure_is_one_message(
    hv: Hv, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise CliError("It is too late.")

    monkeypatch.setattr(main.cli, "main", refuse)

    outcome = hv("migrate")

    assert outcome.status == 1
    assert outcome.stderr == "Error: It is too late.\n"


def test_a_bug_shows_no_traceback_and_says_where_it_stands(
    hv: Hv, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def crash(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(main.cli, "main", crash)
    (tmp_path / "hv-data").mkdir()

    outcome = hv("migrate")

    assert outcome.status == 1
    assert "Traceback" not in outcome.stderr
    assert "RuntimeError: boom" in outcome.stderr
    assert "Traceback" in (tmp_path / "hv-data" / "logs" / "hv.log").read_text()


def test_the_password_of_a_database_is_in_no_log(
    hv: Hv, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def crash(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(main.cli, "main", crash)
    words = ["hv", "migrate", "--to", "postgresql://hv:s3c/r@t@db/hv"]
    monkeypatch.setattr("sys.argv", words)
    (tmp_path / "hv-data").mkdir()

    hv("migrate")

    log = (tmp_path / "hv-data" / "logs" / "hv.log").read_text()
    assert "'postgresql://…@db/hv'" in log
    assert "s3c" not in log


def test_a_traceback_is_shown_to_who_asks(
    hv: Hv, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(main.cli, "main", crash)

    assert "Traceback" in hv("migrate", HV_DEBUG="1").stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)

    done = subprocess.run(
        [*HV, "config", "show"],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    os.close(write)

    assert done.stderr == ""
    assert done.returncode == 1


def test_json_is_all_that_stands_on_standard_output(migrated: Hv) -> None:
    outcome = migrated("orgs", "list", "--json")

    assert json.loads(outcome.stdout) == {"organizations": []}


def test_a_database_without_tables_is_no_bug_but_a_message(hv: Hv) -> None:
    outcome = hv("orgs", "list")

    assert outcome.status == 1
    assert "hv migrate" in outcome.stderr
    assert "bug" not in outcome.stderr


@pytest.mark.parametrize("name", ["api", "delivery", "worker", "sweep"])
def test_no_process_starts_on_a_database_that_is_not_migrated(
    hv: Hv, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore_cli.logs.process_logs.configure", lambda _: None)

    outcome = hv(name, HV_QUEUE__OPTIONS__URL="unix:///nowhere.sock")

    assert outcome.status == 1
    assert "hv migrate" in outcome.stderr


def test_a_lock_that_is_not_ours_to_take_is_a_message(hv: Hv, tmp_path: Path) -> None:
    # Even root cannot open a folder as a file.
    (tmp_path / "hv-data" / "run" / "up.lock").mkdir(parents=True)

    outcome = hv("up")

    assert outcome.status == 1
    assert "up.lock cannot be opened" in outcome.stderr
    assert "bug" not in outcome.stderr
