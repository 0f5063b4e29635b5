"""Choose the ffmpeg and ffprobe to use, and cache the results of trying them out."""

import contextlib
import json
import logging
import re
import tempfile
from pathlib import Path
from typing import Any, Final

import attrs

from hvcore.plugin_api import AudioCodec, PixelFormat, install_command
from hvcore_transcoder_ffmpeg.engine.binaries import Binaries, find_candidates
from hvcore_transcoder_ffmpeg.engine.engine import FfmpegEngine
from hvcore_transcoder_ffmpeg.engine.trials import examine

_log = logging.getLogger(__name__)

_CACHE_FORMAT: Final = 2
"""The version of the cache's content. Raise it whenever trials test or store something
else."""

_FIXED: Final = {5: (5, 1, 10), 6: (6, 1, 6), 7: (7, 1, 5), 8: (8, 1, 2)}
"""The first version of each series with the fix of CVE-2026-8461."""

INSTALL: Final = (
    "Install ffmpeg with libx264 (Debian: apt install ffmpeg; anywhere: "
    f"{install_command('ffmpeg')}), or set transcoder.options.ffmpeg and "
    "transcoder.options.ffprobe."
)


def choose_engine(
    ffmpeg: Path | None, ffprobe: Path | None, *, cache: Path, work_dir: Path
) -> FfmpegEngine | None:
    """
    Return the first pair of ffmpeg and ffprobe that can do all that transcoding needs.

    Args:
        ffmpeg: The configured ffmpeg; None to find one.
        ffprobe: The configured ffprobe; None to find one.
        cache: The file that keeps the results of trials.
        work_dir: The folder for temporary files.

    Returns:
        If no pair can do it, the first pair that was found, whose ``missing`` says why; None if
        there is no pair.
    """
    incapable = None
    for binaries in find_candidates(ffmpeg, ffprobe):
        try:
            engine = _facts(binaries, cache, work_dir)
        except OSError:
            _log.exception("cannot try %s", binaries.ffmpeg)
            continue
        if engine.is_usable:
            return engine
        incapable = incapable or engine
    return incapable


def version_problem(version: str) -> str:
    """Return a warning if a version of ffmpeg has a known security hole, else ``""``."""
    found = re.match(r"n?(\d+)\.(\d+)(?:\.(\d+))?", version)
    if found is None:
        # A build from git carries no version to judge.
        return ""
    number = tuple(int(part or 0) for part in found.groups())
    oldest = min(_FIXED)
    fixed = _FIXED.get(max(number[0], oldest))
    if fixed is None or number >= fixed:
        return ""
    wanted = ", ".join(".".join(map(str, one)) for one in _FIXED.values())
    return (
        f"ffmpeg {version} is older than the versions that fix CVE-2026-8461 "
        f"({wanted}): install your distribution's security updates or a newer "
        "ffmpeg."
    )


def _facts(binaries: Binaries, cache: Path, work_dir: Path) -> FfmpegEngine:
    key = binaries.fingerprint()
    cached = _read(cache)
    engine = _from_json(binaries, cached.get(key))
    if engine is None:
        engine = examine(binaries, work_dir)
        # A trial that a busy or full machine spoiled is asked again next time.
        if engine.is_usable:
            _write(cache, {**_read(cache), key: _to_json(engine)})
    return engine


def _read(cache: Path) -> dict[str, Any]:
    try:
        content = json.loads(cache.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict) or content.get("format") != _CACHE_FORMAT:
        return {}
    engines = content.get("engines")
    return engines if isinstance(engines, dict) else {}


def _write(cache: Path, engines: dict[str, Any]) -> None:
    content = {"format": _CACHE_FORMAT, "engines": engines}
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache.parent) as folder:
            whole = Path(folder) / cache.name
            whole.write_text(json.dumps(content, indent=1), encoding="utf-8")
            # API processes and workers share the file: it is whole at any time.
            whole.replace(cache)
    except OSError:
        _log.warning("cannot keep what ffmpeg can do", exc_info=True)


def _to_json(engine: FfmpegEngine) -> dict[str, Any]:
    return {
        "version": engine.version,
        "pixel_formats": sorted(one.value for one in engine.pixel_formats),
        "priming_samples": {k.value: v for k, v in engine.priming_samples.items()},
        "filters": sorted(engine.filters),
        "decoders": sorted(engine.decoders),
        "with_lcevc": sorted(engine.with_lcevc),
        "can_crop": engine.can_crop,
    }


def _from_json(binaries: Binaries, cached: Any) -> FfmpegEngine | None:  # noqa: ANN401 - JSON
    with contextlib.suppress(TypeError, ValueError, KeyError, AttributeError):
        return attrs.evolve(
            FfmpegEngine(
                ffmpeg=binaries.ffmpeg,
                ffprobe=binaries.ffprobe,
                origin=binaries.origin,
            ),
            version=str(cached["version"]),
            pixel_formats=frozenset(map(PixelFormat, cached["pixel_formats"])),
            priming_samples={
                AudioCodec(k): int(v) for k, v in cached["priming_samples"].items()
            },
            filters=frozenset(map(str, cached["filters"])),
            decoders=frozenset(map(str, cached["decoders"])),
            with_lcevc=frozenset(map(str, cached["with_lcevc"])),
            can_crop=bool(cached["can_crop"]),
        )
    return None
