"""Find ffmpeg, ffprobe and a sandbox for them on this machine, and remember them."""

import threading
from typing import Final

import attrs

from hvcore.plugin_api import (
    AudioCodec,
    BuildContext,
    Capabilities,
    Speed,
    UnavailableError,
)
from hvcore_transcoder_ffmpeg.engine.binaries import check_configured
from hvcore_transcoder_ffmpeg.engine.capabilities import (
    INSTALL,
    choose_engine,
    version_problem,
)
from hvcore_transcoder_ffmpeg.engine.engine import FfmpegEngine
from hvcore_transcoder_ffmpeg.engine.missing_capabilities import lacks
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.sandbox.confinement import (
    Sandbox,
    SandboxChoice,
    choose_sandbox,
)

HE_AAC: Final = frozenset({AudioCodec.AAC_HE, AudioCodec.AAC_HE_V2})

_NO_ENGINE: Final = "The service cannot process videos at the moment."


class Machine:
    """
    Find ffmpeg, ffprobe and a sandbox on first use; may be used from any thread.

    Raises:
        ConfigError: A path in the options leads to no program.
    """

    def __init__(self, options: FfmpegOptions, context: BuildContext) -> None:
        check_configured(options.ffmpeg, options.ffprobe)
        self._options = options
        self._cache = context.state_dir / "ffmpeg" / "capabilities.json"
        self._work_dir = context.work_dir
        self._lock = threading.Lock()
        self._found: _Found | None = None

    def capabilities(self) -> Capabilities:
        """Return the codecs and formats that this machine's ffmpeg supports, from memory."""
        found = self._find()
        engine, sandbox = found.engine, found.choice.sandbox
        if engine is None or not engine.is_usable or sandbox is None:
            return Capabilities(
                name="ffmpeg",
                pixel_formats=frozenset(),
                audio_codecs=frozenset(),
                speeds=frozenset(),
                problems=(_reason(found),),
                usable=False,
            )
        codecs = set(engine.priming_samples)
        if self._options.substitute_audio:
            codecs |= HE_AAC
        return Capabilities(
            name=f"ffmpeg {engine.version} ({engine.origin}, {sandbox.level})",
            pixel_formats=engine.pixel_formats,
            audio_codecs=frozenset(codecs),
            speeds=frozenset(Speed),
            problems=_problems(engine, found.choice),
            sandbox=sandbox.level,
            lacks=lacks(engine, may_substitute=self._options.substitute_audio),
        )

    def ready(self) -> tuple[FfmpegEngine, Sandbox]:
        """
        Return the usable ffmpeg and ffprobe of this machine, and the sandbox for them.

        Raises:
            UnavailableError: A program, a feature or the sandbox is missing. Jobs wait
                until it is installed, or until another worker takes them.
        """
        found = self._find()
        engine, sandbox = found.engine, found.choice.sandbox
        if engine is None or not engine.is_usable or sandbox is None:
            # Nobody's video is at fault: jobs wait until it is fixed.
            message = f"{_NO_ENGINE} {_reason(found)}"
            raise UnavailableError(message)
        return engine, sandbox

    def _find(self) -> "_Found":
        with self._lock:
            # What is missing may have been installed since.
            if self._found is None or not self._found.is_complete:
                self._found = self._look()
            return self._found

    def _look(self) -> "_Found":
        options = self._options
        engine = choose_engine(
            options.ffmpeg, options.ffprobe, cache=self._cache, work_dir=self._work_dir
        )
        programs = [engine.ffmpeg, engine.ffprobe] if engine else []
        choice = choose_sandbox(options.sandbox, programs)
        return _Found(engine=engine, choice=choice)


@attrs.frozen(kw_only=True)
class _Found:
    """The engine and the confinement found on this machine."""

    engine: FfmpegEngine | None
    choice: SandboxChoice

    @property
    def is_complete(self) -> bool:
        """False if something is missing that may be installed later."""
        return (
            self.engine is not None
            and self.engine.is_usable
            and self.choice.sandbox is not None
        )


def _reason(found: _Found) -> str:
    if found.engine is None:
        return f"ffmpeg is not installed. {INSTALL}"
    if not found.engine.is_usable:
        missing = ", ".join(found.engine.missing)
        return f"{found.engine.ffmpeg} lacks {missing}. {INSTALL}"
    return found.choice.problem


def _problems(engine: FfmpegEngine, choice: SandboxChoice) -> tuple[str, ...]:
    problems = [version_problem(engine.version), choice.problem]
    return tuple(filter(None, problems))
