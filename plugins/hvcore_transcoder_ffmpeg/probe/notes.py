"""
Write the streams of a probed source as a text, for the workers that make the parts.

Other processes make the parts, often on other machines. The text travels in the order and
saves a start of ffprobe for each part.
"""

import json
from fractions import Fraction
from typing import Final

from cattrs import Converter

from hvcore_transcoder_ffmpeg.probe.source import Streams


def written(streams: Streams) -> str:
    """Return the streams of a source as a text, from which ``read`` makes them again."""
    return json.dumps(_CONVERTER.unstructure(streams), separators=(",", ":"))


def read(notes: str) -> Streams | None:
    """Return the streams in a text of ``written``; None for no text, or one of another version."""
    if not notes:
        return None
    try:
        return _CONVERTER.structure(json.loads(notes), Streams)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _converter() -> Converter:
    converter = Converter(detailed_validation=False)
    converter.register_unstructure_hook(Fraction, str)
    converter.register_structure_hook(Fraction, lambda text, _: Fraction(text))
    return converter


_CONVERTER: Final = _converter()
