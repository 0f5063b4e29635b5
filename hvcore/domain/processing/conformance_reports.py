"""The findings of a finished video's check: stored with it, shown to its owner."""

from datetime import datetime
from enum import Enum

import attrs


class FindingLevel(Enum):
    """
    The meaning of a broken rule for the video.

    A WARNING is a rule that cannot be kept with what the caller has chosen, or
    with what the source is; whatever the rule's own level.
    """

    MUST = "MUST"
    SHOULD = "SHOULD"
    WARNING = "WARNING"


@attrs.frozen(kw_only=True)
class ReportFinding:
    """
    A rule that is broken.

    Attributes:
        rule: Its id.
        says: The rule as one sentence.
        source: The standard and the place in it.
        file: As the playlists name it.
        place: Where in the file; may be empty.
        chosen_by: Of a warning: the parameter of the caller that breaks the rule,
            ``source`` or ``transcoder``.
    """

    rule: str
    level: FindingLevel
    says: str
    source: str
    file: str
    place: str
    message: str
    chosen_by: str | None = None


@attrs.frozen(kw_only=True)
class ConformanceReport:
    """
    The outcome of a check.

    Attributes:
        findings: What MUST be fixed first.
        unlisted: Findings beyond the first of their kind.
        segments: How many were examined, init segments included.
    """

    checked_at: datetime
    findings: tuple[ReportFinding, ...]
    unlisted: int
    playlists: int
    segments: int
    read_bytes: int

    @property
    def is_conformant(self) -> bool:
        """Whether players can rely on every rule that they must."""
        return self.count(FindingLevel.MUST) == 0

    def count(self, level: FindingLevel) -> int:
        """Return the number of listed findings of a level."""
        return sum(finding.level is level for finding in self.findings)


class NotConformantError(Exception):
    """
    The files of a job break a rule; assembling them again would not help.

    Its text is the ``failureReason`` that the video's owner reads.

    Args:
        log: What was found first, for the operator's log only.
    """

    def __init__(self, reason: str, *, log: str) -> None:
        super().__init__(reason)
        self.log = log
