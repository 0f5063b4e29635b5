"""Checks of ``hv doctor`` for the service's backends: database, storage, queue and sinks."""

import io
import secrets
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from hvcore.assembly import Services
from hvcore.domain.health_findings import WARNING, HealthFinding, broken, healthy
from hvcore.errors import ConfigError, NoRoomError, UnavailableError
from hvcore.incoming.disk_space import refused_below_bytes
from hvcore.ports.storage import SupportsRoomCheck
from hvcore.services.health import CLOCKS_AGREE_WITHIN_S
from hvcore_checks.queue_servers import NO_SERVER, NOT_SHARED, find_server

LITTLE_SPACE_BYTES: Final = 20 * 1024**3


def database(services: Services) -> Sequence[HealthFinding]:
    """Check that the database answers and has the service's tables."""
    try:
        # Before the ping, which a database that is not migrated fails too.
        if why := services.why_unusable():
            # Its first sentence says what is wrong.
            found, _, fix = why.partition(". ")
            return [broken("database", found, fix)]
        services.uow.ping()
        if services.awaits_contract():
            return [_uncontracted()]
    except UnavailableError as exc:
        return [
            broken(
                "database",
                exc.detail,
                "Start the database, or correct HV_DATABASE__URL.",
            )
        ]
    return [healthy("database", "answers, and is at this version")]


def _uncontracted() -> HealthFinding:
    return HealthFinding(
        state=WARNING,
        check="database",
        found="still has what only older versions need",
        fix="Once the last process of an older version has ended on all machines, "
        "run: hv migrate --contract",
    )


def clock(services: Services) -> Sequence[HealthFinding]:
    """
    Check that the clocks of this host and the database agree.

    They may be ``CLOCKS_AGREE_WITHIN_S`` seconds apart.
    """
    try:
        ahead_s = services.uow.clock_ahead_s()
    except UnavailableError:
        return [broken("clock", "the database does not answer", "Start it.")]
    if abs(ahead_s) <= CLOCKS_AGREE_WITHIN_S:
        return [healthy("clock", "this host's and the database's agree")]
    side = "ahead of" if ahead_s > 0 else "behind"
    found = (
        f"{abs(ahead_s):.0f} s {side} the database's: tokens and signed addresses of this "
        "host begin and end at wrong times"
    )
    fix = "Set the clocks of both hosts by NTP (timedatectl set-ntp true)."
    return [HealthFinding(state=WARNING, check="clock", found=found, fix=fix)]


def search(services: Services) -> Sequence[HealthFinding]:
    """Check that the database has the indexes for searching videos by name and by what is said."""
    try:
        if services.is_searchable():
            return [healthy("search", "names and what is said have an index")]
    except UnavailableError:
        return [broken("search", "the database does not answer", "Start it.")]
    if services.engine.dialect.name == "postgresql":
        fix = (
            "Let an owner of the database run: CREATE EXTENSION pg_trgm; "
            "CREATE EXTENSION btree_gin; then run: hv migrate"
        )
    else:
        fix = "Use a Python whose SQLite is 3.34 or newer and has FTS5: hv migrate"
    found = (
        "names or what is said have no index: searching takes longer, the more videos "
        "there are"
    )
    return [HealthFinding(state=WARNING, check="search", found=found, fix=fix)]


def storage(services: Services) -> Sequence[HealthFinding]:
    """Check that objects can be written to the storage and removed."""
    path = f"doctor/{secrets.token_hex(8)}"
    try:
        place = services.storage
        place.ping()
        place.write(path, io.BytesIO(b"doctor"), content_type="text/plain")
        place.delete_tree(path)
        if isinstance(place, SupportsRoomCheck):
            place.check_room()
    except UnavailableError as exc:
        fix = "Check HV_STORAGE__OPTIONS__URL, its credentials and its rights."
        if isinstance(exc, NoRoomError) or "full" in exc.detail:
            fix = "Free some space there: delete videos, or enlarge it."
        found = f"{exc.detail} It says: {exc.said}" if exc.said else exc.detail
        return [broken("storage", found, fix)]
    return [healthy("storage", "can be written")]


def disk(services: Services) -> Sequence[HealthFinding]:
    """Check that there is free disk space for the data folder, the local storage and the database."""
    data = services.settings.data_dir
    folders = {"the data folder": data}
    local = _local_storage(services)
    if local is not None and local.stat().st_dev != data.stat().st_dev:
        folders["the storage"] = local
    # The storage itself is asked by its own check alone, since it may hang.
    findings = [_room(name, path) for name, path in folders.items()]
    return [*findings, *_refused("the database", services.uow.check_room)]


def _refused(name: str, check_room: Callable[[], None]) -> Sequence[HealthFinding]:
    try:
        check_room()
    except NoRoomError as exc:
        fix = f"Free some space on the disk of {name}."
        return [broken("disk", exc.detail, fix)]
    except UnavailableError:
        # Another check says so.
        return []
    return []


def _local_storage(services: Services) -> Path | None:
    """Return the folder that the storage is in, if it is one of this machine."""
    chosen = services.settings.storage
    scheme, found, rest = str(chosen.options.get("url", "")).rpartition("://")
    if chosen.backend != "fsspec" or (found and scheme != "file"):
        return None
    path = Path(unquote(rest))
    return path if rest and path.exists() else None


def _room(name: str, path: Path) -> HealthFinding:
    disk = shutil.disk_usage(path)
    free, least = disk.free, refused_below_bytes(disk.total)
    found = (
        f"{free / 1024**3:.1f} GiB free in {name}; uploads are refused below "
        f"{least / 1024**3:.1f} GiB"
    )
    if free <= least:
        return broken("disk", found, "Free some space; uploads are refused.")
    if free < LITTLE_SPACE_BYTES:
        fix = "An upload may have 5 GiB, and its renditions as much again."
        return HealthFinding(state=WARNING, check="disk", found=found, fix=fix)
    return healthy("disk", found)


def queue(services: Services) -> Sequence[HealthFinding]:
    """Check that the queue answers, or that ``hv up`` can start one."""
    chosen = services.settings.queue
    if chosen.backend == "rq" and "url" not in chosen.options:
        server = find_server()
        if server is None:
            return [broken("queue", "no server", NO_SERVER)]
        return [healthy("queue", f"hv up runs {server}")]
    if not services.queue.spans_processes:
        fix = NOT_SHARED.format(backend=chosen.backend)
        return [broken("queue", "inside one process", fix)]
    try:
        services.queue.ping()
    except UnavailableError as exc:
        fix = "Start what it stands on, or correct HV_QUEUE__OPTIONS__… (hv config)."
        if chosen.backend == "rq":
            fix = "Start it, or correct HV_QUEUE__OPTIONS__URL."
        return [broken("queue", exc.detail, fix)]
    return [healthy("queue", f"{chosen.backend} answers")]


def limits(services: Services) -> Sequence[HealthFinding]:
    """Check that the backend that counts requests for rate limits answers."""
    chosen = services.settings.limits
    if not chosen.enabled:
        return [healthy("limits", "switched off")]
    try:
        services.rate_limit_store.ping()
    except UnavailableError as exc:
        fix = "Start it, or correct HV_LIMITS__OPTIONS__URL (or the queue's)."
        return [broken("limits", exc.detail, fix)]
    except ConfigError as exc:
        fix = "Correct HV_LIMITS__STORE, HV_LIMITS__OPTIONS__URL or the other options."
        return [broken("limits", str(exc), fix)]
    return [healthy("limits", chosen.store)]


def analytics(services: Services) -> Sequence[HealthFinding]:
    """Check that the analytics sinks answer, and that no older version has written to them."""
    spoiled = []
    try:
        for name, sink in services.flusher.sinks.items():
            sink.ping()
            if not sink.is_consistent():
                spoiled.append(name)
    except UnavailableError as exc:
        fix = "Start what the sink needs, or correct its options."
        return [broken("analytics", exc.detail, fix)]
    except ConfigError as exc:
        fix = "Correct HV_ANALYTICS__SINKS, HV_ANALYTICS__STORE and the options."
        return [broken("analytics", str(exc), fix)]
    if spoiled:
        found = (
            f"a process of an older version has written to {', '.join(spoiled)},"
            " or its count of all months waits for indexes"
        )
        fix = "Stop processes of an older version, if any run, then run: hv migrate"
        return [broken("analytics", found, fix)]
    return [healthy("analytics", ", ".join(services.settings.analytics.sinks))]
