"""
Checks of ``hv doctor`` for this machine: programs, and files for their owner alone.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import hvcore_edge.requirements
from hvcore.assembly import Services, build
from hvcore.domain.health_findings import HealthFinding
from hvcore.settings import load
from hvcore_checks import machine_checks
from hvcore_checks.machine_checks import PRIVATE_FILES
from hvcore_edge.requirements import MODULES, missing
from hvcore_edge.tallies import UNREAD_FOR_S


def services_of(folder: Path, **environ: str) -> Services:
    return build(
        load(config_path=None, environ=environ, data_dir=folder).settings, rings=False
    )


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with services_of(tmp_path) as made:
        yield made


def told(findings: Sequence[HealthFinding]) -> list[tuple[str, str, str]]:
    return [(str(one.state), one.found, one.fix) for one in findings]


def test_files_with_secrets_are_their_owners_alone(
    services: Services, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in PRIVATE_FILES]
    for path in files:
        path.touch()
        path.chmod(0o600)

    private = told(machine_checks.private_files(services))
    files[0].chmod(0o640)
    files[1].chmod(0o601)
    readable = told(machine_checks.private_files(services))

    assert private == [("ok", "only their owner can read them", "")]
    assert readable == [
        ("broken", f"others can read {path}", f"Run: chmod 600 {path}")
        for path in files
    ]


def test_an_old_python_is_broken(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    (present,) = machine_checks.python(services)
    monkeypatch.setattr(sys, "version_info", machine_checks.OLDEST_PYTHON)
    (oldest,) = machine_checks.python(services)
    monkeypatch.setattr(sys, "version_info", (3, 10, 99))
    (older,) = machine_checks.python(services)

    assert [one.state for one in (present, oldest, older)] == ["ok", "ok", "broken"]
    assert older.fix == "Install Python 3.11 or newer."


@pytest.mark.parametrize("app", ["player", "dashboard"])
def test_files_from_npm_that_are_missing_are_named(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, app: str
) -> None:
    check = getattr(machine_checks, app)
    files = getattr(machine_checks, f"{app}_files")
    names = getattr(files, f"{app.upper()}_FILES").names
    monkeypatch.setattr(files, "STATIC", tmp_path)
    for name in names[1:]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    (lacking,) = told(check(services))
    (tmp_path / names[0]).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / names[0]).touch()
    (whole,) = told(check(services))

    assert lacking[:2] == ("broken", f"{names[0]} is missing")
    assert "./hv setup" in lacking[2]
    assert whole[:2] == ("ok", "its files from npm are there")


def test_counts_of_the_edge_that_nobody_reads_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with services_of(tmp_path, HV_EDGE__LISTEN="127.0.0.1:18099") as services:
        monkeypatch.setattr(machine_checks, "missing", lambda: ["nginx", "cjson"])
        (lacking,) = told(machine_checks.edge(services))
        monkeypatch.setattr(machine_checks, "missing", list)
        (fine,) = told(machine_checks.edge(services))
        services.edge_folder.mkdir(parents=True)
        tally = services.edge_folder / "edge-1.tally"
        tally.touch()
        (young,) = told(machine_checks.edge(services))
        then = tally.stat().st_mtime - UNREAD_FOR_S - 1
        os.utime(tally, (then, then))
        (unread,) = told(machine_checks.edge(services))

    assert lacking[:2] == ("broken", "missing: nginx, cjson")
    assert "apt-get install nginx-light" in lacking[2]
    assert fine == young == ("ok", "nginx can listen at 127.0.0.1:18099", "")
    assert unread[0] == "warning"
    assert unread[1].endswith("files: 1")
    assert unread[2] == "Run: hv edge ingest"


def test_an_edge_needs_nginx_and_its_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hvcore_edge.requirements.shutil, "which", lambda _: None)
    names = ["nginx", "its Lua module", "cjson for Lua"]
    files = [
        "usr/sbin/nginx",
        f"{MODULES.relative_to('/')}/ngx_http_lua_module.so",
        "usr/lib/x86_64-linux-gnu/lua/5.1/cjson.so",
    ]
    for number, name in enumerate(files):
        assert missing(tmp_path) == names[number:]
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    assert missing(tmp_path) == []
    (tmp_path / files[0]).unlink()
    monkeypatch.setattr(hvcore_edge.requirements.shutil, "which", lambda _: "/nginx")
    assert missing(tmp_path) == []
