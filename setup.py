"""Fetch what npm brings before a wheel is built; the rest is pyproject.toml."""

import gzip
import os
import runpy
import tarfile
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

LAUNCHER = Path(__file__).parent / "hv"
# Two builds of the same files are the same bytes. The time is the oldest of a zip file.
BUILT_AT = int(os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800"))
MODE = 0o644


class BuildWithAssets(build_py):
    """Build the packages with what npm brings for their pages."""

    def run(self) -> None:
        """Build; an editable install may fetch the assets later."""
        if not self.editable_mode:
            launcher = runpy.run_path(str(LAUNCHER))
            with launcher["one_at_a_time"]():
                launcher["fetch_assets"]()
        super().run()


class SameWheel(bdist_wheel):
    """Build a wheel whose bytes do not depend on who may read the sources."""

    def write_wheelfile(self, *args: str, **options: str) -> None:
        """Write the last file of the wheel, and let everybody read all of them."""
        super().write_wheelfile(*args, **options)
        for path in Path(self.bdist_dir).rglob("*"):
            if path.is_file():
                path.chmod(MODE)


class SameSource(sdist):
    """Build a source distribution whose bytes do not depend on the builder."""

    def make_archive(self, base_name: str, *_: object, **options: str) -> str:
        """Pack the files without their owner and time."""
        name = f"{base_name}.tar.gz"
        with (
            Path(name).open("wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=BUILT_AT) as packed,
            tarfile.open(fileobj=packed, mode="w") as archive,
        ):
            archive.add(options["base_dir"], filter=nobodys)
        return name


def nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return a member of the source distribution without owner, time and umask."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = BUILT_AT
    member.mode = 0o755 if member.isdir() or member.mode & 0o100 else MODE
    return member


setup(
    cmdclass={
        "bdist_wheel": SameWheel,
        "build_py": BuildWithAssets,
        "sdist": SameSource,
    }
)
