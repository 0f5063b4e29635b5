"""Checks of ``hv doctor`` for this machine: its programs and files."""

import os
import platform
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hvcore.assembly import Services
from hvcore.domain.health_findings import (
    WARNING,
    HealthFinding,
    broken,
    healthy,
)
from hvcore_dashboard import assets as dashboard_files
from hvcore_edge.requirements import PACKAGES, missing
from hvcore_edge.tallies import unread_files
from hvcore_player import assets as player_files
from hvcore_web.assets import VendoredFiles

OLDEST_PYTHON: Final = (3, 11)


PRIVATE_FILES: Final = ("secrets.json", "first-keys.json")


def python(_: Services) -> Sequence[HealthFinding]:
    """Check that the running Python version is new enough."""
    version = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        return [broken("python", version, "Install Python 3.11 or newer.")]
    return [healthy("python", version)]


def edge(services: Services) -> Sequence[HealthFinding]:
    """If an edge is configured, check that its nginx can run and that the edge's counts are read."""
    if not services.settings.edge.listen:
        return [healthy("edge", "none is configured")]
    lacks = missing()
    if lacks:
        found = f"missing: {', '.join(lacks)}"
        fix = f"On Debian or Ubuntu: apt-get install {PACKAGES}"
        return [broken("edge", found, fix)]
    settings = services.settings.edge
    findings = _edge_folder(services.edge_folder)
    return findings or [healthy("edge", f"nginx can listen at {settings.listen}")]


def _edge_folder(folder: Path) -> Sequence[HealthFinding]:
    """Return the findings about the edge's folder of counts, if there is one."""
    wrong = {}
    if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
        wrong[f"{folder} cannot be written"] = (
            "Give it to the user of the service; until then the edge counts nothing."
        )
    unread = len(unread_files(folder))
    if unread:
        wrong[f"nobody brings the edge's counts to the sinks; files: {unread}"] = (
            "Run: hv edge ingest"
        )
    return [
        HealthFinding(state=WARNING, check="edge", found=found, fix=fix)
        for found, fix in wrong.items()
    ]


def player(_: Services) -> Sequence[HealthFinding]:
    """Check that the player's files from npm are installed."""
    return _vendored("player", player_files.STATIC, player_files.PLAYER_FILES)


def dashboard(_: Services) -> Sequence[HealthFinding]:
    """Check that the dashboard's files from npm are installed."""
    return _vendored(
        "dashboard", dashboard_files.STATIC, dashboard_files.DASHBOARD_FILES
    )


def _vendored(
    check: str, static: Path, files: VendoredFiles
) -> Sequence[HealthFinding]:
    lacking = [name for name in files.names if not (static / name).is_file()]
    if not lacking:
        return [healthy(check, "its files from npm are there")]
    fix = "Run ./hv setup in the checkout, or install the wheel."
    return [broken(check, f"{', '.join(lacking)} is missing", fix)]


def private_files(services: Services) -> Sequence[HealthFinding]:
    """Check that only their owner can read the files with secrets."""
    folder = services.settings.data_dir
    findings = []
    for name in PRIVATE_FILES:
        path = folder / name
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            findings.append(
                broken("secrets", f"others can read {path}", f"Run: chmod 600 {path}")
            )
    return findings or [healthy("secrets", "only their owner can read them")]
