"""Describe the options of a backend, as its attrs class declares them."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from hvcore.registry.hooks import Offer
from hvcore.settings import OTHER_OPTIONS, where_to_set


@attrs.frozen(kw_only=True)
class OptionInfo:
    """
    An option of a backend, as an operator needs to know it.

    Attributes:
        type: The annotated type of the option.
        default: The default as Python writes it; None if the option is required.
        variable: The environment variable that sets the option, or the dotted name of the option
            in the settings file.
        is_set: Whether the settings set the option.
    """

    name: str
    type: str
    default: str | None
    variable: str
    is_set: bool

    @property
    def is_required(self) -> bool:
        """Return whether the settings must set the option."""
        return self.default is None


def options_of(offer: Offer, path: str, given: object) -> Sequence[OptionInfo]:
    """
    Return the options of an offered backend, each with its type, default and environment variable.

    Args:
        path: The dotted setting below which the options are.
        given: The options that the settings set.
    """
    names = given if isinstance(given, Mapping) else {}
    found = []
    for field in attrs.fields(offer.backend.options):
        is_rest = OTHER_OPTIONS in field.metadata
        found.append(
            OptionInfo(
                name="<name>" if is_rest else field.name,
                type="any other" if is_rest else _type(field.type),
                default="" if is_rest else _default(field.default),
                variable=where_to_set(path, "<name>" if is_rest else field.name),
                is_set=field.name in names,
            )
        )
    return found


def _type(annotation: Any) -> str:  # noqa: ANN401 - an annotation is anything
    if isinstance(annotation, type) and not hasattr(annotation, "__args__"):
        return annotation.__name__
    return str(annotation).replace("typing.", "").replace("collections.abc.", "")


def _default(default: Any) -> str | None:  # noqa: ANN401 - attrs' own type
    if default is attrs.NOTHING:
        return None
    if isinstance(default, attrs.Factory):  # type: ignore[arg-type]  # a class at run time
        made = default.factory
        return (
            repr(made()) if made in {dict, list, tuple, set, frozenset} else "computed"
        )
    return repr(default)
