"""Checks of the transcoders: the default one, and those that routing rules name."""

from collections import Counter
from collections.abc import Iterator, Sequence

from hvcore.assembly import Services
from hvcore.domain.health_findings import (
    BROKEN,
    OK,
    WARNING,
    HealthFinding,
    broken,
    healthy,
)
from hvcore.domain.processing.routes import read_route
from hvcore.domain.processing.transcoding import Capabilities
from hvcore.errors import UnavailableError, require_answer
from hvcore.ports.storage import SupportsObjectUrl, SupportsPresignedRead
from hvcore.ports.transcoder import RemoteTranscoder, SupportsStorageCheck, Transcoder

CHECK = "transcoder"
_ANY_PATH = "media"
"""A path in the storage below which videos are stored."""


def transcoder(services: Services) -> Sequence[HealthFinding]:
    """Check the capabilities of the transcoders, and name those that a transcoder lacks."""
    findings = [*_abilities(told(services.transcoder))]
    if isinstance(services.transcoder, RemoteTranscoder):
        findings += _reach(services, services.transcoder)
    for name in routed(services):
        try:
            other: Transcoder = services.transcoders.named(name)
            findings += _abilities(told(other))
        except UnavailableError as error:
            findings.append(broken(CHECK, f"a rule names {name}", error.detail))
            continue
        if isinstance(other, RemoteTranscoder):
            findings += _reach(services, other)
    return list(dict.fromkeys(findings))


def jobs(services: Services) -> Sequence[HealthFinding]:
    """Check that the transcoders of unfinished jobs can be used with the present settings."""
    with services.uow.read() as work:
        unfinished = work.jobs.unfinished()
    chosen = services.settings.transcoder
    counts = Counter[str]()
    for name, count in unfinished.items():
        counts[name or chosen.backend] += count
    findings = [
        _unfinished(services, name, count) for name, count in sorted(counts.items())
    ]
    return findings or [healthy("jobs", "none is unfinished")]


def told(transcoder: Transcoder) -> Capabilities:
    """
    Return a transcoder's capabilities, after a check that a plugin's answer has the right type.

    Raises:
        WrongAnswerError: The plugin's answer is no ``Capabilities``.
    """
    able = transcoder.capabilities()
    require_answer(transcoder.capabilities, able, Capabilities)
    return able


def routed(services: Services) -> Iterator[str]:
    """Return the names of the transcoders to which routing rules send videos, without the default one."""
    chosen = services.settings.transcoder
    names = dict.fromkeys(read_route(text).transcoder for text in chosen.routes)
    return (name for name in names if name != chosen.backend)


def _unfinished(services: Services, name: str, count: int) -> HealthFinding:
    chosen = services.settings.transcoder
    found = f"{count} unfinished with the transcoder {name}"
    try:
        services.transcoders.named(name)
    except UnavailableError as error:
        return broken("jobs", found, error.detail)
    if name == chosen.backend or chosen.further.get(name):
        return healthy("jobs", found)
    # It was made of options that may all have a default.
    fix = (
        "It has no options now. If it had some under HV_TRANSCODER__OPTIONS__…, set "
        f"them as HV_TRANSCODER__FURTHER__{name.upper()}__… until no job is left."
    )
    return HealthFinding(state=WARNING, check="jobs", found=found, fix=fix)


def _abilities(able: Capabilities) -> Sequence[HealthFinding]:
    state = WARNING if able.usable else BROKEN
    findings = [
        HealthFinding(state=state, check=CHECK, found=able.name, fix=problem)
        for problem in able.problems
    ]
    if not able.usable and not findings:
        return [broken(CHECK, able.name, "It can transcode nothing.")]
    formats = (
        f"{len(able.pixel_formats)} pixel formats, {len(able.audio_codecs)} codecs"
    )
    findings = findings or [healthy(CHECK, f"{able.name}: {formats}")]
    return findings + [
        HealthFinding(
            # A request for it is refused; the rest shows only in videos.
            state=OK if lack.is_refused else WARNING,
            check=CHECK,
            found=lack.what,
            fix=lack.fix,
        )
        for lack in able.lacks
    ]


def _reach(services: Services, transcoder: RemoteTranscoder) -> Sequence[HealthFinding]:
    """Check that a service elsewhere can read sources and write what it makes."""
    storage = services.storage
    can_read = isinstance(storage, SupportsPresignedRead) and storage.can_presign
    if can_read and isinstance(storage, SupportsObjectUrl):
        return _of_storage(transcoder, storage.object_url(_ANY_PATH))
    return [
        broken(
            CHECK,
            "videos are to be made elsewhere, where nobody can reach the storage",
            "Set storage.options.url to an object store (s3, gs, abfs).",
        )
    ]


def _of_storage(transcoder: RemoteTranscoder, url: str) -> Sequence[HealthFinding]:
    if not isinstance(transcoder, SupportsStorageCheck):
        return []
    fix = transcoder.storage_problem(url)
    if not fix:
        return []
    name = transcoder.capabilities().name
    found = f"{name} cannot reach the storage {url.removesuffix(f'/{_ANY_PATH}')}"
    return [broken(CHECK, found, fix)]
