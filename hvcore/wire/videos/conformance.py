"""The answer about the findings of a video's check."""

from typing import Final

from hvcore.domain.processing.certificates import (
    CertificateFinding,
    FindingLevel,
    VideoCertificate,
)
from hvcore.wire.responses import Payload, timestamp
from hvcore.wire.schema import (
    BOOLEAN,
    COUNT,
    STRING,
    TIMESTAMP,
    array,
    record,
    words_of,
)

_FINDING: Final = record(
    "ConformanceFinding",
    {
        "rule": STRING,
        "level": words_of(FindingLevel),
        "says": STRING,
        "source": STRING,
        "file": STRING,
        "place": STRING,
        "message": STRING,
    },
    {"chosenBy": STRING},
)
CONFORMANCE: Final = record(
    "ConformanceReport",
    {
        "conformant": BOOLEAN,
        "checkedAt": TIMESTAMP,
        "must": COUNT,
        "should": COUNT,
        "warnings": COUNT,
        "unlisted": COUNT,
        "findings": array(_FINDING),
        "playlists": COUNT,
        "segments": COUNT,
        "readBytes": COUNT,
    },
)


def conformance(certificate: VideoCertificate) -> Payload:
    """Render a certificate."""
    return {
        "conformant": certificate.is_conformant,
        "checkedAt": timestamp(certificate.checked_at),
        "must": certificate.count(FindingLevel.MUST),
        "should": certificate.count(FindingLevel.SHOULD),
        "warnings": certificate.count(FindingLevel.WARNING),
        "unlisted": certificate.unlisted,
        "findings": [_finding(one) for one in certificate.findings],
        "playlists": certificate.playlists,
        "segments": certificate.segments,
        "readBytes": certificate.read_bytes,
    }


def _finding(found: CertificateFinding) -> Payload:
    payload: Payload = {
        "rule": found.rule,
        "level": found.level.value,
        "says": found.says,
        "source": found.source,
        "file": found.file,
        "place": found.place,
        "message": found.message,
    }
    return payload | ({"chosenBy": found.chosen_by} if found.chosen_by else {})
