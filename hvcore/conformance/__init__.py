"""
Check a published HLS video against the standards, from its bytes alone.

A second opinion: it shares no code with what encodes, measures and writes
playlists, reads strangers' files, and never fails on one. Everything that is wrong
becomes a finding.
"""

from hvcore.conformance.check import check
from hvcore.conformance.report import CheckReport, Finding
from hvcore.conformance.rule import Level, Rule
from hvcore.conformance.rules import RULES
from hvcore.conformance.source import Piece, Source, UnreadableError

__all__ = [
    "RULES",
    "CheckReport",
    "Finding",
    "Level",
    "Piece",
    "Rule",
    "Source",
    "UnreadableError",
    "check",
]
