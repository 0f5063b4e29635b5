"""
The rules of the setting ``roles``: what a group at the provider means here.

A group is compared whole. One that the provider names by its path, such as
``/acme/HV Admins``, matches no rule that is a bare name: who may make groups below
``/acme`` could name one after any rule.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import attrs

from hvcore_openid_provider.claims import pairs
from hvcore_openid_provider.name_pairs import ambiguities

PATH_SEPARATOR: Final = "/"


@attrs.frozen(kw_only=True)
class GroupRules:
    """
    Find the role that a provider's group means.

    Attributes:
        separator: A name with it is a path; the one at its beginning says nothing.
        names: What bare names mean.
        paths: What paths mean, each without the separator at its beginning.
    """

    separator: str
    names: Mapping[str, str]
    paths: Mapping[str, str]

    @classmethod
    def of(cls, texts: tuple[str, ...], separator: str) -> "GroupRules":
        """Return the rules that a list of ``theirs=ours`` has."""
        rules = pairs(texts)
        return cls(
            separator=separator,
            names={name: r for name, r in rules.items() if separator not in name},
            paths={
                name.removeprefix(separator): r
                for name, r in rules.items()
                if separator in name
            },
        )

    @property
    def are_given(self) -> bool:
        """Return whether there is any rule: then nothing else counts."""
        return bool(self.names or self.paths)

    def meaning(self, group: str) -> str:
        """Return the role, ``organization:role`` or ``operator`` of a group, or ""."""
        if self.separator in group:
            return self.paths.get(group.removeprefix(self.separator), "")
        return self.names.get(group, "")


def ambiguous_rules(texts: tuple[str, ...], separator: str) -> Iterator[str]:
    """Yield the rules that one group could match twice, or that no path matches."""
    yield from ambiguities("roles", texts, ignored=separator)
    names = pairs(texts)
    bare = [name for name in names if separator not in name]
    for name in bare:
        paths = _ending_with(name, names, separator)
        if paths:
            yield (
                f"roles: a provider that leaves the paths of groups out sends "
                f"{name!r} for {paths[0]!r}, too; write both as paths"
            )
        elif separator == PATH_SEPARATOR:
            yield (
                f"roles: {name!r} matches no group that is sent as a path; if the "
                f"provider sends paths, write it as one, such as {'/' + name!r}"
            )


def _ending_with(name: str, paths: Iterable[str], separator: str) -> list[str]:
    return [path for path in paths if path.endswith(f"{separator}{name}")]
