"""Find the extras (optional requirements) by which backends get their libraries."""

import re
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from typing import Final

from hvcore import extras
from hvcore.registry.faults import LISTED, OWN_DISTRIBUTION
from hvcore.registry.hooks import Offer
from hvcore.registry.import_faults import name_of

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""With which a requirement begins (PEP 508)."""
_MARKER: Final = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")


def extra_of(offer: Offer) -> tuple[str, str] | None:
    """
    Return the names of the distribution and of its extra that install a backend's libraries; None if there is no such extra.

    The extra of the plugin's distribution goes before an extra of hvcore with the same name.
    """
    extra = offer.backend.extra
    if extra is None:
        return None
    for distribution in (name_of(offer.source), OWN_DISTRIBUTION):
        if _normal(extra) in map(_normal, _extras(distribution)):
            return distribution, extra
    return None


def install_command(offer: Offer, lacking: str) -> str:
    """
    Return the shell command that installs a Python module which a backend lacks.

    Args:
        lacking: The name of the module.
    """
    found = extra_of(offer)
    if found is not None:
        return _command(*found)
    if offer.source.is_listed or offer.source.is_file:
        return f"pip install {lacking.partition('.')[0]}"
    return f"pip install {name_of(offer.source)}"


def missing(offer: Offer) -> str | None:
    """Return the shell command that installs a backend's missing libraries; None if none is missing."""
    found = extra_of(offer)
    if found is None:
        return None
    distribution, extra = found
    for line in requires(distribution) or ():
        marker = _MARKER.search(line)
        if marker is None or _normal(marker[1]) != _normal(extra):
            continue
        named = _NAME.match(line)
        try:
            version(named[0] if named else line)
        except PackageNotFoundError:
            return _command(distribution, extra)
    return None


def _command(distribution: str, extra: str) -> str:
    if distribution == OWN_DISTRIBUTION:
        return extras.install_command(extra)
    return f"pip install '{distribution}[{extra}]'"


def _extras(distribution: str) -> list[str]:
    if distribution == LISTED:
        return []
    try:
        return metadata(distribution).get_all("Provides-Extra") or []
    except PackageNotFoundError:
        return []


def _normal(extra: str) -> str:
    return re.sub(r"[-_.]+", "-", extra).lower()
