"""Write the files of a new plugin: a Python distribution whose tests pass."""

import importlib.util
import re
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import Final

from hvcore import __version__
from hvcore.plugin_api import VERSION
from hvcore_cli.invocation import CliError

KINDS: Final = (
    *("analytics", "auth", "cache_invalidation", "limits"),
    *("queue", "sign_in", "storage", "transcoder", "transcriber"),
)
"""The kinds of plugins that have a template; each has a kit."""
_NAME: Final = re.compile(r"[a-z][a-z0-9]*")
"""The form of a backend's name: without hyphens, as in names of environment variables."""
_TEMPLATE: Final = ".tmpl"


def write_plugin(kind: str, name: str, parent: Path) -> Path:
    """
    Write the files of a new plugin into a new folder, and return that folder.

    Args:
        kind: The kind of backend, one of KINDS.
        name: The name of the backend.
        parent: The folder in which the new folder is made.

    Raises:
        CliError: There is no such kind, the name cannot be used, or the folder cannot
            be made.
    """
    words = _words(kind, name)
    folder = parent / words["distribution"]
    _make(folder)
    templates = files("hvcore_cli.commands.plugins.templates")
    common, own = templates / "common", templates / kind
    words["use"] = _filled(own / "use.txt", words).strip()
    package = folder / "src" / words["package"]
    for source, target in (
        (common / f"pyproject.toml{_TEMPLATE}", folder),
        (common / f"README.md{_TEMPLATE}", folder),
        (common / f"test_kit.py{_TEMPLATE}", folder / "tests"),
        *((module, package) for module in own.iterdir() if _is_template(module)),
    ):
        target.mkdir(parents=True, exist_ok=True)
        path = target / source.name.removesuffix(_TEMPLATE)
        path.write_text(_filled(source, words), encoding="utf-8")
    about = f'"""\nThe {kind} backend {name} for hvcore.\n"""\n'
    (package / "__init__.py").write_text(about, encoding="utf-8")
    return folder


def _words(kind: str, name: str) -> dict[str, str]:
    if kind not in KINDS:
        raise CliError(f"{kind!r} is no kind; choose one of: {', '.join(KINDS)}.")
    if _NAME.fullmatch(name) is None:
        raise CliError(
            f"{name!r} cannot be the name; use lower-case letters, and digits after the "
            "first of them."
        )
    package = f"hvcore_{kind}_{name}"
    if importlib.util.find_spec(package) is not None:
        raise CliError(f"{package} is installed already. Choose another name.")
    return {
        "kind": kind,
        "name": name,
        "variable": name.upper(),
        "package": package,
        "distribution": package.replace("_", "-"),
        "hvcore": __version__,
        "next_hvcore": next_breaking(__version__),
        "plugin_api": ".".join(map(str, VERSION)),
    }


def next_breaking(version: str) -> str:
    """
    Return the next version number that may break users of ``version``, by Semantic Versioning.

    For ``1.4`` it is ``2``, and for ``0.4`` it is ``0.5``.
    """
    major, minor = map(int, version.split(".")[:2])
    return f"{major + 1}" if major else f"0.{minor + 1}"


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True)
    except FileExistsError as exc:
        raise CliError(
            f"{folder} is there already. Choose another name, or another folder with "
            "--into."
        ) from exc
    except OSError as exc:
        raise CliError(
            f"{folder} cannot be made ({exc.strerror}). Choose another folder with --into."
        ) from exc


def _is_template(source: Traversable) -> bool:
    # An editor may leave something else behind.
    return source.name.endswith(_TEMPLATE)


def _filled(source: Traversable, words: Mapping[str, str]) -> str:
    return Template(source.read_text(encoding="utf-8")).substitute(words)
