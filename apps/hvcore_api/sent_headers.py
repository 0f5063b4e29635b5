"""A request's headers as they stand in its WSGI environment."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

_BARE: Final = ("CONTENT_TYPE", "CONTENT_LENGTH")
"""The two headers that WSGI names without ``HTTP_`` (PEP 3333)."""


class SentHeaders(Mapping[str, str]):
    """Mapping of a request's headers by lower-case name, read from the WSGI environment when used."""

    def __init__(self, environ: Mapping[str, Any]) -> None:
        self._environ = environ

    def __getitem__(self, name: str) -> str:
        if name != name.lower():
            raise KeyError(name)
        key = name.upper().replace("-", "_")
        value: str = self._environ[key if key in _BARE else f"HTTP_{key}"]
        return value

    def __iter__(self) -> Iterator[str]:
        for key in self._environ:
            if key.startswith("HTTP_") or (key in _BARE and self._environ[key]):
                yield key.removeprefix("HTTP_").replace("_", "-").lower()

    def __len__(self) -> int:
        return sum(1 for _ in self)
