"""
Ranges of a segment, and whether an answer with that part counts, whoever answers.
"""

from typing import Final

import attrs


@attrs.frozen
class CountingCase:
    """
    A range, with names of places in the segment, and whether it counts.
    """

    range: str
    counts: bool

    def of(self, size_bytes: int) -> str:
        """
        Return the header's value for a segment of a size.
        """
        half = size_bytes // 2
        return "bytes=" + self.range.format(
            half=half,
            over_half=half + 1,
            before_half=half - 1,
            rest_half=size_bytes - half,
            rest_over_half=size_bytes - half - 1,
            last=size_bytes - 1,
        )


COUNTING_CASES: Final = (
    CountingCase("0-", counts=True),
    CountingCase("0-{last}", counts=True),
    CountingCase("0-0", counts=False),
    CountingCase("0-{before_half}", counts=False),
    CountingCase("0-{half}", counts=True),
    CountingCase("1-", counts=True),
    CountingCase("1-{half}", counts=False),
    CountingCase("1-{over_half}", counts=True),
    CountingCase("{rest_half}-", counts=False),
    CountingCase("{rest_over_half}-", counts=True),
    CountingCase("{last}-", counts=False),
    CountingCase("-1", counts=False),
    CountingCase("-{half}", counts=False),
    CountingCase("-{over_half}", counts=True),
    CountingCase("-99999999", counts=True),
)
