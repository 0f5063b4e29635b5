"""
Notes of probing about a source's headers, for workers that make the parts.

Another process makes the parts, often on another machine: the notes travel in the
order. They save a start of ffprobe for each part.
"""

import json
from fractions import Fraction
from typing import Final

from cattrs import Converter

from hvcore_transcoder_ffmpeg.probe.source import Streams


def written(streams: Streams) -> str:
    """Return streams as a text."""
    return json.dumps(_CONVERTER.unstructure(streams), separators=(",", ":"))


def read(notes: str) -> Streams | None:
    """Return the streams of a text; None if there is none, or another version's."""
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
