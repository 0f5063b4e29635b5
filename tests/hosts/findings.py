"""
The invariants of the torture tests, of a service whose files are in a store.
"""

from collections.abc import Iterator
from pathlib import Path

import attrs

from hvcore.ports.storage import ObjectNotFoundError
from tests.hosts.fleet import Fleet
from tests.support.live import files_below
from tests.torture.invariants import Findings


@attrs.frozen(kw_only=True)
class FleetFindings(Findings):
    """
    Looks at all hosts of a service that has come to rest.
    """

    fleet: Fleet

    def stored_names(self) -> Iterator[str]:
        for prefix in ("media", "uploads"):
            for info in self.services.storage.walk(prefix):
                yield info.path

    def temporary_files(self) -> Iterator[Path]:
        for host in self.fleet.hosts.values():
            yield from files_below(host.disk_file(Path("hv/work")))

    def content(self, name: str) -> bytes | None:
        try:
            with self.services.storage.open(name) as file:
                return file.read()
        except ObjectNotFoundError:
            return None
