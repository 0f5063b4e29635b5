"""Fetch what npm brings before a wheel is built; the rest is pyproject.toml."""

import runpy
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

LAUNCHER = Path(__file__).parent / "hv"


class BuildWithAssets(build_py):
    """Build the packages with what npm brings for their pages."""

    def run(self) -> None:
        """Build; an editable install may fetch the assets later."""
        if not self.editable_mode:
            launcher = runpy.run_path(str(LAUNCHER))
            with launcher["one_at_a_time"]():
                launcher["fetch_assets"]()
        super().run()


setup(cmdclass={"build_py": BuildWithAssets})
