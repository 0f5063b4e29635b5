"""Steps of the launcher ``hv``, each alone."""

import hashlib
import json
import os
import runpy
import shutil
import tarfile
import zipfile
from base64 import b64encode
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


@pytest.fixture
def launcher(tmp_path: Path) -> dict[str, Any]:
    for name in ("hv", "pyproject.toml", "constraints.txt", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    return runpy.run_path(str(tmp_path / "hv"), run_name="launcher")


def test_the_launcher_remembers_the_extras_of_a_clone(launcher: dict[str, Any]) -> None:
    before = launcher["installed_state"]()

    launcher["remember_extras"](["--extra", "s3"])
    launcher["remember_extras"](["--extra", "otel,azure"])
    launcher["remember_extras"]([])

    assert launcher["chosen_extras"]() == ["all", "azure", "otel", "s3"]
    assert launcher["installed_state"]() != before


@pytest.mark.parametrize("words", [["--extra"], ["--extra", "no-such"], ["s3"]])
def test_the_launcher_refuses_an_extra_that_does_not_exist(
    launcher: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(SystemExit, match=r"^hv: (setup knows|there is no extra)"):
        launcher["remember_extras"](words)

    assert launcher["chosen_extras"]() == ["all"]


def test_the_launcher_describes_the_checkout_as_setuptools_does(tmp_path: Path) -> None:
    launcher = runpy.run_path(str(ROOT / "hv"), run_name="launcher")

    requirement = launcher["editable_wheel"](tmp_path)

    (wheel,) = tmp_path.glob("hvcore-*.whl")
    assert hashlib.sha256(wheel.read_bytes()).hexdigest() in requirement
    built = distribution("hvcore")
    about = zipfile.Path(wheel, f"hvcore-{built.version}.dist-info/")
    ours = PathDistribution(about)  # type: ignore[arg-type]  # as a folder
    assert (ours.name, ours.version) == (built.name, built.version)
    assert set(ours.entry_points) == set(built.entry_points)
    assert requirements(ours) == requirements(built)
    assert extras(ours) == extras(built)
    roots = (zipfile.Path(wheel) / "hvcore.pth").read_text().splitlines()
    assert roots == [str(ROOT / name) for name in ("", "plugins", "contrib", "apps")]


def requirements(found: Distribution) -> set[Requirement]:
    return set(map(Requirement, found.requires or ()))


def extras(found: Distribution) -> list[str] | None:
    return found.metadata.get_all("Provides-Extra")


@pytest.mark.parametrize("is_whole", [True, False])
def test_the_launcher_takes_what_npm_has_kept_if_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_whole: bool
) -> None:
    shutil.copy(ROOT / "hv", tmp_path / "hv")
    (tmp_path / "page.js").write_text("hello")
    with tarfile.open(tmp_path / "made.tgz", "w:gz") as archive:
        archive.add(tmp_path / "page.js", "package/page.js")
    content = (tmp_path / "made.tgz").read_bytes()
    digest = hashlib.sha512(content)
    listed = {
        "version": "1.0.0",
        "sha512": f"sha512-{b64encode(digest.digest()).decode()}",
        "files": {"package/page.js": "page.js"},
    }
    app = tmp_path / "apps" / "hvcore_pages"
    app.mkdir(parents=True)
    (app / "vendor.json").write_text(json.dumps({"pages": listed}))
    name = digest.hexdigest()
    kept = tmp_path / "npm/_cacache/content-v2/sha512" / name[:2] / name[2:4] / name[4:]
    kept.parent.mkdir(parents=True)
    kept.write_bytes(content if is_whole else content[:-1])
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    monkeypatch.setenv("PATH", os.devnull)
    launcher = runpy.run_path(str(tmp_path / "hv"), run_name="launcher")

    if is_whole:
        launcher["fetch_assets"]()
        assert (app / "static/vendor/page.js").read_text() == "hello"
    else:
        # It would ask npm, which is not here.
        with pytest.raises(SystemExit, match="npm"):
            launcher["fetch_assets"]()


def test_the_launcher_gives_paths_to_pytest_and_options_to_tox(
    launcher: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "tests" / "domain").mkdir(parents=True)

    assert not launcher["is_for_tox"](["tests/domain::test_it", "-q"])
    assert launcher["is_for_tox"]([])
    assert launcher["is_for_tox"](["-e", "py311", "--", "tests/domain"])
    with pytest.raises(SystemExit, match="no tests/domains"):
        launcher["is_for_tox"](["tests/domains"])
