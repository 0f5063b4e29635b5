"""
What a backend does not keep is declared once, and reported with its reason.
"""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from hvcore.testing.deviations import DeclaresDeviations
from hvcore.testing.sign_in import SignInConformance

DECLARED: Final = """
import pytest
from hvcore.testing.deviations import DeclaresDeviations


class Kit(DeclaresDeviations):
    def test_a(self):
        assert self.value

    @pytest.mark.parametrize("case", ["x", "y"])
    def test_b(self, case):
        assert self.value or case == "y"

    def test_c(self):
        pass


class TestKept(Kit):
    value = True


class TestNotKept(Kit):
    value = False
    deviations = {"test_a": "a costs too much", "test_b[x]": "x is odd"}


class TestKeptByNow(Kit):
    value = True
    deviations = {"test_c": "c was hard"}
"""


def report(folder: Path, *options: str) -> str:
    file = folder / "test_declared.py"
    file.write_text(DECLARED, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-rxXf", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-p", "no:randomly", "-p", "no:xdist", *options, str(file)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.stdout


def test_a_declared_deviation_is_an_expected_failure_with_its_reason(
    tmp_path: Path,
) -> None:
    told = report(tmp_path, "--junit-xml=junit.xml")

    assert "9 passed, 2 xfailed, 1 xpassed" in told
    assert "TestNotKept::test_a - declared: a costs too much" in told
    assert "TestNotKept::test_b[x] - declared: x is odd" in told
    junit = (tmp_path / "junit.xml").read_text(encoding="utf-8")
    assert '<property name="deviation" value="a costs too much"' in junit


def test_a_declaration_does_not_outlive_its_reason(tmp_path: Path) -> None:
    told = report(tmp_path, "--override-ini=xfail_strict=true")

    assert "FAILED test_declared.py::TestKeptByNow::test_c" in told
    assert "1 failed, 9 passed, 2 xfailed" in told


@pytest.mark.parametrize(
    ("test", "reason", "told"),
    [("test_it_dances", "tired", "test_it_dances"), ("test_a_person", " ", "say why")],
)
def test_what_is_declared_has_a_promise_and_a_reason(
    test: str, reason: str, told: str
) -> None:
    class Kit(DeclaresDeviations):
        def test_a_person(self) -> None: ...

    with pytest.raises(TypeError, match=told):
        type("TestAcme", (Kit,), {"deviations": {test: reason}})


def test_the_kits_take_declarations() -> None:
    name = "test_a_person_stays_the_same"

    made = type("Acme", (SignInConformance,), {"deviations": {name: "people change"}})

    assert made.deviations == {name: "people change"}
