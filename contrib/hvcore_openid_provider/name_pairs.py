"""Find names in ``theirs=ours`` that people, or a provider, could take for each other."""

import unicodedata
from collections.abc import Iterator
from itertools import combinations

from hvcore_openid_provider.claims import all_pairs


def ambiguities(
    setting: str, texts: tuple[str, ...], *, ignored: str = "", may_repeat: bool = False
) -> Iterator[str]:
    """
    Yield a warning for each two of a provider's names that could be taken for each other.

    Args:
        setting: The name of the setting, for the warnings.
        texts: The texts of the setting, each ``theirs=ours``.
        ignored: A character that has no meaning at the beginning of a provider's name;
            "" for none.
        may_repeat: Whether one name of the provider may stand for several of ours.
    """
    meanings: dict[str, set[str]] = {}
    for theirs, ours in all_pairs(texts):
        meanings.setdefault(theirs, set()).add(ours)
    for name, meant in meanings.items():
        if len(meant) > 1 and not may_repeat:
            yield f"{setting}: {name!r} is there twice, and only the last one counts"
    for one, other in combinations(meanings, 2):
        if one.removeprefix(ignored) == other.removeprefix(ignored):
            why = "name the same group, or a group and its path"
        elif _seen(one, ignored) == _seen(other, ignored):
            why = "differ in nothing but case, spaces or forms of characters"
        else:
            continue
        yield f"{setting}: {one!r} and {other!r} {why}; keep the one that is meant"


def _seen(name: str, ignored: str) -> str:
    """Return a name without case and spaces, as a hasty reader sees the name."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(folded.split()).strip(ignored or None)
