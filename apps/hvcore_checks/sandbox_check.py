"""The check that programs which read uploaded files run in a sandbox."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from typing import Final

from hvcore.assembly import Services
from hvcore.domain.health_findings import WARNING, HealthFinding, healthy
from hvcore.domain.processing.transcoding import Capabilities
from hvcore.errors import UnavailableError
from hvcore.ports.transcoder import RemoteTranscoder, Transcoder
from hvcore_checks.transcoder_checks import routed, told

CHECK: Final = "sandbox"
_BUBBLEWRAP: Final = "bwrap"
"""The value of Capabilities.sandbox if the transcoder ffmpeg uses bubblewrap."""


def sandbox(services: Services) -> Sequence[HealthFinding]:
    """Check that transcoders confine the programs that they run on this machine in a sandbox."""
    local = map(told, _local(services))
    # Of one that cannot be used, the check of transcoders tells.
    findings = [_of(able) for able in local if able.usable]
    return list(dict.fromkeys(findings)) or [healthy(CHECK, "no video is made here")]


def _local(services: Services) -> Iterator[Transcoder]:
    if not isinstance(services.transcoder, RemoteTranscoder):
        yield services.transcoder
    for name in routed(services):
        try:
            other: Transcoder = services.transcoders.named(name)
        except UnavailableError:
            # The check of transcoders tells it.
            continue
        if not isinstance(other, RemoteTranscoder):
            yield other


def _of(able: Capabilities) -> HealthFinding:
    if able.sandbox == _BUBBLEWRAP:
        return _bubblewrap()
    if able.sandbox:
        return healthy(CHECK, f"{able.name}: {able.sandbox}")
    return _warning(
        f"{able.name} does not say that its programs are confined",
        "Strangers' files reach its decoders: run the encode workers as a user without "
        "rights and without the network, or ask its author.",
    )


def _bubblewrap() -> HealthFinding:
    fix = "Install bubblewrap; without it no files are hidden from ffmpeg."
    bwrap = shutil.which(_BUBBLEWRAP)
    if bwrap is None:
        return _warning("no bwrap", fix)
    command = [bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"]
    tried = subprocess.run(  # noqa: S603 - our own arguments
        [*command, "/bin/true"], capture_output=True, text=True, check=False
    )
    if tried.returncode != 0:
        return _warning(f"bwrap does not work here: {tried.stderr.strip()[:200]}", fix)
    return healthy(CHECK, bwrap)


def _warning(found: str, fix: str) -> HealthFinding:
    return HealthFinding(state=WARNING, check=CHECK, found=found, fix=fix)
