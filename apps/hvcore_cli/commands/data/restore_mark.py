"""The file that marks a data folder into which a backup is being restored."""

import os
from pathlib import Path
from typing import Self

import attrs

from hvcore.files.atomic_files import replace_file
from hvcore.registry.plugin_files import FOLDER
from hvcore_cli.invocation import RESTORE_MARK, CliError

_FILLED = "filled"


@attrs.frozen
class RestoreMark:
    """
    A file that marks an unfinished restore: written before all others, and removed as the last.

    Attributes:
        path: The path of the mark.
        backup_id: The id of the backup that is being restored.
    """

    path: Path
    backup_id: str

    @classmethod
    def of(cls, data: Path, backup_id: str) -> Self:
        """
        Mark an empty data folder, or return the mark that an earlier run of this restore has left.

        Plugins may be there already: no backup has them, and a restore may need them.

        Raises:
            CliError: The folder has other content.
            OSError: The mark cannot be written.
        """
        path = data / RESTORE_MARK
        data.mkdir(parents=True, exist_ok=True)
        if all(one.name == FOLDER for one in data.iterdir()):
            with path.open("w", encoding="utf-8") as file:
                file.write(backup_id)
                file.flush()
                os.fsync(file.fileno())
        # A mark that is cut off, too, is the first thing that a restore has written.
        elif not path.is_file() or not backup_id.startswith(_first_line(path)):
            raise CliError(
                f"The data folder {data} is not empty. Name another one with "
                "--data, or move its content away."
            )
        return cls(path, backup_id)

    def was_filled(self) -> bool:
        """Return whether an earlier run of the restore has filled the database."""
        return _FILLED in self.path.read_text(encoding="utf-8").splitlines()

    def note_filled(self) -> None:
        """Record in the mark that the restore has filled the database."""
        replace_file(self.path, f"{self.backup_id}\n{_FILLED}\n")

    def remove(self) -> None:
        """Remove the mark of an unfinished restore, so that other commands may use the data folder."""
        self.path.unlink()


def _first_line(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0]
