"""Find the claims of a token, in any of the forms that providers use."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

Claims = Mapping[str, Any]
MAX_TEXTS: Final = 10_000


def find_claim(claims: Claims, path: str) -> object:
    """
    Return the value of a claim, by its name or by a path with dots; None if there is none.

    A dot leads into a nested claim, as in ``realm_access.roles``. Names may contain
    dots themselves, such as ``https://example.com/roles``.
    """
    if path in claims:
        return claims[path]
    dots = [at for at, char in enumerate(path) if char == "."]
    for at in reversed(dots):
        inside = claims.get(path[:at])
        if isinstance(inside, Mapping):
            found = find_claim(inside, path[at + 1 :])
            if found is not None:
                return found
    return None


def texts_of(found: object) -> Iterator[str]:
    """Yield the texts of a claim's value, which is one text or a list; at most 10,000 of them."""
    values = found[:MAX_TEXTS] if isinstance(found, list) else [found]
    return (text for text in values if isinstance(text, str) and text)


def pairs(texts: tuple[str, ...]) -> Mapping[str, str]:
    """Return our name of each of a provider's names, from texts ``theirs=ours``."""
    return MappingProxyType(dict(all_pairs(texts)))


def all_pairs(texts: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield each pair of a provider's name and our name, from texts ``theirs=ours``."""
    found = (text.rpartition("=") for text in texts)
    return ((theirs.strip(), ours.strip()) for theirs, _, ours in found)
