"""Distributions: the same bytes from each build, and READMEs that hold without the rest."""

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.clips import make_clip
from tests.package.installing import ROOT, copied_tree, empty_environment, install
from tests.support.live import LiveService, live_service

pytestmark = [pytest.mark.long, pytest.mark.services, pytest.mark.timeout(600)]

ADDRESS = "https://api.example.com"
KEY = "hv_live_…"


def build(folder: Path, *, umask: int, timezone: str) -> Path:
    """Build every distribution in a copy of the tree; return the folder with the files."""
    previous = os.umask(umask)
    try:
        tree = copied_tree(folder / "tree")
        for path in tree.rglob("*"):
            path.chmod(path.stat().st_mode & ~umask)
        subprocess.run(
            [tree / ".ci" / "build", folder / "dist"],
            env={**os.environ, "TZ": timezone},
            check=True,
        )
    finally:
        os.umask(previous)
    return folder / "dist"


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.name != ".gitignore"
    }


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("one"), umask=0o022, timezone="UTC")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with live_service(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture
def film(tmp_path: Path) -> Path:
    return make_clip(tmp_path / "holiday.mp4", seconds=2, size="320x240")


def blocks_of(readme: Path, language: str) -> list[str]:
    """Return the programs of a README in one language."""
    text = readme.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def pointed_at(program: str, service: LiveService) -> str:
    """Return a program with the address and the key of a service that runs."""
    return program.replace(ADDRESS, service.api).replace(KEY, service.key)


def said_by(command: list[str], folder: Path, binaries: Path | None = None) -> str:
    """Run a command in a folder, and return the text that it prints."""
    path = os.pathsep.join(
        [*filter(None, [binaries and str(binaries)]), os.environ["PATH"]]
    )
    environ = {
        k: v for k, v in os.environ.items() if not k.startswith(("HV_", "PYTHON"))
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environ, "PATH": path, "NO_PROXY": "127.0.0.1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def alone(built: Path, folder: Path, name: str, extra: str = "") -> Path:
    """Install the wheel of one distribution; return the folder of the programs."""
    (wheel,) = built.glob(f"{name}-*.whl")
    python = empty_environment(folder / "env")
    install(python, f"{wheel}{extra}")
    return python.parent


def test_two_builds_of_each_distribution_are_the_same_bytes(
    built: Path, tmp_path: Path
) -> None:
    again = build(tmp_path / "elsewhere", umask=0o077, timezone="Asia/Kathmandu")

    assert len(hashes(built)) == 9
    assert hashes(again) == hashes(built)


def test_the_readme_of_hvcore_runs_where_only_hvcore_is_installed(
    built: Path, tmp_path: Path
) -> None:
    (program,) = blocks_of(ROOT / "README.md", "python")
    binaries = alone(built, tmp_path, "hvcore")

    address = said_by([str(binaries / "python"), "-c", program], tmp_path)

    assert address.startswith("http://127.0.0.1:5000/videos/")


def test_the_readme_of_hvcore_plays_a_clip_where_only_hvcore_is_installed(
    built: Path, tmp_path: Path
) -> None:
    (program,) = (
        block for block in blocks_of(ROOT / "README.md", "sh") if "pip install" in block
    )
    first, *commands = program.splitlines()
    extra = re.fullmatch(r"pip install 'hvcore(\[\w+\])'", first)
    assert extra
    binaries = alone(built, tmp_path, "hvcore", extra[1])

    said_by(["sh", "-e", "-c", "\n".join(commands)], tmp_path, binaries)

    assert list(tmp_path.glob("hv-data/**/*.m3u8"))


def test_the_readme_of_the_python_client_runs_where_only_the_client_is_installed(
    built: Path, tmp_path: Path, service: LiveService, film: Path
) -> None:
    (program,) = blocks_of(ROOT / "contrib" / "hvcore_client" / "README.md", "python")
    binaries = alone(built, tmp_path, "hvcore_client")

    playlist_url = said_by(
        [str(binaries / "python"), "-c", pointed_at(program, service)], film.parent
    )

    assert ".m3u8" in playlist_url


def test_the_readme_of_the_generator_runs_where_only_the_generator_is_installed(
    built: Path, tmp_path: Path, service: LiveService
) -> None:
    folder = ROOT / "contrib" / "hvcore_client_generator"
    (program,) = blocks_of(folder / "README.md", "sh")
    binaries = alone(built, tmp_path, "hvcore_client_generator")

    listed = said_by(
        ["sh", "-e", "-c", pointed_at(program, service)], tmp_path, binaries
    )

    assert {"calls", "models.py", "operations.py"} <= set(listed.split())


def test_the_readme_of_the_emulator_runs_where_only_the_emulator_is_installed(
    built: Path, tmp_path: Path
) -> None:
    folder = ROOT / "contrib" / "hvcore_mediaconvert_local"
    (program,) = blocks_of(folder / "README.md", "python")
    binaries = alone(built, tmp_path, "hvcore_mediaconvert_local")

    queues = said_by([str(binaries / "python"), "-c", program], tmp_path, binaries)

    assert queues == "['Default']\n"


def test_the_readme_of_the_javascript_client_runs_where_only_the_client_is_installed(
    built: Path, tmp_path: Path, service: LiveService, film: Path
) -> None:
    (program,) = blocks_of(ROOT / "contrib" / "hvcore_client_js" / "README.md", "js")
    (package,) = built.glob("hvcore-client-*.tgz")
    quiet = ["--silent", "--offline", "--no-audit", "--no-fund"]
    said_by(["npm", "install", *quiet, str(package)], tmp_path)
    (tmp_path / "upload.mjs").write_text(pointed_at(program, service), "utf-8")

    playlist_url = said_by(["node", "upload.mjs"], film.parent)

    assert ".m3u8" in playlist_url
