"""
A new plugin is green from its first minute, and an installed one is checked.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hv_cli.new_plugin import KINDS
from tests.cli.conftest import Hv

HV = [sys.executable, "-m", "hv_cli"]


def run(folder: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )


def path_with(folder: Path) -> str:
    return os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))


@pytest.mark.parametrize("kind", KINDS)
def test_its_tests_pass_as_they_were_written(hv: Hv, tmp_path: Path, kind: str) -> None:
    written = hv("plugins", "new", kind, "acme", "--into", str(tmp_path / "new"))
    (folder,) = (tmp_path / "new").iterdir()

    done = run(folder, sys.executable, "-m", "pytest", "-q", "-p", "no:randomly")

    assert (written.status, done.returncode) == (0, 0), written.stderr + done.stdout
    assert str(folder) in written.stdout
    assert " passed" in done.stdout
    texts = [p.read_text() for p in folder.rglob("*") if p.suffix in {".md", ".toml"}]
    assert not any("$" in text for text in texts)


@pytest.mark.parametrize("kind", KINDS)
def test_the_service_takes_it(hv: Hv, tmp_path: Path, kind: str) -> None:
    hv("plugins", "new", kind, "acme", "--into", str(tmp_path))
    source = tmp_path / f"hv-{kind.replace('_', '-')}-acme" / "src"

    listed = run(
        tmp_path,
        *(*HV, "plugins", "--json"),
        HV_PLUGINS=f"hv_{kind}_acme.plugin",
        PYTHONPATH=str(source),
    )

    assert f'"plugin": "hv_{kind}_acme.plugin"' in listed.stdout, listed.stderr
    assert '"name": "acme"' in listed.stdout


def test_an_installed_plugin_is_checked_with_its_kit(hv: Hv, tmp_path: Path) -> None:
    hv("plugins", "new", "sign_in", "acme", "--into", str(tmp_path))
    folder, target = tmp_path / "hv-sign-in-acme", tmp_path / "installed"
    pip = [*(sys.executable, "-m", "pip", "install", "-q", "--no-deps")]
    offline = ["--no-index", "--no-build-isolation", "--target", str(target), "."]
    installed = run(folder, *pip, *offline)
    assert installed.returncode == 0, installed.stderr
    path = {"PYTHONPATH": path_with(target)}

    good = run(tmp_path, *HV, "plugins", "check", "hv-sign-in-acme", **path)
    backend = target / "hv_sign_in_acme" / "backend.py"
    judged = " or not hmac.compare_digest(code, wanted)"
    assert judged in backend.read_text()
    backend.write_text(backend.read_text().replace(judged, ""))
    bad = run(tmp_path, *HV, "plugins", "check", "hv-sign-in-acme", **path)
    unknown = run(tmp_path, *HV, "plugins", "check", "nobody", **path)

    assert good.returncode == 0, good.stderr
    assert "0 broken" in good.stdout
    assert bad.returncode == 1, bad.stdout
    assert "  broken       test_" in bad.stdout
    assert unknown.returncode == 1
    assert "there are: hv-sign-in-acme" in unknown.stderr


KIT = """
import pytest
from hvcore.testing.deviations import DeclaresDeviations

class TestAcme(DeclaresDeviations):
    deviations = {"test_b": "b costs too much"}

    def test_a(self):
        pass

    def test_b(self):
        assert False

    def test_c(self):
        pytest.skip("it does not carry out SupportsCopy")
"""


def test_what_a_plugin_does_not_offer_is_not_called_declared(tmp_path: Path) -> None:
    (tmp_path / "acme_kit.py").write_text(KIT)
    about = tmp_path / "acme-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[hvcore.kits]\nacme = acme_kit\n")

    path = {"PYTHONPATH": path_with(tmp_path)}
    done = run(tmp_path, *HV, "plugins", "check", "acme", **path)

    assert done.stdout.splitlines() == [
        "acme: 1 promises kept, 1 declared not to be, 0 broken, 1 not offered.",
        "  not offered  test_c: it does not carry out SupportsCopy",
        "  declared     test_b: b costs too much",
    ], done.stderr


@pytest.mark.parametrize("name", ["Acme", "acme_one", "-acme", "1st", "acme-one", ""])
def test_a_name_that_no_backend_may_have_is_refused(hv: Hv, name: str) -> None:
    done = hv("plugins", "new", "analytics", "--", name)

    assert done.status == 1
    assert "lower-case" in done.stderr


def test_a_folder_that_is_there_is_left_alone(hv: Hv, tmp_path: Path) -> None:
    words = ("plugins", "new", "analytics", "acme", "--into", str(tmp_path))
    hv(*words)

    again = hv(*words)

    assert again.status == 1
    assert "is there already" in again.stderr
