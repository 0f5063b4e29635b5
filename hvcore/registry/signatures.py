"""Compare the methods of a backend with those of its port, before they are called."""

import inspect
from collections.abc import Iterator, Mapping
from inspect import Parameter, Signature
from types import FunctionType
from typing import Any, Final, get_origin

import attrs

from hvcore.ports.preparation import SupportsPrepare
from hvcore.registry.abilities import has_ability
from hvcore.registry.code_locations import CodeLocation, location_of_definition
from hvcore.registry.faults import is_within
from hvcore.registry.hooks import Offer
from hvcore.registry.kinds import KINDS, Kind

_PORTS: Final = "hvcore.ports"
_BY_POSITION: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def _taking(*names: str) -> Signature:
    return Signature([Parameter(one, Parameter.POSITIONAL_ONLY) for one in names])


_ROUTE: Final = ("PluginRoute.handler", _taking("state", "call"))
_MIDDLEWARE: Final = ("Middleware", _taking("app"))


@attrs.frozen(kw_only=True)
class WrongMethod:
    """
    A method of a backend whose parameters or result differ from its port's.

    Attributes:
        problem: A clause that names the class, the method and the expected parameters.
        fix: What to do, in the imperative.
        location: The line that defines the method.
        is_harmless: Whether the service can use the method nevertheless.
    """

    problem: str
    fix: str
    location: CodeLocation | None
    is_harmless: bool = False


def wrong_methods(offer: Offer, made: object) -> Iterator[WrongMethod]:
    """
    Yield the methods of a built backend whose parameters or results differ from those of its ports' methods.

    No method is called. A callable that does not tell its parameters, such as a function
    in C, is taken to be right.
    """
    kind = KINDS[offer.kind]
    for route in getattr(offer.backend, "routes", ()):
        # What is no route is told with the others, when the API adds it.
        if callable(handler := getattr(route, "handler", None)):
            yield from _differences(handler, *_ROUTE)
    if kind.name == "middleware":
        yield from _differences(made, *_MIDDLEWARE)
    for name, (port, declared) in _methods(type(made), kind).items():
        written = inspect.getattr_static(made, name, None)
        title = f"{port.__name__}.{name}"
        if written is None or written is declared:
            yield from _unwritten(type(made), name, title, port)
        elif isinstance(declared, property):
            yield from _wrong_property(written, title)
        else:
            yield from _wrong_method(made, name, title, declared)


def _methods(made: type, kind: Kind) -> Mapping[str, tuple[type, Any]]:
    """Return the public methods and properties of a class's ports, by name."""
    ports = (kind.port, *kind.abilities, SupportsPrepare)
    return {
        name: (base, declared)
        for port in ports
        if has_ability(made, port)
        for base in reversed(port.__mro__)
        if is_within(base.__module__, _PORTS)
        for name, declared in vars(base).items()
        if name[0] != "_" and isinstance(declared, property | FunctionType)
    }


def _unwritten(made: type, name: str, title: str, port: type) -> Iterator[WrongMethod]:
    # What a protocol has in its place does nothing, and returns None.
    if getattr(port, "_is_protocol", False):
        yield WrongMethod(
            problem=f"{made.__name__} inherits from {port.__name__} and lacks {title}",
            fix=f"Write {name}",
            location=location_of_definition(made),
        )


def _wrong_property(written: object, title: str) -> Iterator[WrongMethod]:
    if isinstance(written, FunctionType):
        yield WrongMethod(
            problem=f"{written.__qualname__} is a method, and {title} is a property",
            fix="Put @property above it",
            location=location_of_definition(written),
        )


def _wrong_method(
    made: object, name: str, title: str, declared: FunctionType
) -> Iterator[WrongMethod]:
    signature = inspect.signature(declared)
    expected = signature.replace(parameters=[*signature.parameters.values()][1:])
    try:
        method = getattr(made, name)
    except Exception:  # noqa: BLE001 - of a property; who asks for it is told
        return
    if callable(method):
        yield from _differences(method, title, expected)
        return
    yield WrongMethod(
        problem=f"{type(made).__name__}.{name} is no method, and {title} is one",
        fix=f"Write it as def {name}{_shown(expected, is_method=True)}",
        location=location_of_definition(type(made)),
    )


def _differences(
    method: Any,  # noqa: ANN401 - whatever can be called
    title: str,
    expected: Signature,
) -> Iterator[WrongMethod]:
    """
    Give the difference between a callable and the call that is made, if there is one.

    Args:
        method: Bound, if it is one.
        title: The name of what the callable stands for.
        expected: Parameters that are positional are given by position.
    """
    is_method = inspect.ismethod(method)
    said, is_harmless = _form(method, expected), False
    if not said and (own := _signature(method)) is not None:
        said = _refused(own, expected)
        if not said:
            said, is_harmless = _other_names(own, expected)
        said = said and f"{said}: it is {_shown(own, is_method=is_method)}"
    if not said:
        return
    own_name = getattr(method, "__qualname__", type(method).__name__)
    wanted = _shown(expected, is_method=is_method)
    yield WrongMethod(
        problem=f"{own_name} {said}, and {title} is {wanted}",
        fix=f"Write it as def {own_name.rpartition('.')[2]}{wanted}",
        location=location_of_definition(method),
        is_harmless=is_harmless,
    )


def _form(method: object, expected: Signature) -> str:
    """Return the fault of a function's form, in words; "" if it has none."""
    if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
        return "is async, and nobody awaits it"
    wanted = get_origin(expected.return_annotation)
    if inspect.isgeneratorfunction(method) and wanted is not Iterator:
        return "yields, so it does nothing when it is called"
    return ""


def _signature(method: Any) -> Signature | None:  # noqa: ANN401 - whatever can be called
    try:
        # As a decorator has made it: that is what is called.
        return inspect.signature(method, follow_wrapped=False)
    except (TypeError, ValueError, NameError):
        return None


def _refused(own: Signature, expected: Signature) -> str:
    """Return Python's answer to the fullest and the barest call; "" if both can be made."""
    for is_full in (True, False):
        given = [
            one
            for one in expected.parameters.values()
            if is_full or one.default is Parameter.empty
        ]
        try:
            own.bind(
                *(one.name for one in given if one.kind in _BY_POSITION),
                **{o.name: o.name for o in given if o.kind is Parameter.KEYWORD_ONLY},
            )
        except TypeError as exc:
            return f"cannot be called as it is ({exc})"
    return ""


def _other_names(own: Signature, expected: Signature) -> tuple[str, bool]:
    """Return the first positional parameter of another name, and whether that works."""
    wanted = [
        one.name
        for one in expected.parameters.values()
        if one.kind is Parameter.POSITIONAL_OR_KEYWORD
    ]
    for name, parameter in zip(wanted, own.parameters.values(), strict=False):
        is_named = parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
        if is_named and parameter.name not in {name, f"_{name}"}:
            is_harmless = parameter.name not in wanted and name not in own.parameters
            return f"has {parameter.name} in the place of {name}", is_harmless
    return "", False


def _shown(signature: Signature, *, is_method: bool) -> str:
    """Return names and kinds of parameters, as Python writes them."""
    shown = [
        one.replace(
            annotation=one.empty, default=one.empty if one.default is one.empty else ...
        )
        for one in signature.parameters.values()
    ]
    text = str(Signature(shown)).replace("=Ellipsis", "=…").replace(", /", "")
    return text.replace("(", "(self, ", 1).replace(", )", ")") if is_method else text
