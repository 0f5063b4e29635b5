"""
The linters of OpenAPI documents find nothing wrong with the API's description.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from falcon.testing import TestClient

from tests.support.http.world import World
from tests.support.npm_packages import npm_packages

# The linters are programs of npm; once is enough.
pytestmark = pytest.mark.services

REDOCLY: Final = "@redocly/cli@2.77.0"
SPECTRAL: Final = "@stoplight/spectral-cli@6.16.3"
IS_SO: Final = {
    # What needs no key and takes nothing has nothing to refuse.
    "operation-4xx-response",
    # The service does not know whom to ask about an installation.
    "info-contact",
}
"""Rules that the document breaks on purpose."""


@pytest.fixture(scope="module")
def document(shared: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    described = TestClient(shared.client.app).simulate_get("/v1/openapi.json")
    file = tmp_path_factory.mktemp("document") / "openapi.json"
    file.write_bytes(described.content)
    return file


def lint(package: str, program: str, document: Path, *options: str) -> Any:  # noqa: ANN401 - JSON data
    assert shutil.which("node"), "node is needed; fix: apt install nodejs npm"
    done = subprocess.run(
        [
            str(npm_packages(package) / ".bin" / program),
            "lint",
            document.name,
            *options,
        ],
        cwd=document.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout, done.stderr
    return json.loads(
        done.stdout[done.stdout.index("{" if program == "redocly" else "[") :]
    )


def test_redocly_finds_nothing(document: Path) -> None:
    found = lint(REDOCLY, "redocly", document, "--extends=recommended", "--format=json")

    assert {one["ruleId"] for one in found["problems"]} <= IS_SO, found["problems"]


def test_spectral_finds_nothing(document: Path) -> None:
    rules = document.with_name("rules.yaml")
    rules.write_text('extends: ["spectral:oas"]\n')

    found = lint(
        SPECTRAL,
        "spectral",
        document,
        "--ruleset=rules.yaml",
        "--format=json",
        "--quiet",
    )

    assert {one["code"] for one in found} <= IS_SO, found
