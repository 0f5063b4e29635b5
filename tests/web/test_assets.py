"""
The build of an app's static files, which is a part of their addresses.
"""

from pathlib import Path

import pytest

from hvcore.errors import UnavailableError
from hvcore_web.assets import Assets, VendoredFiles


def build_of(folder: Path, *vendored: str) -> str:
    return Assets(folder, VendoredFiles(names=vendored, style_hashes=())).build


def test_files_with_other_content_or_names_are_another_build(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("1")
    (tmp_path / "notes.xyz").write_text("1")

    first, again = build_of(tmp_path), build_of(tmp_path)
    (tmp_path / "notes.xyz").write_text("2")
    without_a_type = build_of(tmp_path)
    (tmp_path / "a.js").write_text("2")
    changed = build_of(tmp_path)
    (tmp_path / "a.js").rename(tmp_path / "b.js")
    renamed = build_of(tmp_path)

    assert first == again == without_a_type
    assert len({first, changed, renamed}) == 3


def test_a_file_from_npm_that_is_missing_has_no_build(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"run \./hv setup"):
        build_of(tmp_path, "vendor/missing.js")
