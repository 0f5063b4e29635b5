"""Conformance reports: findings of the check of a finished video's files."""

from datetime import datetime
from enum import Enum

import attrs


class FindingLevel(Enum):
    """
    Name the severity of a broken conformance rule for the video.

    MUST and SHOULD are the rule's own level. WARNING replaces it if the rule cannot be
    kept with the caller's choice of parameters, or with this source.
    """

    MUST = "MUST"
    SHOULD = "SHOULD"
    WARNING = "WARNING"


@attrs.frozen(kw_only=True)
class ReportFinding:
    """
    Describe one broken conformance rule.

    Attributes:
        rule: The id of the rule.
        says: The rule as one sentence.
        source: The standard, and the section that states the rule.
        file: The name of the file, as the playlists write it.
        place: The place in the file; may be "".
        chosen_by: For a warning, the request parameter that breaks the rule, or
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
    Hold the findings of the check of a video's files.

    Attributes:
        findings: The broken rules, those of the level MUST first.
        unlisted: The number of further findings that repeat a listed kind.
        segments: The number of examined segments, init segments included.
    """

    checked_at: datetime
    findings: tuple[ReportFinding, ...]
    unlisted: int
    playlists: int
    segments: int
    read_bytes: int

    @property
    def is_conformant(self) -> bool:
        """Whether no rule of the level MUST is broken."""
        return self.count(FindingLevel.MUST) == 0

    def count(self, level: FindingLevel) -> int:
        """Return the number of listed findings of a level."""
        return sum(finding.level is level for finding in self.findings)


class NotConformantError(Exception):
    """
    Say that a job's files break a conformance rule; making them again would not help.

    The error's text is the ``failureReason`` that the video's owner reads.

    Args:
        log: The first finding, for the operator's log only.
    """

    def __init__(self, reason: str, *, log: str) -> None:
        super().__init__(reason)
        self.log = log
