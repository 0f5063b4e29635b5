"""Messages of a bare installation, in environments of their own."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hvcore_cli.main import COMMANDS
from tests.package.installing import UV, copied_tree, empty_environment, install

ROOT = Path(__file__).parents[2]
Run = Callable[..., subprocess.CompletedProcess[str]]

WORKER = """
import sys, logging
from hvcore.embedding import ConfigError, embed
service = embed(sys.argv[1], public_url="http://127.0.0.1:9/videos")
try:
    service.run_worker(stopping=lambda: True)
except ConfigError as exc:
    print(exc)
"""


@pytest.fixture(scope="module")
def without_packages(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run this checkout in an environment in which nothing else is installed."""
    folder = tmp_path_factory.mktemp("empty")
    python = empty_environment(folder / "env")
    site = next((folder / "env" / "lib").glob("python*/site-packages"))
    roots = [ROOT, *(ROOT / name for name in ("plugins", "contrib", "apps"))]
    (site / "hvcore.pth").write_text("\n".join(map(str, roots)))
    return lambda *words: _run(python, *words)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run an environment with the wheel and what the wheel asks for."""
    folder = tmp_path_factory.mktemp("bare")
    source = copied_tree(folder / "source")
    subprocess.run([*UV, "build", "--wheel", "-o", folder, source], check=True)
    (wheel,) = folder.glob("*.whl")
    python = empty_environment(folder / "env")
    install(python, str(wheel))
    return lambda *words: _run(python, *words)


def _run(python: Path, *words: object) -> subprocess.CompletedProcess[str]:
    command = [str(python), *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, cwd="/"
    )


@pytest.mark.parametrize(
    "words", [["up"], ["--help"], [], ["demo"], ["upload", "/secret/a.mp4"]]
)
def test_hv_without_packages_names_the_extra_of_its_word_in_one_line(
    without_packages: Run, words: list[str]
) -> None:
    done = without_packages("-m", "hvcore_cli", *words)

    extra = "all" if words == ["demo"] else "server"
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert f"pip install 'hvcore[{extra}]'" in line
    assert "secret" not in line
    assert " ".join(["hv", *words[:1]]) in line or words[:1] == ["--help"]


@pytest.mark.long
def test_each_word_of_a_bare_wheel_names_its_extra(bare: Run) -> None:
    for word in COMMANDS:
        done = bare("-m", "hvcore_cli", word)
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"hv {word} needs the extra ")
        assert "pip install 'hvcore[" in line


@pytest.mark.long
def test_a_worker_in_a_bare_wheel_names_the_extra_that_it_needs(
    bare: Run, tmp_path: Path
) -> None:
    done = bare("-c", WORKER, tmp_path)

    assert "pip install 'hvcore[server,ffmpeg]'" in done.stdout, done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("scheme", "extra"), [("s3", "s3"), ("az", "azure"), ("gs", "gcs")]
)
def test_a_storage_in_a_bare_wheel_names_the_extra_that_it_needs(
    bare: Run, tmp_path: Path, scheme: str, extra: str
) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from hvcore_storage_fsspec.backend import make_storage\n"
        "make_storage(sys.argv[1], args={}, min_free_bytes=None, work_dir=Path('/tmp'))"
    )

    done = bare("-c", code, f"{scheme}://bucket/prefix")

    assert f"pip install 'hvcore[{extra}]'" in done.stderr.splitlines()[-1]
