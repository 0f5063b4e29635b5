"""Find names in ``theirs=ours`` that people, or a provider, could take for each other."""

import unicodedata
from collections.abc import Iterator
from itertools import combinations

from hvcore_openid_provider.claims import all_pairs


def ambiguities(
    setting: str, texts: tuple[str, ...], *, ignored: str = "", may_repeat: bool = False
) -> Iterator[str]:
    """
    Yield a sentence about each two names that one name of the provider could match.

    Args:
        ignored: A character that says nothing at the beginning of a name.
        may_repeat: A name may mean several things.
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
