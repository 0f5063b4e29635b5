"""The data folder of ``hv up``: its files, and the lock by which only one ``hv up`` uses it."""

import fcntl
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TextIO

from hvcore.files.atomic_files import replace_file
from hvcore_cli.invocation import CliError

MAX_SOCKET_PATH_BYTES: Final = 100
"""The longest path of a folder for unix sockets: a socket's path may have 107 bytes, and the
rest is for the file's name."""
START_WITHIN_S: Final = 60.0
ASK_EVERY_S: Final = 0.1


class DataFolder:
    """The data folder of one installation, and the paths of its files."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.run = self.path / "run"
        self.logs = self.path / "logs"
        self._lock = self.run / "up.lock"
        self.first_keys_file = self.path / "first-keys.json"
        self.addresses_file = self.run / "addresses.json"

    def make(self) -> None:
        """
        Create the data folder and its subfolders; those for sockets and logs are private.

        Raises:
            CliError: The folders cannot be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self.run.mkdir(mode=0o700, exist_ok=True)
            self.logs.mkdir(mode=0o700, exist_ok=True)
        except OSError as exc:
            raise CliError(
                f"The data folder {self.path} cannot be used: {exc.strerror}; name "
                "another one with --data or HV_DATA."
            ) from exc

    @contextmanager
    def locked(self) -> Iterator[None]:
        """
        Within the block, hold the lock by which only one ``hv up`` uses this folder.

        Raises:
            CliError: Another ``hv up`` runs, or this user may not take the lock.
        """
        with self._lock_file() as file:
            try:
                # The kernel drops the lock when its holder ends, however.
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as exc:
                file.seek(0)
                holder = file.read().strip() or "unknown"
                raise CliError(
                    f"The service is already running on {self.path} (process {holder}). "
                    "Stop it, or name another data folder with --data."
                ) from exc
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield

    def is_in_use(self) -> bool:
        """Return whether an ``hv up`` runs on this folder."""
        if not self._lock.exists():
            return False
        with self._lock_file() as file:
            try:
                # Shared, and given back at once: two that ask do not meet.
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def _lock_file(self) -> TextIO:
        try:
            return self._lock.open("a+", encoding="utf-8")
        except OSError as exc:
            raise CliError(
                f"{self._lock} cannot be opened: {exc.strerror}. Run hv as the user "
                "that the data folder belongs to, or name another one with --data."
            ) from exc

    def socket_dir(self) -> Path:
        """
        Return a folder for Unix sockets that only this user can open, with a short enough path.

        Raises:
            CliError: The folder belongs to another user.
        """
        if len(os.fsencode(self.run)) <= MAX_SOCKET_PATH_BYTES - len("/queue.sock"):
            return self.run
        # The name is always the same, so that what a crash leaves is found.
        digest = hashlib.sha256(os.fsencode(self.path)).hexdigest()[:10]
        name = f"hv-{os.geteuid()}-{digest}"
        folder = Path(tempfile.gettempdir()) / name
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        if folder.is_symlink() or status.st_uid != os.geteuid():
            raise CliError(f"{folder} belongs to somebody else; remove it.")
        folder.chmod(0o700)
        return folder

    def first_keys(self) -> Mapping[str, str]:
        """Return the API keys made at the first start, by environment; empty if there are none."""
        found = _read(self.first_keys_file)
        return {
            name: key["apiKey"]
            for name, key in found.items()
            if isinstance(key, dict) and "apiKey" in key
        }

    def addresses(self) -> Mapping[str, str]:
        """Return the addresses of the service that runs on this folder; empty if none does."""
        return {name: str(value) for name, value in _read(self.addresses_file).items()}

    def awaited_addresses(self) -> Mapping[str, str]:
        """Return the addresses of the service on this folder; wait for them if it is starting."""
        deadline_s = time.monotonic() + START_WITHIN_S
        while not (found := self.addresses()):
            if not self.is_in_use() or time.monotonic() >= deadline_s:
                break
            time.sleep(ASK_EVERY_S)
        return found

    def write_addresses(self, addresses: Mapping[str, str]) -> None:
        """Write the addresses of the running service to a file, where other commands find them."""
        write_private(self.addresses_file, addresses)

    def forget_addresses(self) -> None:
        """Remove the file with the addresses, because no service runs any more."""
        with suppress(FileNotFoundError):
            self.addresses_file.unlink()


def write_private(path: Path, document: object) -> None:
    """Write a JSON file that only its owner can read; a crash leaves the old file whole."""
    replace_file(path, json.dumps(document, indent=2))


def _read(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as exc:
        raise CliError(f"{path} cannot be read: {exc}") from exc
    return found if isinstance(found, dict) else {}
