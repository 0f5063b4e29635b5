"""
The checks of ``hv doctor``, each with its mend.
"""

import io
import os
import platform
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import attrs

from hv_cli.commands import CliError, Invocation
from hv_cli.data_folder import DataFolder
from hv_cli.queue_server import find_server
from hv_edge.requirements import PACKAGES, missing
from hv_edge.tallies import unread_files
from hvcore.assembly import Services
from hvcore.errors import HvcoreError, UnavailableError
from hvcore.registry import current_name, plugin_names
from hvcore.spool import make_folder

OK: Final = "ok"
WARNING: Final = "warning"
BROKEN: Final = "broken"

OLDEST_PYTHON: Final = (3, 11)
LITTLE_SPACE_BYTES: Final = 20 * 1024**3
NO_SPACE_BYTES: Final = 1024**3
PRIVATE_FILES: Final = ("secrets.json", "first-keys.json")


@attrs.frozen(kw_only=True)
class HealthFinding:
    """
    What a check has found.

    Attributes:
        mend: What to do; empty if nothing is to be done.
    """

    state: str
    check: str
    found: str
    mend: str = ""

    def as_record(self) -> Mapping[str, object]:
        """
        Return it as one record of the output.
        """
        return attrs.asdict(self)


@attrs.frozen(kw_only=True)
class Installation:
    """
    The installation under examination.
    """

    invocation: Invocation
    services: Services
    port: int


def python(_: Installation) -> Sequence[HealthFinding]:
    """
    Check that this Python is new enough.
    """
    version = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        return [_broken("python", version, "Install Python 3.11 or newer.")]
    return [_ok("python", version)]


def database(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that the database answers and has our tables.
    """
    try:
        # Before the ping, which a database that is not migrated fails too.
        if not patient.services.is_migrated():
            return [_broken("database", "not at this version", "Run: hv migrate")]
        patient.services.uow.ping()
    except UnavailableError as exc:
        return [
            _broken(
                "database",
                exc.detail,
                "Start the database, or correct HV_DATABASE__URL.",
            )
        ]
    return [_ok("database", "answers, and is at this version")]


def search(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that videos are found by an index of their names.
    """
    try:
        if patient.services.is_searchable():
            return [_ok("search", "names have an index")]
    except UnavailableError:
        return [_broken("search", "the database does not answer", "Start it.")]
    if patient.services.engine.dialect.name == "postgresql":
        mend = (
            "Let an owner of the database run: CREATE EXTENSION pg_trgm; "
            "CREATE EXTENSION btree_gin; then run: hv migrate"
        )
    else:
        mend = "Use a Python whose SQLite is 3.34 or newer and has FTS5: hv migrate"
    found = "names have no index: searching takes longer, the more videos there are"
    return [HealthFinding(state=WARNING, check="search", found=found, mend=mend)]


def storage(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that the storage can be written to and emptied.
    """
    path = f"doctor/{os.getpid()}"
    try:
        place = patient.services.storage
        place.ping()
        place.write(path, io.BytesIO(b"doctor"), content_type="text/plain")
        place.delete_tree(path)
    except UnavailableError as exc:
        mend = "Check HV_STORAGE__OPTIONS__URL, its credentials and its rights."
        if "full" in exc.detail:
            mend = "Free some space there: delete videos, or enlarge it."
        return [_broken("storage", exc.detail, mend)]
    return [_ok("storage", "can be written")]


def disk(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that there is room in the data folder, and where the storage is.
    """
    data = patient.services.settings.data_dir
    folders = {"the data folder": data}
    local = _local_storage(patient)
    if local is not None and local.stat().st_dev != data.stat().st_dev:
        folders["the storage"] = local
    return [_room(name, path) for name, path in folders.items()]


def _local_storage(patient: Installation) -> Path | None:
    """
    Return the folder that the storage is in, if it is one of this machine.
    """
    chosen = patient.services.settings.storage
    scheme, found, rest = str(chosen.options.get("url", "")).rpartition("://")
    if chosen.backend != "fsspec" or (found and scheme != "file"):
        return None
    path = Path(unquote(rest))
    return path if rest and path.exists() else None


def _room(name: str, path: Path) -> HealthFinding:
    free = shutil.disk_usage(path).free
    found = f"{free / 1024**3:.1f} GiB free in {name}"
    if free < NO_SPACE_BYTES:
        return _broken("disk", found, "Free some space; uploads are refused.")
    if free < LITTLE_SPACE_BYTES:
        mend = "An upload may have 5 GiB, and its renditions as much again."
        return HealthFinding(state=WARNING, check="disk", found=found, mend=mend)
    return _ok("disk", found)


def auth(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that those who recognise callers can be made.
    """
    providers = ", ".join(patient.services.settings.auth.providers)
    try:
        _ = patient.services.access
    except HvcoreError as exc:
        mend = "Correct HV_AUTH__PROVIDERS and its options."
        return [_broken("auth", f"{providers}: {exc}", mend)]
    return [_ok("auth", providers)]


def keys(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that the keys that sign and verify can be used.
    """
    playback = "HV_PLAYBACK__SIGNING_KEY and HV_PLAYBACK__RETIRED_KEYS"
    uploads = "HV_UPLOADS__SIGNING_KEY"
    made: Mapping[str, Callable[[], object]] = {
        playback: lambda: patient.services.key_ring,
        uploads: lambda: patient.services.upload_signer,
    }
    findings = []
    for names, make in made.items():
        try:
            make()
        except (HvcoreError, ValueError) as exc:
            findings.append(_broken("keys", str(exc), f"Correct {names}."))
    return findings or [_ok("keys", "can be used")]


def queue(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that the queue answers, or that ``hv up`` can start one.
    """
    chosen = patient.services.settings.queue
    if chosen.backend == "rq" and "url" not in chosen.options:
        try:
            return [_ok("queue", f"hv up runs {find_server()}")]
        except CliError as exc:
            return [_broken("queue", "no server", exc.message)]
    try:
        patient.services.queue.ping()
    except UnavailableError as exc:
        mend = "Start it, or correct HV_QUEUE__OPTIONS__URL."
        return [_broken("queue", exc.detail, mend)]
    return [_ok("queue", "answers")]


def limits(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that requests can be counted.
    """
    chosen = patient.services.settings.limits
    if not chosen.enabled:
        return [_ok("limits", "switched off")]
    try:
        patient.services.rate_limit_store.ping()
    except UnavailableError as exc:
        mend = "Start it, or correct HV_LIMITS__OPTIONS__URL (or the queue's)."
        return [_broken("limits", exc.detail, mend)]
    except HvcoreError as exc:
        mend = "Correct HV_LIMITS__STORE, HV_LIMITS__OPTIONS__URL or the other options."
        return [_broken("limits", str(exc), mend)]
    return [_ok("limits", chosen.store)]


def analytics(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that the sinks of counts can be made, answer, and have counted all.
    """
    spoiled = []
    try:
        for name, sink in patient.services.drain.sinks.items():
            sink.ping()
            if not sink.is_consistent():
                spoiled.append(name)
    except UnavailableError as exc:
        mend = "Start what the sink needs, or correct its options."
        return [_broken("analytics", exc.detail, mend)]
    except HvcoreError as exc:
        mend = "Correct HV_ANALYTICS__SINKS, HV_ANALYTICS__STORE and the options."
        return [_broken("analytics", str(exc), mend)]
    if spoiled:
        found = f"a process of an older version has written to {', '.join(spoiled)}"
        mend = "Stop the processes of the older version, then run: hv migrate"
        return [_broken("analytics", found, mend)]
    return [_ok("analytics", ", ".join(patient.services.settings.analytics.sinks))]


def fetch(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that the hosts that may be reached can be understood.
    """
    try:
        _ = patient.services.outbound
    except HvcoreError as exc:
        return [_broken("fetch", str(exc), "Correct HV_FETCH__ALLOWED_HOSTS.")]
    count = len(patient.services.settings.fetch.allowed_hosts)
    return [_ok("fetch", f"public hosts, and {count} private ones")]


def spool(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that counts can be written down until the sinks have them.
    """
    try:
        make_folder(patient.services.spool_dir)
    except HvcoreError as exc:
        return [_broken("spool", str(exc), "Correct HV_ANALYTICS__SPOOL_DIR.")]
    return [_ok("spool", str(patient.services.spool_dir))]


def edge(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check, where an edge is configured, that it can run, and that its counts are read.
    """
    if not patient.services.settings.edge.listen:
        return [_ok("edge", "none is configured")]
    lacks = missing()
    if lacks:
        found = f"missing: {', '.join(lacks)}"
        mend = f"On Debian or Ubuntu: apt-get install {PACKAGES}"
        return [_broken("edge", found, mend)]
    settings = patient.services.settings.edge
    findings = _edge_folder(patient.services.edge_folder)
    return findings or [_ok("edge", f"nginx can listen at {settings.listen}")]


def _edge_folder(folder: Path) -> Sequence[HealthFinding]:
    """
    Return what is wrong with it, if it is there.
    """
    wrong = {}
    if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
        wrong[f"{folder} cannot be written"] = (
            "Give it to the user of the service; until then the edge counts nothing."
        )
    unread = len(unread_files(folder))
    if unread:
        wrong[f"nobody brings the edge's counts to the sinks; files: {unread}"] = (
            "Run: hv edge ingest"
        )
    return [
        HealthFinding(state=WARNING, check="edge", found=found, mend=mend)
        for found, mend in wrong.items()
    ]


def plugins(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that the plugins can be loaded, and that those left out exist.
    """
    settings = patient.services.settings
    offers = patient.services.registry.offers
    unknown = sorted(
        {current_name(name) for name in settings.plugin.disabled}
        - plugin_names(settings)
    )
    if unknown:
        known = ", ".join(sorted(plugin_names(settings)))
        found = f"none is called {', '.join(unknown)}"
        mend = f"Correct HV_PLUGIN__DISABLED; there are {known}."
        return [HealthFinding(state=WARNING, check="plugins", found=found, mend=mend)]
    return [_ok("plugins", f"{len(offers)} backends on offer")]


def transcoder(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check what the transcoder can do and what it lacks.
    """
    able = patient.services.transcoder.capabilities()
    state = WARNING if able.usable else BROKEN
    findings = [
        HealthFinding(state=state, check="transcoder", found=able.name, mend=problem)
        for problem in able.problems
    ]
    if not able.usable and not findings:
        return [_broken("transcoder", able.name, "It can transcode nothing.")]
    formats = (
        f"{len(able.pixel_formats)} pixel formats, {len(able.audio_codecs)} codecs"
    )
    findings = findings or [_ok("transcoder", f"{able.name}: {formats}")]
    return findings + [
        HealthFinding(
            # Who asks for it is told so; the rest shows in videos only.
            state=OK if lack.is_refused else WARNING,
            check="transcoder",
            found=lack.what,
            mend=lack.mend,
        )
        for lack in able.lacks
    ]


def sandbox(_: Installation) -> Sequence[HealthFinding]:
    """
    Check that ffmpeg can be locked in.
    """
    bwrap = shutil.which("bwrap")
    mend = "Install bubblewrap; without it no files are hidden from ffmpeg."
    if bwrap is None:
        return [
            HealthFinding(state=WARNING, check="sandbox", found="no bwrap", mend=mend)
        ]
    command = [bwrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"]
    tried = subprocess.run(  # noqa: S603 - our own arguments
        [*command, "/bin/true"], capture_output=True, text=True, check=False
    )
    if tried.returncode != 0:
        found = f"bwrap does not work here: {tried.stderr.strip()[:200]}"
        return [HealthFinding(state=WARNING, check="sandbox", found=found, mend=mend)]
    return [_ok("sandbox", bwrap)]


def player(_: Installation) -> Sequence[HealthFinding]:
    """
    Check that the script of the player page is there.
    """
    script = resources.files("hv_player") / "static" / "vendor" / "hls.min.js"
    if script.is_file():
        return [_ok("player", "hls.js is there")]
    mend = "Run ./hv setup in the checkout, or install the wheel."
    return [_broken("player", "hls.js is missing", mend)]


def private_files(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that only their owner can read the files with secrets.
    """
    folder = patient.services.settings.data_dir
    findings = []
    for name in PRIVATE_FILES:
        path = folder / name
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            findings.append(
                _broken("secrets", f"others can read {path}", f"Run: chmod 600 {path}")
            )
    return findings or [_ok("secrets", "only their owner can read them")]


def ports(patient: Installation) -> Sequence[HealthFinding]:
    """
    Check that the ports of ``hv up`` are free, or its own.
    """
    if DataFolder(patient.invocation.data).is_in_use():
        return [_ok("ports", "the service runs")]
    taken = []
    for port in (patient.port, patient.port + 1):
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                sock.bind(("127.0.0.1", port))
            except OSError:
                taken.append(str(port))
    if taken:
        mend = "Stop what has them, or choose others with hv up --port."
        found = f"taken: {', '.join(taken)}"
        return [HealthFinding(state=WARNING, check="ports", found=found, mend=mend)]
    return [_ok("ports", f"{patient.port} and {patient.port + 1} are free")]


def _ok(check: str, found: str) -> HealthFinding:
    return HealthFinding(state=OK, check=check, found=found)


def _broken(check: str, found: str, mend: str) -> HealthFinding:
    return HealthFinding(state=BROKEN, check=check, found=found, mend=mend)


CHECKS: Final[Mapping[str, Callable[[Installation], Sequence[HealthFinding]]]] = {
    "python": python,
    "database": database,
    "search": search,
    "storage": storage,
    "disk": disk,
    "auth": auth,
    "keys": keys,
    "queue": queue,
    "limits": limits,
    "analytics": analytics,
    "fetch": fetch,
    "spool": spool,
    "edge": edge,
    "plugins": plugins,
    "transcoder": transcoder,
    "sandbox": sandbox,
    "player": player,
    "secrets": private_files,
    "ports": ports,
}
