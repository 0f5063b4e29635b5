import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


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
