import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from hvcore import extras

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
DECLARED = PROJECT["optional-dependencies"]


def _sources() -> list[Path]:
    folders = ("hvcore", "plugins", "contrib", "apps")
    return [path for folder in folders for path in (ROOT / folder).rglob("*.py")]


def test_each_extra_of_a_module_is_declared() -> None:
    assert set(extras.EXTRA_OF_MODULE.values()) <= set(DECLARED)


def test_each_extra_that_a_message_names_is_declared() -> None:
    found = {
        name
        for path in _sources()
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        for name in _extras_of(call)
    }

    assert {"s3", "postgresql", "embedded", "server", "ffmpeg"} <= found
    assert found <= set(DECLARED)


def _extras_of(call: ast.Call) -> list[str]:
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    place = {"install_command": 0, "missing_module": 1, "require": 1}.get(name)
    if place is None or len(call.args) <= place:
        return []
    texts = [
        node.value
        for node in ast.walk(call.args[place])
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return [extra for text in texts for extra in text.split(",")]


@pytest.mark.parametrize("module", sorted(extras.EXTRA_OF_MODULE))
def test_the_extra_of_a_module_brings_the_module(module: str) -> None:
    distributions = packages_distributions().get(module)
    if distributions is None:
        pytest.skip(f"{module} is not installed")

    brought = " ".join(_requirements(extras.EXTRA_OF_MODULE[module])).lower()

    names = [re.sub(r"[-_.]+", "-", name).lower() for name in distributions]
    assert any(name in brought for name in names)


def _requirements(extra: str) -> list[str]:
    found: list[str] = []
    for line in DECLARED[extra]:
        within = re.fullmatch(r"hvcore\[([^]]+)\]", line)
        found += _requirements(within[1]) if within else [line]
    return found


def test_a_clone_adds_an_extra_by_its_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(ROOT / ".venv"))

    assert extras.install_command("s3") == "./hv setup --extra s3"


def test_another_installation_adds_an_extra_by_the_python_that_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "prefix", "/opt/service")
    monkeypatch.setattr(sys, "executable", "/opt/my service/bin/python")

    command = extras.install_command("s3")

    assert "pip install 'hvcore[s3]'" in command
    assert "'/opt/my service/bin/python'" in command
