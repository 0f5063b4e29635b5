"""Own secrets: the signing keys that a data folder makes for itself."""

import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from hvcore.errors import ConfigError
from hvcore.files.atomic_files import create_file

KEYS: Final = ("playback", "uploads")
MIN_SECRET_CHARS: Final = 32


def own_secrets(data_dir: Path) -> Mapping[str, str]:
    """
    Return a data folder's signing keys by name; make them if there are none.

    Raises:
        ConfigError: The folder cannot be used, or its file of keys is damaged.
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
    with suppress(FileExistsError):
        create_file(path, json.dumps(made))
