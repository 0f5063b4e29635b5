"""
The keys that a data folder makes for itself.
"""

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hvcore.errors import ConfigError

KEYS: Final = ("playback", "uploads")
MIN_SECRET_CHARS: Final = 32


def own_secrets(data_dir: Path) -> Mapping[str, str]:
    """
    Return the folder's keys by name, and make them if there are none.

    Raises:
        ConfigError: The folder cannot be used, or its keys are damaged.
    """
    path = data_dir / "secrets.json"
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _make_secrets(path)
        made = json.loads(path.read_text(encoding="utf-8"))
    except OSError as exc:
        raise ConfigError(
            f"The data folder {data_dir} cannot be used: {exc.strerror}; name "
            "another one with --data or HV_DATA."
        ) from exc
    except ValueError:
        made = None
    if not isinstance(made, dict) or not all(map(_is_key, map(made.get, KEYS))):
        raise ConfigError(
            f"{path} is damaged; restore it from a backup. Without one, remove it: "
            "new keys are made, and addresses signed with the old ones end."
        )
    return {name: made[name] for name in KEYS}


def _is_key(value: object) -> bool:
    return isinstance(value, str) and len(value) >= MIN_SECRET_CHARS


def _make_secrets(path: Path) -> None:
    made = {name: secrets.token_urlsafe(48) for name in KEYS}
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(made, file)
        file.flush()
        os.fsync(file.fileno())
    try:
        # link, not rename: of several processes that start at once, one wins.
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        temporary.unlink()
