"""The findings and the report of a conformance check of a published video."""

from collections import Counter
from typing import Final

import attrs

from hvcore.conformance.rule import Level, Rule
from hvcore.conformance.rules import RULES

MOST_OF_A_KIND: Final = 5
"""The most findings of one rule in one file that are listed; a film has thousands of segments."""
MOST_FINDINGS: Final = 500
_MOST_CHARACTERS: Final = 300


@attrs.frozen(kw_only=True)
class Finding:
    """
    A finding of the conformance check: a rule, and the file of the video that breaks it.

    Attributes:
        file: The file's name in the playlists, without its query, which may be secret.
        place: The place in the file, such as a line or a box; may be empty.
        message: A sentence for people that says what is wrong.
    """

    rule: Rule
    file: str
    place: str
    message: str


@attrs.frozen(kw_only=True)
class CheckReport:
    """
    The outcome of the conformance check of a video.

    Attributes:
        findings: The listed findings; those of the level MUST come first.
        unlisted: The number of findings that are not listed, because there are too
            many.
        playlists: The number of playlists that were read.
        segments: The number of segments that were examined, init segments included.
    """

    findings: tuple[Finding, ...]
    unlisted: int
    playlists: int
    segments: int
    read_bytes: int

    @property
    def is_conformant(self) -> bool:
        """Whether the video breaks no rule of the level MUST."""
        return self.count(Level.MUST) == 0

    def count(self, level: Level) -> int:
        """Return the number of listed findings of a level."""
        return sum(finding.rule.level is level for finding in self.findings)


class CheckLog:
    """Collects the findings of a conformance check, and counts the playlists, segments and bytes that the check reads."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []
        self._kinds: Counter[tuple[str, str]] = Counter()
        self._unlisted = 0
        self._failed: set[str] = set()
        self.playlists = 0
        self.segments = 0
        self.read_bytes = 0

    def add(self, rule: str, file: str, message: str, place: str = "") -> None:
        """
        Record that a file breaks a rule.

        Args:
            message: A sentence for people that says what is wrong.
            place: The place in the file, such as a line or a box; may be empty.
            rule: The id of the rule.
            file: The file's name in the playlists; its query is removed here.
        """
        found = RULES[rule]
        shown = clean(file)
        self._kinds[rule, shown] += 1
        is_many = self._kinds[rule, shown] > MOST_OF_A_KIND
        # The first of each MUST is always listed: without it the verdict would
        # change, also of who excuses some of them.
        decides = found.level is Level.MUST and rule not in self._failed
        if is_many or (len(self._findings) >= MOST_FINDINGS and not decides):
            self._unlisted += 1
            return
        if found.level is Level.MUST:
            self._failed.add(rule)
        self._findings.append(
            Finding(rule=found, file=shown, place=place, message=_plain(message))
        )

    def report(self) -> CheckReport:
        """Return the report of all findings and counts so far."""
        return CheckReport(
            findings=tuple(
                sorted(self._findings, key=lambda f: f.rule.level is not Level.MUST)
            ),
            unlisted=self._unlisted,
            playlists=self.playlists,
            segments=self.segments,
            read_bytes=self.read_bytes,
        )


def clean(address: str) -> str:
    """Return a URL or file name from a playlist without its query, which may be a token, so that it can be shown."""
    return _plain(address.partition("?")[0].partition("#")[0])


def _plain(text: str) -> str:
    # Names come out of strangers' playlists and end on a terminal.
    visible = "".join(c if c.isprintable() else "?" for c in text)
    if len(visible) <= _MOST_CHARACTERS:
        return visible
    return visible[: _MOST_CHARACTERS - 1] + "…"
