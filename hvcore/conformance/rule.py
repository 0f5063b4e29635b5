"""The form of the rules of the conformance check: id, level, and the standard that demands each rule."""

import enum
from typing import Final

import attrs


class Level(enum.Enum):
    """The level of a rule of the conformance check: MUST or SHOULD, as RFC 2119 defines them."""

    MUST = "MUST"
    SHOULD = "SHOULD"


@attrs.frozen
class Rule:
    """
    A rule that published videos have to keep.

    Attributes:
        id: The stable name by which programs and the documentation refer to the rule.
        says: The rule as one sentence.
        source: The standard that demands the rule, and the section.
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
