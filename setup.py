"""Refuse to build a wheel without what npm brings; the rest is pyproject.toml."""

import json
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

APPS = Path(__file__).parent / "apps"


class BuildWithAssets(build_py):
    """Build the packages, if what npm brings for their pages is there."""

    def run(self) -> None:
        """Build; an editable install may fetch the assets later."""
        if not self.editable_mode:
            for listed in APPS.glob("hvcore_*/vendor.json"):
                folder = listed.parent / "static" / "vendor"
                for package in json.loads(listed.read_text()).values():
                    for name in package["files"].values():
                        if not (folder / name).is_file():
                            raise SystemExit(
                                f"{folder / name} is missing: pages of the wheel need "
                                "it. Run ./hv setup, then build again."
                            )
        super().run()


setup(cmdclass={"build_py": BuildWithAssets})
