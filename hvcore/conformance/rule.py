"""A rule: its name, its level, and the standard that demands it."""

import enum
from typing import Final

import attrs


class Level(enum.Enum):
    """The level of a rule, in the words of RFC 2119."""

    MUST = "MUST"
    SHOULD = "SHOULD"


@attrs.frozen
class Rule:
    """
    A rule that published videos have to keep.

    Attributes:
        id: Stable; programs and the documentation name rules by it.
        says: The rule as one sentence.
        source: The standard and the place in it.
    """

    id: str
    level: Level
    says: str
    source: str


RFC_8216BIS: Final = "RFC 8216bis"
APPLE: Final = "Apple, HLS authoring specification"
CMAF: Final = "ISO/IEC 23000-19 (CMAF)"
BMFF: Final = "ISO/IEC 14496-12"
NAL: Final = "ISO/IEC 14496-15"
