"""
The types accept a program that works, and refuse one that does not.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from hvcore_client_js import MODULE
from tests.support.npm_packages import npm_packages

PACKAGES: Final = ("typescript@5.9.3", "@types/node@20.9.5")
OPTIONS: Final = {
    "strict": True,
    "noEmit": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "target": "es2022",
    "module": "nodenext",
    "skipLibCheck": False,
}

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]


@pytest.mark.parametrize(
    "place",
    [
        {"lib": ["es2022", "dom", "dom.iterable", "dom.asynciterable"], "types": []},
        {"lib": ["es2022"], "types": ["node"]},
    ],
    ids=["page", "node"],
)
def test_a_strict_program_compiles(tmp_path: Path, place: dict[str, object]) -> None:
    node_modules = npm_packages(*PACKAGES)
    shutil.copy(Path(__file__).with_name("program.ts"), tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules" / "@types").mkdir(parents=True)
    (tmp_path / "node_modules" / "hvcore-client").symlink_to(MODULE.parent)
    for name in ("@types/node", "undici-types"):
        if (node_modules / name).exists():
            (tmp_path / "node_modules" / name).symlink_to(node_modules / name)
    # What a library needs of its types is checked apart from other libraries.
    options = {**OPTIONS, **place}
    options["skipLibCheck"] = "node" in json.dumps(place["types"])
    described = {"compilerOptions": options, "files": ["program.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(described))

    done = subprocess.run(
        [node_modules / ".bin" / "tsc", "-p", tmp_path],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
