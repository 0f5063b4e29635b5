"""
Refuse to build a wheel without the player's script; the rest is pyproject.toml.
"""

import json
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

PLAYER = Path(__file__).parent / "apps" / "hv_player"


class BuildWithAssets(build_py):
    """
    Build the packages, if what npm brings for the player page is there.
    """

    def run(self) -> None:
        """
        Build; an editable install may fetch the assets later.
        """
        if not self.editable_mode:
            packages = json.loads((PLAYER / "vendor.json").read_text())
            for package in packages.values():
                for name in package["files"].values():
                    if not (PLAYER / "static" / "vendor" / name).is_file():
                        raise SystemExit(
                            f"{name} is missing: a wheel without it has no player. "
                            "Run ./hv setup, then build again."
                        )
        super().run()


setup(cmdclass={"build_py": BuildWithAssets})
