"""
Find the role for a group at the provider, by the setting ``sign_in.oidc.roles``.

A group's whole name is compared. A group that the provider names by its path, such as
``/acme/HV Admins``, matches no rule with a bare name: otherwise a person who may make
groups below ``/acme`` could give a group the name of any rule.
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
    Find the role that a provider's group stands for.

    Attributes:
        separator: The character that makes a group's name a path; at the beginning of a
            path it is ignored.
        names: The roles by bare names of groups.
        paths: The roles by paths of groups, without a separator at the beginning.
    """

    separator: str
    names: Mapping[str, str]
    paths: Mapping[str, str]

    @classmethod
    def of(cls, texts: tuple[str, ...], separator: str) -> "GroupRules":
        """Return the rules of a list of texts ``group=role``, as the setting has them."""
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
        """Return whether any rule is set: then names without a rule give no role."""
        return bool(self.names or self.paths)

    def meaning(self, group: str) -> str:
        """Return a group's ``role``, ``organization:role`` or ``operator``; "" if none."""
        if self.separator in group:
            return self.paths.get(group.removeprefix(self.separator), "")
        return self.names.get(group, "")


def ambiguous_rules(texts: tuple[str, ...], separator: str) -> Iterator[str]:
    """Yield a warning for each rule whose groups another rule may match, or no path."""
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
