"""
The hook for commit messages asks for a subject of its form, and for a body.
"""

import subprocess
import sys
from pathlib import Path

import pytest

HOOK = Path(__file__).parents[2] / ".ci" / "commit-message"
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.com")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    (folder / "hvcore").mkdir(parents=True)
    (folder / "hvcore" / "clock.py").write_text("NOW = 1\n")
    (folder / "README.md").write_text("Text.\n")
    subprocess.run([*GIT, "init", "-q", folder], check=True)
    return folder


def answer(checkout: Path, staged: str, message: str) -> str:
    """Return what the hook says about a commit of one file; nothing if it agrees."""
    (checkout / "message").write_text(message)
    subprocess.run([*GIT, "-C", checkout, "add", staged], check=True)
    done = subprocess.run(
        [sys.executable, HOOK, "message"],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) == (not done.stderr)
    return done.stderr


def test_a_change_of_code_without_a_body_is_refused(checkout: Path) -> None:
    assert "no body" in answer(checkout, "hvcore/clock.py", "clock: tell the time\n")


def test_a_change_of_code_with_a_reason_is_taken(checkout: Path) -> None:
    message = "clock: tell the time\n\nNobody else did.\n"

    assert answer(checkout, "hvcore/clock.py", message) == ""


def test_a_change_of_pages_needs_no_body(checkout: Path) -> None:
    assert answer(checkout, "README.md", "docs: say what a clock is\n") == ""


@pytest.mark.parametrize("subject", ["Tell the time", f"clock: {'long ' * 20}"])
def test_a_subject_without_its_form_is_refused(checkout: Path, subject: str) -> None:
    assert "The subject" in answer(checkout, "README.md", f"{subject}\n")
